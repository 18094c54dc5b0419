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
 * The count of changes to a store's checkpoints: odd while one changes. A process that finds the
 * count it left knows that no other process has changed a checkpoint. The count is read and written
 * under the store's lock, and never synchronised: a power cut ends all processes that know it.
 *
 * <p>A process that cannot write the count deletes it. Without a count each process looks at all
 * checkpoints.
 */
public record ChangeCount(Path store, Disk disk) {
  public static final String NAME = "changes";

  /** The count of a store whose file is missing. */
  public static final long UNKNOWN = 0;

  private static final HexFormat HEX = HexFormat.of();
  private static final int DIGITS = 2 * Long.BYTES;
  private static final int MAX_LENGTH = 64;

  public static boolean isOdd(final long count) {
    return (count & 1) != 0;
  }

  /** Returns the count in the file; {@link #UNKNOWN} without one. */
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
   * Raises the count by one.
   *
   * @return count in the file then; {@link #UNKNOWN} when the write failed, and the file is gone
   * @throws IOException when the file still has the old count
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
