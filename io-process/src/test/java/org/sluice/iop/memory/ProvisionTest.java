package org.sluice.iop.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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

  private record Provided(int chunk, long begin, long end) {
    long cost() {
      return end - begin;
    }
  }

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
    final long begin = System.nanoTime();
    for (long now = begin; now < begin + COST; now = System.nanoTime()) {
      LockSupport.parkNanos(begin + COST - now);
    }
    provided.add(new Provided(chunk, begin, System.nanoTime()));
  }

  private Provided take() throws InterruptedException {
    return provided.poll(20, TimeUnit.SECONDS);
  }

  private List<Provided> take(final int first, final int end) throws InterruptedException {
    final List<Provided> taken = new ArrayList<>();
    for (int chunk = first; chunk < end; chunk++) {
      taken.add(take());
      assertThat(taken.getLast().chunk()).isEqualTo(chunk);
    }
    return taken;
  }

  /** How much longer a row of chunks took than to make their pages. */
  private static double slowness(final List<Provided> row) {
    final long all = row.getLast().end() - row.getFirst().begin();
    return all / (double) row.stream().mapToLong(Provided::cost).sum();
  }

  private void assertThatNoneIsNeeded(final Provided last) throws InterruptedException {
    assertThat(take().begin() - last.end()).isGreaterThan(31 * last.cost());
  }

  @Test
  void leavesTheProcessorToOthersOnceTheFirstChunksAreThere() throws Exception {
    running = provision.begin();
    assertThatNoneIsNeeded(take(0, FIRST).getLast());
  }

  @Test
  void hasAChunkForEachProcessAtOnce() throws Exception {
    running = provision.begin();
    provision.look(0, 100);
    final List<Provided> all = take(0, FIRST + 100);
    assertThat(slowness(all)).isLessThan(2.5);
    assertThatNoneIsNeeded(all.getLast());
  }

  @Test
  void isSoonAheadOfTheChunksInUse() throws Exception {
    running = provision.begin();
    provision.look(20, 0);
    take(0, FIRST);
    final List<Provided> more = take(FIRST, 3 * 20);
    assertThat(slowness(more)).isBetween(3.0, 12.0);
    assertThatNoneIsNeeded(more.getLast());
  }

  @Test
  void withholdsWhatGetsNoMemory() throws Exception {
    lacking = 7;
    running = provision.begin();
    assertThat(withheld.poll(20, TimeUnit.SECONDS)).isEqualTo(7);
  }
}
