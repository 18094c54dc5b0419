package org.sluice.iop.outside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class AnswersTest {
  private static final long LOOK = TimeUnit.SECONDS.toNanos(3);

  private final Answers answers = new Answers();

  @Test
  void aGuardThatWaitsForAProcessorIsNotSilentHoweverLong() {
    for (int n = 1; n <= 100; n++) {
      assertThat(answers.isDue(n * LOOK)).isTrue();
      assertThat(answers.look(n * LOOK, true)).isFalse();
    }
  }

  @Test
  void aGuardThatLeavesThreeLooksUnansweredIsSilent() {
    assertThat(answers.look(LOOK, false)).isFalse();
    assertThat(answers.look(2 * LOOK, true)).isFalse();
    assertThat(answers.look(3 * LOOK, false)).isFalse();
    assertThat(answers.isDue(4 * LOOK - 1)).isFalse();
    assertThat(answers.look(4 * LOOK, false)).isTrue();
  }

  @Test
  void anAnswerCountsForAllBefore() {
    for (int n = 1; n <= 100; n++) {
      assertThat(answers.look(n * LOOK, false)).isFalse();
      answers.come();
    }
  }

  @Test
  @Timeout(30)
  void onlyAProcessThatCouldRunIsStarved() throws IOException, InterruptedException {
    expectStarved(true, "sh", "-c", "while :; do :; done");
    expectStarved(false, "sleep", "600");
    expectStarved(false, "sh", "-c", "kill -STOP $$");
  }

  private static void expectStarved(final boolean expected, final String... command)
      throws IOException, InterruptedException {
    final Process process = new ProcessBuilder(command).start();
    try {
      while (GuardProcess.isStarved((int) process.pid()) != expected) {
        Thread.sleep(1); // it has yet to begin
      }
    } finally {
      process.destroyForcibly();
    }
  }
}
