package org.sluice.iop.journal;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;
import java.util.function.Supplier;
import org.sluice.core.chunk.Crc32c;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.Encoder;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.iop.crash.InFlight;
import org.sluice.iop.measure.Warnings;

/**
 * The file of entries, in memory beside the segment. The file outlives the I/O process as the
 * segment does. Both are worth nothing after the node is gone, so nothing is synced. On a disk both
 * may come back after a power cut, with holes: so the header names the node's boot.
 *
 * <p>An entry is written before any effect of it leaves this process. Effects are a reply, a
 * released chunk, a consumed ring record, a changed word of the segment. So the reader of the
 * journal knows whatever another process can know. An entry cut short by a kill is no entry.
 *
 * <p>Thread-safe. The order of entries is that of the calls; entries of two threads about the same
 * thing are ordered by the pipeline between them.
 */
public final class Journal implements AutoCloseable {
  /** The characters {@code SLUICJNL} as a little-endian 64-bit integer. */
  static final long MAGIC = 0x4C4E_4A43_4955_4C53L;

  static final int VERSION = 16;
  private static final int BOOT_OFFSET = 24;
  private static final int HEADER_LENGTH = 40;
  private static final int FRAME_LENGTH = 8;

  /**
   * The length in bytes at which a journal is rewritten. After that a journal is rewritten at four
   * times its length.
   */
  private static final long LONG = 1 << 20;

  private static final int GROWTH = 4;

  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  private final Path path;
  private final long sessionId;
  private final Supplier<? extends Fold> folds;
  private final UUID boot = thisBoot();
  private final Encoder frame = new Encoder();
  private final InFlight inFlight;
  private JournalFile file;
  private long end;
  private long limit = LONG;
  private boolean broken;

  private Journal(
      final Path path,
      final long sessionId,
      final Supplier<? extends Fold> folds,
      final NativeFile file,
      final long end)
      throws IOException {
    this.path = path;
    this.sessionId = sessionId;
    this.folds = folds;
    this.file = new JournalFile(file.role(FaultPoint.JOURNAL_WRITE, null));
    this.end = end;
    this.inFlight = InFlight.open(beside(path), sessionId);
  }

  /**
   * @param path a file that does not exist
   * @param folds make empty folds
   */
  public static Journal create(
      final Path path, final long sessionId, final Supplier<? extends Fold> folds)
      throws IOException {
    final NativeFile file = NativeFile.open(path, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE);
    final Journal journal = new Journal(path, sessionId, folds, file, 0);
    journal.writeHeader();
    journal.flush();
    return journal;
  }

  /**
   * Reads a journal to continue it.
   *
   * @param folds make empty folds
   * @return the journal; bytes behind its last whole entry are cut off
   * @throws FormatVersionException when the file is of another version
   * @throws IOException when the file is no journal of this session, or cannot be read
   */
  public static Journal resume(
      final Path path, final long sessionId, final Fold past, final Supplier<? extends Fold> folds)
      throws IOException {
    Files.deleteIfExists(rewritten(path));
    final NativeFile file = NativeFile.open(path, Flag.WRITE);
    try {
      final long end = replay(file, sessionId, past);
      file.truncate(end);
      return new Journal(path, sessionId, folds, file, end);
    } catch (final IOException e) {
      file.close();
      throw e;
    }
  }

  /**
   * Returns whether a journal was begun since the node was booted. An older one may lack any entry,
   * and its pids may belong to other processes by now.
   *
   * @return false for another boot, and for a file without a whole header
   */
  public static boolean isOfThisBoot(final Path path) throws IOException {
    try (NativeFile file = NativeFile.open(path);
        Arena arena = Arena.ofConfined()) {
      final ByteBuffer header = read(file, HEADER_LENGTH, arena);
      return header.limit() == HEADER_LENGTH
          && new UUID(header.getLong(BOOT_OFFSET), header.getLong(BOOT_OFFSET + Long.BYTES))
              .equals(thisBoot());
    }
  }

  /**
   * Returns whether a journal has more than its header. A damaged header does not matter.
   *
   * @return false when nothing was ever written to it
   */
  public static boolean hasEntries(final Path path) throws IOException {
    try (NativeFile file = NativeFile.open(path);
        Arena arena = Arena.ofConfined()) {
      final ByteBuffer first = read(file, HEADER_LENGTH + Integer.BYTES, arena);
      return first.limit() > HEADER_LENGTH
          && (first.limit() < HEADER_LENGTH + Integer.BYTES || first.getInt(HEADER_LENGTH) != 0);
    }
  }

  /** Removes a journal that no process writes to. */
  public static void remove(final Path path) throws IOException {
    Files.deleteIfExists(rewritten(path));
    Files.deleteIfExists(beside(path));
    Files.deleteIfExists(path);
  }

  private static Path beside(final Path path) {
    return path.resolveSibling("inflight");
  }

  private static Path rewritten(final Path path) {
    return path.resolveSibling(path.getFileName() + ".new");
  }

