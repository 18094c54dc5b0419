package org.sluice.core.store.directory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.HexFormat;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.Entropy;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.disk.Disk;
import org.sluice.core.store.format.SealedText;
import org.sluice.core.store.format.StoredFile;

/**
 * How often the checkpoints of a store have changed: odd while one changes. A process that finds
 * the count that it left knows that nobody else has changed one. It is read and written under the
 * store's lock, and never synchronised: a power cut ends all who know a count.
 *
 * <p>Where a process cannot write it, it deletes it; without it each process looks at all.
 *
 * @param store the store's directory
 * @param disk how it is changed
 */
public record ChangeCount(Path store, Disk disk) {
  public static final String NAME = "changes";

  /** None, as where the file is missing. */
  public static final long UNKNOWN = 0;

  private static final HexFormat HEX = HexFormat.of();
  private static final int DIGITS = 2 * Long.BYTES;
  private static final int MAX_LENGTH = 64;

  public static boolean isOdd(final long count) {
    return (count & 1) != 0;
  }

  /** What the file says; {@link #UNKNOWN} when nothing. */
  public long read() throws IOException {
    try {
      return SealedText.decode(StoredFile.readAll(path(), MAX_LENGTH))
          .map(text -> HexFormat.fromHexDigitsToLong(text, 0, DIGITS))
          .orElse(UNKNOWN);
    } catch (final DamagedException missingOrNoCount) {
      return UNKNOWN;
    }
  }

  /**
   * Counts one on.
   *
   * @param count what the file says
   * @return what it says then; {@link #UNKNOWN} when that failed, and it says nothing
   * @throws IOException when it still says what it said
   */
  public long next(final long count) throws IOException {
    final long next = count == UNKNOWN ? Entropy.nextLong() | 1 : after(count);
    try (NativeFile file =
            disk.open(path(), Flag.WRITE, Flag.CREATE, Flag.NO_FOLLOW, Flag.NO_WAIT);
        Arena arena = Arena.ofConfined()) {
      final byte[] text = SealedText.encode(HEX.toHexDigits(next) + "\n");
      final MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_BYTE, text);
      file.pwrite(memory.address(), memory.byteSize(), 0);
      return next;
    } catch (final IOException e) {
      return withdrawn(e);
    }
  }

  private static long after(final long count) {
    return count + 1 == UNKNOWN ? count + 3 : count + 1;
  }

  private long withdrawn(final IOException failure) throws IOException {
    try {
      disk.delete(path(), null);
    } catch (final IOException e) {
      failure.addSuppressed(e);
    }
    if (read() != UNKNOWN) {
      throw failure;
    }
    return UNKNOWN;
  }

  private Path path() {
    return store.resolve(NAME);
  }
}
