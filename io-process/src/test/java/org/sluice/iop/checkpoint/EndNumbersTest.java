package org.sluice.iop.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.sluice.core.series.EndNumber;

/** Storage that takes its time when nodes ask it for a number. */
@Timeout(120)
class EndNumbersTest {
  private final BlockingQueue<Runnable> service = new LinkedBlockingQueue<>();
  private final EndNumbers numbers = new EndNumbers(service::add);
  private final List<Long> agreed = new ArrayList<>();
  private final List<IOException> failures = new ArrayList<>();

  private void serveOne() throws InterruptedException {
    service.poll(60, TimeUnit.SECONDS).run();
  }

  @Test
  void storageThatHangsDoesNotHoldUpWhoAsks() throws InterruptedException {
    final CountDownLatch storage = new CountDownLatch(1);
    numbers.ask(
        () -> {
          try {
            storage.await();
          } catch (final InterruptedException e) {
            throw new IOException(e);
          }
          return new EndNumber(7, "b17");
        },
        said -> agreed.add(said.number()),
        failures::add);
    assertThat(numbers.isAsking()).isTrue();
    assertThat(service).isEmpty();
    storage.countDown();
    serveOne();
    assertThat(numbers.isAsking()).isFalse();
    assertThat(agreed).containsExactly(7L);
    assertThat(failures).isEmpty();
  }

  @Test
  void aRequestThatFailsAndAnAnswerOfWhichNothingComesAreToldOnTheServiceThread()
      throws InterruptedException {
    final IOException ofStorage = new IOException("storage");
    numbers.ask(
        () -> {
          throw ofStorage;
        },
        said -> agreed.add(said.number()),
        failures::add);
    serveOne();
    final IOException ofCommit = new IOException("commit");
    numbers.ask(
        () -> new EndNumber(7, "b17"),
        said -> {
          throw ofCommit;
        },
        failures::add);
    serveOne();
    assertThat(failures).containsExactly(ofStorage, ofCommit);
    assertThat(agreed).isEmpty();
    assertThat(numbers.isAsking()).isFalse();
  }
}
