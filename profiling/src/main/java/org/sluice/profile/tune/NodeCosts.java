package org.sluice.profile.tune;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.sluice.core.command.Progress;
import org.sluice.core.command.SizeConverter;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.profile.replay.Interruption;
import org.sluice.profile.replay.ReplayRounds;
import org.sluice.profile.replay.ReplayRounds.Ending;
import org.sluice.profile.replay.ReplayRounds.Launch;
import org.sluice.profile.replay.ReplayRounds.Output;
import org.sluice.profile.replay.Scratch;
import org.sluice.profile.workload.GeneratedTrace;

/**
 * The times of this node for a copy into shared memory and for a file write, and its speed of a
 * drain. A process on each core writes at the same time.
 *
 * @param drain bytes a second to storage
 */
record NodeCosts(List<Cost> costs, double drain, int cores) {
  private static final List<Long> SIZES =
      List.of(64L, 512L, 4L << 10, 16L << 10, 64L << 10, 256L << 10, 1L << 20, 4L << 20);
  private static final long BYTES = 32L << 20;
  private static final long MOST_WRITES = 20_000;
  private static final long DRAIN_BYTES = 64L << 20;
  private static final long DRAIN_BLOCK = 1L << 20;
  private static final int REPEATS = 3;

  /**
   * The nanoseconds of a write.
   *
   * @param copy time of a copy into shared memory
   * @param write time of a write to a new file
   */
  record Cost(long size, double copy, double write) {
    Map<String, Object> members() {
      return Map.of("size", size, "copy_ns", copy, "write_ns", write);
    }
  }

  void print(final PrintWriter out) {
    out.printf("%-12s %14s %14s %8s%n", "WRITE OF", "COPY, us", "FILE, us", "RATIO");
    for (final Cost cost : costs) {
      out.printf(
          "%-12s %14.3f %14.3f %8.1f%n",
          SizeConverter.format(cost.size()),
          cost.copy() / 1e3,
          cost.write() / 1e3,
          cost.write() / cost.copy());
    }
    out.println();
  }

  /**
   * Measures the costs, in a few seconds.
   *
   * @param interruption once requested, further sizes are left out
   */
  static NodeCosts of(final Path directory, final Interruption interruption) throws IOException {
    final int cores = Runtime.getRuntime().availableProcessors();
    final List<Cost> costs = new ArrayList<>();
    try (Progress progress = Progress.beginSteps("measure", SIZES.size() + 1)) {
      for (final long size : SIZES) {
        if (costs.isEmpty() || !interruption.isRequested()) {
          final long bytes = Math.min(BYTES, MOST_WRITES * size);
          final GeneratedTrace writes = GeneratedTrace.equal(cores, cores * bytes, size, 0);
          final double count = (double) bytes / size;
          costs.add(
              new Cost(
                  size,
                  calls(directory, writes, Output.MEMORY) / count,
                  calls(directory, writes, Output.FILES) / count));
          progress.add(1);
        }
      }
      return new NodeCosts(costs, drain(directory), cores);
    }
  }

  /** Returns the median time of the calls. A first round lets memory and the page cache settle. */
  private static double calls(
      final Path directory, final GeneratedTrace writes, final Output output) throws IOException {
    final long[] calls = new long[REPEATS];
    try (Scratch scratch = new Scratch(directory);
        ReplayRounds rounds =
            ReplayRounds.start(writes, scratch.file("trace"), output, Launch.PLAIN)) {
      for (int i = -1; i < REPEATS; i++) {
        final Path files = scratch.file("files");
        final long nanos = rounds.round(0, Ending.CLOSE, files).costs().calls();
        Scratch.delete(files);
        calls[Math.max(i, 0)] = nanos;
      }
    }
    Arrays.sort(calls);
    return calls[REPEATS / 2];
  }

  /** Measures the drain into blocks that were written before, past the page cache if possible. */
  private static double drain(final Path directory) throws IOException {
    final GeneratedTrace writes = GeneratedTrace.equal(1, DRAIN_BYTES, DRAIN_BLOCK, 0);
    try (Scratch scratch = new Scratch(directory)) {
      final Output output = hasDirect(scratch.file("probe")) ? Output.DIRECT : Output.FILES;
      try (ReplayRounds rounds =
          ReplayRounds.start(writes, scratch.file("trace"), output, Launch.PLAIN)) {
        rounds.round(0, Ending.SYNC, scratch.file("files"));
        return DRAIN_BYTES
            * 1e9
            / rounds.round(0, Ending.SYNC, scratch.file("files")).moments().durable();
      }
    }
  }

  private static boolean hasDirect(final Path file) throws PosixException {
    try {
      NativeFile.open(file, Flag.WRITE, Flag.CREATE, Flag.DIRECT).close();
      return true;
    } catch (final PosixException e) {
      e.throwUnless(Errno.EINVAL);
      return false;
    }
  }
}
