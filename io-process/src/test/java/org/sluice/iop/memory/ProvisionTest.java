package org.sluice.iop.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

class ProvisionTest {
  private static final int COUNT = 200;
  private static final int FIRST = 32;
  private static final long COST = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LATER = TimeUnit.MILLISECONDS.toNanos(20);

  private record Provided(int chunk, long begin, long end) {}

  private final List<Provided> provided = new CopyOnWriteArrayList<>();
  private final List<Integer> withheld = new CopyOnWriteArrayList<>();
  private int lacking = COUNT;
  private long now;

  private Provision provision(final LongConsumer pause) {
    return new Provision(COUNT, this::provide, withheld::add, () -> now, pause);
  }

  private void pass(final long nanos) {
    now += nanos;
  }

  private void provide(final int chunk) throws IOException {
    if (chunk >= lacking) {
      throw new IOException("no room");
    }
    final long begin = now;
    pass(COST);
    provided.add(new Provided(chunk, begin, now));
  }

  /** How long the processor was left to others before each of some chunks. */
  private void assertRest(final int first, final int end, final long rest) {
    for (int chunk = first; chunk < end; chunk++) {
      final Provided it = provided.get(chunk);
      assertThat(it.chunk()).isEqualTo(chunk);
      assertThat(it.begin() - provided.get(chunk - 1).end()).as("%d", chunk).isEqualTo(rest);
    }
  }

  @Test
  void leavesTheProcessorToOthersOnceTheFirstChunksAreThere() {
    provision(this::pass).run();
    assertRest(1, 2, LATER);
    assertRest(2, FIRST, 0);
    assertRest(FIRST, COUNT, 31 * COST);
  }

  @Test
  void hasAChunkForEachProcessAtOnce() {
    final Provision provision = provision(this::pass);
    provision.look(0, 100);
    provision.run();
    assertRest(2, FIRST + 100, 0);
    assertRest(FIRST + 100, COUNT, 31 * COST);
  }

  @Test
  void isSoonAheadOfTheChunksInUse() {
    final Provision provision = provision(this::pass);
    provision.look(20, 0);
    provision.run();
    assertRest(2, FIRST, 0);
    assertRest(FIRST, 3 * 20, 3 * COST);
    assertRest(3 * 20, COUNT, 31 * COST);
  }

  @Test
  void whatIsNeededEndsItsRest() throws Exception {
    final CountDownLatch rests = new CountDownLatch(1);
    final CountDownLatch restsAgain = new CountDownLatch(1);
    final Provision provision =
        provision(
            nanos -> {
              if (nanos == LATER) {
                pass(nanos);
              } else {
                (provided.size() == FIRST ? rests : restsAgain).countDown();
                LockSupport.park(); // by its clock no time passes
              }
            });
    final AutoCloseable running = provision.begin();
    assertThat(rests.await(60, TimeUnit.SECONDS)).isTrue();
    provision.look(0, 100);
    assertThat(restsAgain.await(60, TimeUnit.SECONDS)).isTrue();
    running.close();
    assertThat(provided).hasSize(FIRST + 100);
  }

  @Test
  void withholdsWhatGetsNoMemory() {
    lacking = 7;
    provision(this::pass).run();
    assertThat(withheld).containsExactly(7);
    assertThat(provided).hasSize(7);
  }
}
