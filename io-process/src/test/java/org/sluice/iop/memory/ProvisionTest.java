package org.sluice.iop.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProvisionTest {
  private static final int COUNT = 200;
  private static final int FIRST = 32;
  private static final long COST = TimeUnit.MILLISECONDS.toNanos(5);

  private record Provided(int chunk, long begin) {}

  private final BlockingQueue<Provided> provided = new LinkedBlockingQueue<>();
  private final BlockingQueue<Integer> withheld = new LinkedBlockingQueue<>();
  private int lacking = COUNT;
  private final Provision provision = new Provision(COUNT, this::provide, withheld::add);
  private AutoCloseable running;

  @AfterEach
  void end() throws Exception {
    running.close();
  }

  private void provide(final int chunk) throws IOException {
    if (chunk >= lacking) {
      throw new IOException("no room");
    }
    provided.add(new Provided(chunk, System.nanoTime()));
    for (long end = System.nanoTime() + COST; System.nanoTime() < end; ) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }

  private Provided take() throws InterruptedException {
    return provided.poll(20, TimeUnit.SECONDS);
  }

  @Test
  void leavesTheProcessorToOthersOnceTheFirstChunksAreThere() throws Exception {
    running = provision.begin();
    Provided last = null;
    for (int chunk = 0; chunk < FIRST; chunk++) {
      last = take();
      assertThat(last.chunk()).isEqualTo(chunk);
    }
    for (int more = 0; more < 2; more++) {
      final Provided next = take();
      assertThat(next.begin() - last.begin()).isGreaterThan(30 * COST);
      last = next;
    }
  }

  @Test
  void isAheadOfTheChunksInUse() throws Exception {
    running = provision.begin();
    final long begin = System.nanoTime();
    provision.look(50, 10);
    for (int chunk = 0; chunk < FIRST + 2 * (50 + 10); chunk++) {
      assertThat(take().chunk()).isEqualTo(chunk);
    }
    // With the rest that follows each other chunk it would have taken 20 s.
    assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(10));
  }

  @Test
  void withholdsWhatGetsNoMemory() throws Exception {
    lacking = 7;
    running = provision.begin();
    assertThat(withheld.poll(20, TimeUnit.SECONDS)).isEqualTo(7);
  }
}
