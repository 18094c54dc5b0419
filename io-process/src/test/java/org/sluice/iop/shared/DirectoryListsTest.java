package org.sluice.iop.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;

/** A directory of which a list takes its time. */
@Timeout(120)
class DirectoryListsTest {
  private final BlockingQueue<Runnable> service = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> storage = new LinkedBlockingQueue<>();
  private final AtomicLong time = new AtomicLong(1000);
  private final List<String> taken = new ArrayList<>();
  private final List<PosixException> failures = new ArrayList<>();
  private int known;

  private final DirectoryLists<String> lists =
      new DirectoryLists<>(
          this::walk,
          service::add,
          time::get,
          (ordinal, list) -> taken.add(ordinal + " " + list),
          failures::add);

  /** Ends once storage answers. */
  private DirectoryLists.Walk<String> walk() {
    final int begun = ++known;
    return () -> {
      final String answer = answer();
      time.addAndGet(5);
      if (answer.equals("failure")) {
        throw new PosixException("open it", Errno.EIO);
      }
      return answer + " of walk " + begun;
    };
  }

  private String answer() {
    try {
      return storage.take();
    } catch (final InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void serveOne() throws InterruptedException {
    service.poll(60, TimeUnit.SECONDS).run();
  }

  @Test
  void storageThatHangsDoesNotHoldUpWhoAsks() throws InterruptedException {
    assertThat(lists.ask()).isEqualTo(1);
    assertThat(lists.ask()).isEqualTo(2);
    assertThat(service).isEmpty();
    storage.add("names");
    serveOne();
    assertThat(taken).containsExactly("1 names of walk 1");
  }

  @Test
  void whatIsAskedForWhileOneIsTakenBeginsBehindIt() throws InterruptedException {
    lists.ask();
    assertThat(List.of(lists.ask(), lists.ask())).containsExactly(2L, 2L);
    assertThat(known).isEqualTo(1);
    storage.add("names");
    serveOne();
    assertThat(known).as("one for both").isEqualTo(2);
    storage.add("more");
    serveOne();
    assertThat(taken).containsExactly("1 names of walk 1", "2 more of walk 2");
    assertThat(known).isEqualTo(2);
  }

  @Test
  void aListIsOfLateForTenTimesAsLongAsItTook() throws InterruptedException {
    assertThat(lists.areOfLate()).isFalse();
    lists.ask();
    assertThat(lists.areOfLate()).as("while it is taken").isTrue();
    storage.add("names");
    serveOne();
    assertThat(lists.areOfLate()).isTrue();
    time.addAndGet(5 * DirectoryLists.SHARE);
    assertThat(lists.areOfLate()).isFalse();
  }

  @Test
  void whoWaitsForAListThatFailsIsToldAndMayAskAgain() throws InterruptedException {
    lists.ask();
    storage.add("failure");
    serveOne();
    assertThat(failures).hasSize(1);
    assertThat(lists.ask()).isEqualTo(2);
    storage.add("names");
    serveOne();
    assertThat(taken).containsExactly("2 names of walk 2");
  }
}
