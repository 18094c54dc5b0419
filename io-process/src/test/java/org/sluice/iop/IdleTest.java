package org.sluice.iop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class IdleTest extends ServeTest {
  private static final long PERIOD_NANOS = 8_000_000_000L;
  private static final double MOST = 0.005;

  @Test
  void idleProcessesCostLessThanHalfAPercentOfACore() throws Exception {
    try (ServeProcess serve = serve("files")) {
      final List<RawProcess> idle = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        idle.add(RawProcess.attach(serve.directory()));
      }
      pass(2_000_000_000L);
      final long before = cpuNanos(serve.pid());
      final long start = System.nanoTime();
      pass(PERIOD_NANOS);
      final double used = (cpuNanos(serve.pid()) - before) / (double) (System.nanoTime() - start);
      System.out.printf("idle with 8 processes: %.3f %% of a core%n", 100 * used);
      assertThat(used).isLessThan(MOST);
      for (final RawProcess process : idle) {
        process.close();
      }
    }
  }

  private static void pass(final long nanos) {
    final long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }

  private static long cpuNanos(final long pid) throws IOException {
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
      return threads.mapToLong(IdleTest::threadNanos).sum();
    }
  }

  private static long threadNanos(final Path thread) {
    try {
      return Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ")[0]);
    } catch (final IOException e) {
      return 0;
    }
  }
}