  /** Returns the first bytes of a file, fewer where it is shorter. */
  private static ByteBuffer read(final NativeFile file, final long most, final Arena arena)
      throws PosixException {
    final MemorySegment memory = arena.allocate(most);
    final long length = file.pread(memory.address(), most, 0);
    return memory.asSlice(0, length).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  private static long replay(final NativeFile file, final long sessionId, final Fold fold)
      throws IOException {
    int end = HEADER_LENGTH;
    try (Arena arena = Arena.ofConfined()) {
      final ByteBuffer in = read(file, Math.max(HEADER_LENGTH, file.size()), arena);
      checkHeader(file, sessionId, in);
      while (in.remaining() >= FRAME_LENGTH) {
        final int length = in.getInt();
        final int crc = in.getInt();
        if (length <= 0
            || length > in.remaining()
            || crc != Crc32c.of(in.slice(in.position(), length))) {
          break;
        }
        fold.apply(EntryFields.get(in.getInt(), in));
        end += FRAME_LENGTH + length;
        in.position(end);
      }
      return end;
    } catch (final BufferUnderflowException e) {
      throw new DamagedException(file.opened(), end, "an entry is impossible");
    }
  }

  private static void checkHeader(final NativeFile file, final long sessionId, final ByteBuffer in)
      throws IOException {
    final String name = file.opened();
    if (in.remaining() < HEADER_LENGTH || in.getLong() != MAGIC) {
      throw new DamagedException(name, 0, "it is no journal");
    }
    final int version = in.getInt();
    if (version != VERSION) {
      throw FormatVersionException.of(name, version, VERSION);
    }
    in.getInt();
    if (in.getLong() != sessionId) {
      throw new DamagedException(name, BOOT_OFFSET - Long.BYTES, "it is of another session");
    }
    in.position(HEADER_LENGTH);
  }

  /**
   * An entry that cannot be written ends the journal, since the session cannot be resumed without
   * it.
   *
   * @return the same entry, to be applied next
   */
  public synchronized <E extends Entry> E write(final E entry) {
    if (!broken) {
      frame.clear();
      append(entry);
      try {
        flush();
        if (end > limit) {
          rewrite();
        }
      } catch (final PosixException e) {
        abandon(e);
      }
    }
    return entry;
  }

  /** Returns the record of what the threads handle, a file beside this journal. */
  public InFlight inFlight() {
    return inFlight;
  }

  private void writeHeader() {
    frame.clear().writeLong(MAGIC).writeInt(VERSION).writeInt(0).writeLong(sessionId);
    frame.writeLong(boot.getMostSignificantBits()).writeLong(boot.getLeastSignificantBits());
  }

  private static UUID thisBoot() throws IOException {
    return UUID.fromString(Files.readString(BOOT_ID).strip());
  }

  private void append(final Entry entry) {
    final int start = frame.length();
    frame.writeLong(0);
    EntryFields.put(entry, frame);
    frame.overwriteInt(start, frame.length() - start - FRAME_LENGTH);
    frame.overwriteInt(start + Integer.BYTES, frame.crc(start + FRAME_LENGTH));
  }

  private void flush() throws PosixException {
    file.write(frame.address(), frame.length(), end);
    end += frame.length();
  }

  /**
   * Replaces the journal's file by a shorter one with the same meaning. A kill leaves the one or
   * the other. When the new file cannot be written, the old one stays and grows.
   */
  private void rewrite() {
    final Path target = rewritten(path);
    try {
      final Fold fold = folds.get();
      replay(file.file(), sessionId, fold);
      writeHeader();
      fold.sum(this::append);
      final NativeFile fresh =
          NativeFile.open(target, Flag.WRITE, Flag.CREATE, Flag.TRUNCATE)
              .role(FaultPoint.JOURNAL_REWRITE, null);
      final JournalFile former = file;
      try {
        final JournalFile next = new JournalFile(fresh);
        fresh.pwrite(frame.address(), frame.length(), 0);
        Files.move(target, path, StandardCopyOption.ATOMIC_MOVE);
        file = next;
      } catch (final IOException e) {
        fresh.close();
        throw e;
      }
      fresh.role(FaultPoint.JOURNAL_WRITE, null);
      end = frame.length();
      limit = Math.max(LONG, end * GROWTH);
      former.close();
    } catch (final IOException e) {
      limit = end * GROWTH;
      Warnings.warn("the journal stays as long as it is: " + e.getMessage());
    }
  }

  private void abandon(final PosixException reason) {
    broken = true;
    Warnings.warn("this session cannot be resumed if it is killed: " + reason.getMessage());
    try {
      Files.deleteIfExists(path);
    } catch (final IOException e) {
      Warnings.warn(e.getMessage());
    }
  }

  @Override
  public synchronized void close() throws IOException {
    broken = true;
    frame.close();
    inFlight.close();
    try {
      file.end(end);
    } finally {
      file.close();
    }
  }
}
