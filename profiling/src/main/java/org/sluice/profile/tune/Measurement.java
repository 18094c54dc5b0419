package org.sluice.profile.tune;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.sluice.core.posix.Errno;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.posix.PosixException;

/** Measures a node, in a few seconds. Its files are gone afterwards. */
final class Measurement {
  /** Sizes that are measured. */
  static final List<Long> SIZES =
      List.of(64L, 512L, 4L << 10, 16L << 10, 64L << 10, 256L << 10, 1L << 20, 4L << 20);

  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final long REGION = 32L << 20;
  private static final long DRAIN_LENGTH = 64L << 20;
  private static final long DRAIN_BLOCK = 1L << 20;
  private static final long ALIGNMENT = 4096;
  private static final int REPEATS = 3;
  private static final int FEWEST = 8;
  private static final int MOST = 20_000;

  /** One thread's share of a measurement: how many nanoseconds an operation took it. */
  private interface Work {
    double nanos() throws IOException;
  }

  private final Path directory;
  private final int cores = Runtime.getRuntime().availableProcessors();

  /**
   * A measurement.
   *
   * @param directory where files are written to: that of the checkpoints
   */
  Measurement(final Path directory) {
    this.directory = directory;
  }

  double copy(final long size) throws IOException {
    return median(() -> onAllCores(() -> copyAlone(size)));
  }

  double write(final long size) throws IOException {
    return median(() -> onAllCores(() -> writeAlone(size)));
  }

  /** The first time is for the compiler and the page cache to settle. */
  private static double median(final Work work) throws IOException {
    work.nanos();
    final double[] nanos = new double[REPEATS];
    for (int i = 0; i < REPEATS; i++) {
      nanos[i] = work.nanos();
    }
    Arrays.sort(nanos);
    return nanos[REPEATS / 2];
  }

  private double onAllCores(final Work work) throws IOException {
    try (ExecutorService threads = Executors.newFixedThreadPool(cores)) {
      final List<Callable<Double>> all = new ArrayList<>();
      for (int i = 0; i < cores; i++) {
        all.add(work::nanos);
      }
      double slowest = 0;
      for (final Future<Double> result : threads.invokeAll(all)) {
        slowest = Math.max(slowest, result.get());
      }
      return slowest;
    } catch (final ExecutionException e) {
      if (e.getCause() instanceof final IOException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the measurement was interrupted", e);
    }
  }

  private static double copyAlone(final long size) throws IOException {
    final Path file = unique(SHARED_MEMORY);
    try (FileChannel channel = FileChannel.open(file, READ, WRITE, CREATE_NEW);
        Arena arena = Arena.ofConfined()) {
      final MemorySegment buffer = channel.map(MapMode.READ_WRITE, 0, REGION, arena);
      final MemorySegment source = arena.allocate(Math.max(size, 4L << 20));
      buffer.fill((byte) 1);
      source.fill((byte) 2);
      final int count = count(size);
      long offset = 0;
      final long begin = System.nanoTime();
      for (int i = 0; i < count; i++) {
        MemorySegment.copy(source, 0, buffer, offset, size);
        offset = offset + 2 * size > REGION ? 0 : offset + size;
      }
      final double nanos = (double) (System.nanoTime() - begin) / count;
      return buffer.get(JAVA_BYTE, 0) == 2 ? nanos : Double.NaN;
    } finally {
      Files.deleteIfExists(file);
    }
  }

  private double writeAlone(final long size) throws IOException {
    final Path file = unique(directory);
    try (Arena arena = Arena.ofConfined();
        NativeFile out = NativeFile.open(file, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE)) {
      final MemorySegment source = arena.allocate(size).fill((byte) 1);
      final int count = count(size);
      final long begin = System.nanoTime();
      for (int i = 0; i < count; i++) {
        out.pwrite(source.address(), size, i * size);
      }
      return (double) (System.nanoTime() - begin) / count;
    } finally {
      Files.deleteIfExists(file);
    }
  }

  private static int count(final long size) {
    return Math.clamp(REGION / size, FEWEST, MOST);
  }

  /** Bytes a second into blocks that were written before, past the page cache if that can be. */
  double drain() throws IOException {
    final Path file = unique(directory);
    try (Arena arena = Arena.ofConfined();
        NativeFile out = openForDrain(file)) {
      final MemorySegment source = arena.allocate(DRAIN_BLOCK, ALIGNMENT).fill((byte) 1);
      writeAll(out, source);
      final long begin = System.nanoTime();
      writeAll(out, source);
      return DRAIN_LENGTH * 1e9 / (System.nanoTime() - begin);
    } finally {
      Files.deleteIfExists(file);
    }
  }

  private static NativeFile openForDrain(final Path file) throws PosixException {
    try {
      return NativeFile.open(file, Flag.WRITE, Flag.CREATE, Flag.DIRECT);
    } catch (final PosixException e) {
      if (e.errno() != Errno.EINVAL) {
        throw e;
      }
      return NativeFile.open(file, Flag.WRITE, Flag.CREATE);
    }
  }

  private static void writeAll(final NativeFile out, final MemorySegment source)
      throws PosixException {
    for (long offset = 0; offset < DRAIN_LENGTH; offset += DRAIN_BLOCK) {
      out.pwrite(source.address(), DRAIN_BLOCK, offset);
    }
    out.sync();
  }

  int cores() {
    return cores;
  }

  private static Path unique(final Path directory) throws IOException {
    final Path file = Files.createTempFile(directory, ".sluice-tune-", "");
    Files.delete(file);
    return file;
  }
}
