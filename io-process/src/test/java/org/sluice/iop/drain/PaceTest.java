package org.sluice.iop.drain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the kernel says of a thread that keeps the pace. */
class PaceTest {
  private static final int NICE_FIELD = 16;
  private static final int POLICY_FIELD = 38;
  private static final String OTHER = "0";
  private static final String BATCH = "3";
  private static final long LIMIT = 1000;

  private long now;
  private final Pace pace = new Pace(() -> now);

  private void pass(final long millis) {
    now += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** A field of proc_pid_stat(5), of which the thread's name, the second, may hold blanks. */
  private static String field(final int index) throws IOException {
    final String stat = Files.readString(Path.of("/proc/thread-self/stat"));
    return stat.substring(stat.lastIndexOf(')') + 2).split(" ")[index];
  }

  /** Runs in a thread of its own, whose nice value cannot be taken back. */
  private static void inThread(final Step step) throws InterruptedException {
    final Throwable[] failure = {null};
    final Thread thread =
        Thread.ofPlatform()
            .uncaughtExceptionHandler((any, thrown) -> failure[0] = thrown)
            .start(
                () -> {
                  try {
                    step.run();
                  } catch (final IOException e) {
                    throw new IllegalStateException(e);
                  }
                });
    thread.join();
    assertThat(failure[0]).isNull();
  }

  private interface Step {
    void run() throws IOException;
  }

  @Test
  void ranksThatWriteLoseNoProcessorToTheDrain() throws InterruptedException {
    inThread(
        () -> {
          pace.join();
          pace.written();
          assertThat(pace.look(true, false, false, LIMIT)).isLessThan(LIMIT);
          assertThat(field(POLICY_FIELD)).isEqualTo(BATCH);
        });
  }

  @Test
  void whatIsLeftWhenAllAreClosedIsHurriedUntilItIsDone() throws InterruptedException {
    inThread(
        () -> {
          pace.join();
          pace.written();
          assertThat(pace.look(false, true, false, LIMIT)).isLessThan(LIMIT);
          assertThat(field(POLICY_FIELD)).isEqualTo(OTHER);
          assertThat(pace.look(false, false, true, LIMIT)).isEqualTo(LIMIT);
          assertThat(field(POLICY_FIELD)).isEqualTo(BATCH);
        });
  }

  @Test
  void aFileHeldOpenDoesNotStarveTheDrain() throws InterruptedException {
    inThread(
        () -> {
          pace.join();
          pace.written();
          pass(pace.look(true, false, false, LIMIT));
          pace.look(true, false, false, LIMIT);
          assertThat(field(POLICY_FIELD)).isEqualTo(OTHER);
          pace.written();
          pace.look(true, false, false, LIMIT);
          assertThat(field(POLICY_FIELD)).isEqualTo(BATCH);
        });
  }

  @Test
  void ranksThatHaveNotBegunLoseNoProcessorEither() throws InterruptedException {
    inThread(
        () -> {
          pace.join();
          pace.written();
          final long next = pace.look(false, false, false, LIMIT);
          assertThat(field(POLICY_FIELD)).isEqualTo(BATCH);
          pass(next - 1);
          pace.look(false, false, false, LIMIT);
          assertThat(field(POLICY_FIELD)).isEqualTo(BATCH);
          pass(1);
          pace.look(false, false, false, LIMIT);
          assertThat(field(POLICY_FIELD)).isEqualTo(OTHER);
        });
  }

  @Test
  void aThreadKeepsItsNiceValue() throws InterruptedException {
    inThread(
        () -> {
          final String born = field(NICE_FIELD);
          pace.join();
          assertThat(field(NICE_FIELD)).isEqualTo(born);
          pace.look(true, false, false, LIMIT);
          assertThat(field(NICE_FIELD)).isEqualTo(born);
          pace.look(false, true, false, LIMIT);
          assertThat(field(NICE_FIELD)).isEqualTo(born);
        });
  }
}
