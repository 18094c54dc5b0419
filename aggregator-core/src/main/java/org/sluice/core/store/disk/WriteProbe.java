package org.sluice.core.store.disk;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.fault.Fault.Step;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Entropy;
import org.sluice.core.posix.IoVector;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;

/**
 * The search for the best way to write to a file system. The probe writes to a file without a name,
 * so that nothing is left behind. Each way has the same time, with the sync that a commit would
 * need. A killed process leaves an empty file at most, which is garbage of the store.
 */
public final class WriteProbe {
  private static final int BLOCK = 4096;
  private static final int WORD = 7919;

  /**
   * The ways, in the order of their trial. The first way is taken unless another is better. The
   * trial of the first may take all the time there is. So the second, which differs in all
   * respects, is tried in any case.
   */
  private static final List<WriteMode> CANDIDATES =
      List.of(
          WriteMode.LOCAL,
          new WriteMode(false, 8, 1 << 20),
          new WriteMode(true, 8, 1 << 20),
          new WriteMode(false, 1, 4 << 20));

  /** The factor by which a way must be faster than those before it: less may be chance. */
  private static final double WORTH_IT = 1.25;

  private static final long EACH_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** The time after which only the first two ways are still tried. */
  private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private static final int TRIED_ANYHOW = 2;

  private static final long MOST_BYTES = 32 << 20;

  private final Path directory;
  private final Disk disk;
  private final long address;

  private WriteProbe(final Path directory, final Disk disk, final long address) {
    this.directory = directory;
    this.disk = disk;
    this.address = address;
  }

  /** Measures the ways, and returns the best; an interrupt ends the measurement early. */
  public static WriteMode measure(final Path directory, final Disk disk) throws IOException {
    try (Arena arena = Arena.ofShared();
        WritesInFlight flight = new WritesInFlight()) {
      final MemorySegment memory = arena.allocate(WriteMode.LOCAL.length(), BLOCK);
      final UnsafeBuffer bytes = new UnsafeBuffer(memory.address(), (int) memory.byteSize());
      for (int i = 0; i < memory.byteSize(); i += Long.BYTES) {
        bytes.putLong(i, (long) i * WORD); // no file system makes a hole of such bytes
      }
      final WriteProbe probe = new WriteProbe(directory, disk, memory.address());
      return best(mode -> probe.speed(mode, flight), System::nanoTime);
    }
  }

  /** The speed of a way, in bytes per nanosecond. */
  @FunctionalInterface
  interface Speed {
    double of(WriteMode mode) throws IOException;
  }

  static WriteMode best(final Speed speeds, final LongSupplier clock) throws IOException {
    final long began = clock.getAsLong();
    WriteMode best = WriteMode.LOCAL;
    double most = 0;
    for (final WriteMode mode : CANDIDATES) {
      final boolean late = clock.getAsLong() - began > MOST_NANOS;
      if (Thread.currentThread().isInterrupted()
          || late && CANDIDATES.indexOf(mode) >= TRIED_ANYHOW) {
        break;
      }
      final double speed = speeds.of(mode);
      if (speed > most * WORTH_IT) {
        best = mode;
        most = speed;
      }
    }
    return best;
  }

  /** Returns bytes per nanosecond; 0 where the file system does not take such writes. */
  private double speed(final WriteMode mode, final WritesInFlight flight) throws IOException {
    try (NativeFile file = nameless(mode)) {
      final long began = System.nanoTime();
      long written = 0;
      while (written < MOST_BYTES && System.nanoTime() - began < EACH_NANOS) {
        written += write(file, mode, written, flight);
      }
      file.sync();
      return (double) written / (System.nanoTime() - began);
    } catch (final PosixException e) {
      e.throwUnless(Errno.EINVAL);
      return 0;
    }
  }

  private NativeFile nameless(final WriteMode mode) throws IOException {
    final Path path = directory.resolve("%016x".formatted(Entropy.nextLong()));
    final List<Flag> flags = new ArrayList<>(List.of(Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE));
    if (mode.direct()) {
      flags.add(Flag.DIRECT);
    }
    try {
      return disk.open(path, flags.toArray(Flag[]::new));
    } finally {
      disk.delete(path, null);
    }
  }

  private long write(
      final NativeFile file, final WriteMode mode, final long from, final WritesInFlight flight)
      throws IOException {
    final List<Step<IOException>> writes = new ArrayList<>();
    for (int i = 0; i < mode.inFlight(); i++) {
      final IoVector pieces = new IoVector(1);
      pieces.add(address, mode.length());
      final long offset = from + (long) i * mode.length();
      writes.add(
          mode.direct()
              ? () -> file.pwrite(pieces, offset)
              : () -> file.pwritePast(pieces, offset));
    }
    for (final IOException failure : flight.failures(writes)) {
      if (failure != null) {
        throw failure;
      }
    }
    return mode.gathered();
  }
}
