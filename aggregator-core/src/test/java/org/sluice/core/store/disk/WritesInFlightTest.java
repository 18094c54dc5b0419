package org.sluice.core.store.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sluice.core.fault.Fault.Step;

class WritesInFlightTest {
  private static final int COUNT = 8;

  private final WritesInFlight flight = new WritesInFlight();

  @AfterEach
  void close() {
    flight.close();
  }

  @Test
  void allAreUnderWayAtATime() {
    final CyclicBarrier allHere = new CyclicBarrier(COUNT);
    final List<Step<IOException>> writes = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      writes.add(() -> meet(allHere));
    }
    assertThat(flight.failures(writes)).hasSize(COUNT).containsOnlyNulls();
  }

  private static void meet(final CyclicBarrier others) throws IOException {
    try {
      others.await(60, TimeUnit.SECONDS);
    } catch (final InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new IOException(e);
    }
  }

  @Test
  void thoseBehindAFailedOneAreDone() {
    final IOException failure = new IOException("full");
    final AtomicInteger done = new AtomicInteger();
    final List<Step<IOException>> writes =
        List.of(
            done::incrementAndGet,
            () -> {
              throw failure;
            },
            done::incrementAndGet);
    assertThat(flight.failures(writes)).containsExactly(null, failure, null);
    assertThat(done).hasValue(2);
  }

  @Test
  void anInterruptedUserWaitsAllTheSame() {
    final AtomicInteger done = new AtomicInteger();
    final Step<IOException> slow =
        () -> {
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
          done.incrementAndGet();
        };
    Thread.currentThread().interrupt();
    assertThat(flight.failures(List.of(slow, slow))).containsOnlyNulls();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(done).hasValue(2);
  }

  @Test
  void oneAloneIsDoneByItsUser() {
    final List<Thread> threads = new ArrayList<>();
    assertThat(flight.failures(List.of(() -> threads.add(Thread.currentThread()))))
        .containsOnlyNulls();
    assertThat(threads).containsExactly(Thread.currentThread());
  }

  @Test
  void aFaultOfOursReachesTheUser() {
    final Step<IOException> wrong =
        () -> {
          throw new IllegalArgumentException("wrong");
        };
    assertThatThrownBy(() -> flight.failures(List.of(wrong, wrong))).hasRootCauseMessage("wrong");
  }
}
