package org.sluice.iop.journal;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.file.Files;
import java.nio.file.Path;
import net.openhft.chronicle.bytes.Bytes;
import org.sluice.core.chunk.Crc32c;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.chunk.FormatVersionException;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.posix.PosixException;
import org.sluice.iop.measure.Warnings;

/**
 * The file of entries, in memory beside the segment: it outlives the I/O process as the segment
 * does, and both are worth nothing after the node is gone, so nothing is synced.
 *
 * <p>An entry is written before anything that follows from it leaves this process: a reply, a
 * released chunk, a consumed ring record, a changed word of the segment. So whoever reads the
 * journal knows whatever another process can know. An entry cut short by a kill is no entry.
 *
 * <p>Thread-safe. The order of entries is that of the calls; entries of two threads about the same
 * thing are ordered by the pipeline between them.
 */
public final class Journal implements AutoCloseable {
  /** {@code SLUICJNL} read as a little-endian 64-bit integer. */
  static final long MAGIC = 0x4C4E_4A43_4955_4C53L;

  static final int VERSION = 1;
  private static final int HEADER_LENGTH = 24;
  private static final int FRAME_LENGTH = 8;

  private final NativeFile file;
  private final Bytes<Void> frame = Bytes.allocateElasticDirect();
  private long end;
  private boolean broken;

  private Journal(final NativeFile file, final long end) {
    this.file = file.role(FaultPoint.JOURNAL_WRITE, null);
    this.end = end;
  }

  /**
   * Begins a journal.
   *
   * @param path a file that does not exist
   * @param sessionId of the segment
   * @return the journal
   * @throws IOException when it cannot be created
   */
  public static Journal create(final Path path, final long sessionId) throws IOException {
    final Journal journal =
        new Journal(NativeFile.open(path, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE), 0);
    journal.frame.writeLong(MAGIC).writeInt(VERSION).writeInt(0).writeLong(sessionId);
    journal.flush();
    return journal;
  }

  /**
   * Reads a journal, to go on with it.
   *
   * @param path the file
   * @param sessionId of the segment
   * @param ledger takes the entries
   * @return the journal; what comes behind its last whole entry is cut off
   * @throws FormatVersionException when it is of another version
   * @throws IOException when it is no journal of this session, or cannot be read
   */
  public static Journal resume(final Path path, final long sessionId, final Ledger ledger)
      throws IOException {
    final NativeFile file = NativeFile.open(path, Flag.WRITE);
    try {
      final long end = replay(file, sessionId, ledger);
      file.truncate(end);
      return new Journal(file, end);
    } catch (final IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  private static long replay(final NativeFile file, final long sessionId, final Ledger ledger)
      throws IOException {
    final Bytes<Void> in = Bytes.allocateDirect(Math.max(HEADER_LENGTH, file.size()));
    try {
      in.writePosition(file.pread(in.addressForWrite(0), in.capacity(), 0));
      checkHeader(file, sessionId, in);
      long end = HEADER_LENGTH;
      while (in.readRemaining() >= FRAME_LENGTH) {
        final int length = in.readInt();
        final int crc = in.readInt();
        if (length <= 0
            || length > in.readRemaining()
            || crc != Crc32c.of(in.addressForRead(in.readPosition()), length)) {
          break;
        }
        end += FRAME_LENGTH + length;
        ledger.enter(EntryCodec.read(in));
        in.readPosition(end);
      }
      return end;
    } catch (final BufferUnderflowException | IndexOutOfBoundsException e) {
      throw new DamagedException(file.opened().toString(), in.readPosition(), "it is no entry");
    } finally {
      in.releaseLast();
    }
  }

  private static void checkHeader(final NativeFile file, final long sessionId, final Bytes<Void> in)
      throws IOException {
    final String name = file.opened().toString();
    if (in.readRemaining() < HEADER_LENGTH || in.readLong() != MAGIC) {
      throw new DamagedException(name, 0, "it is no journal");
    }
    final int version = in.readInt();
    if (version != VERSION) {
      throw new FormatVersionException(name, version, VERSION);
    }
    in.readInt();
    if (in.readLong() != sessionId) {
      throw new DamagedException(name, HEADER_LENGTH - Long.BYTES, "it is of another session");
    }
  }

  /**
   * Writes an entry. One that cannot be written ends the journal: nobody could go on from here.
   *
   * @param entry what was decided
   */
  public synchronized void write(final Entry entry) {
    if (broken) {
      return;
    }
    frame.clear().writePosition(FRAME_LENGTH);
    EntryCodec.write(frame, entry);
    final int length = (int) frame.writePosition() - FRAME_LENGTH;
    frame.writeInt(0, length);
    frame.writeInt(Integer.BYTES, Crc32c.of(frame.addressForRead(FRAME_LENGTH), length));
    try {
      flush();
    } catch (final PosixException e) {
      abandon(e);
    }
  }

  private void flush() throws PosixException {
    final long length = frame.writePosition();
    file.pwrite(frame.addressForRead(0), length, end);
    end += length;
  }

  private void abandon(final PosixException reason) {
    broken = true;
    Warnings.warn("this session cannot be resumed if it is killed: " + reason.getMessage());
    try {
      Files.deleteIfExists(file.opened());
    } catch (final IOException e) {
      Warnings.warn(e.getMessage());
    }
  }

  @Override
  public synchronized void close() throws IOException {
    broken = true;
    frame.releaseLast();
    file.close();
  }
}
