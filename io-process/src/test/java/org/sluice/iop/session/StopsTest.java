package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class StopsTest {
  private final List<Integer> exits = new CopyOnWriteArrayList<>();
  private final List<String> told = new CopyOnWriteArrayList<>();
  private final Stops stops = new Stops(exits::add);

  /**
   * A start that went on while the JVM ends would make files while they are removed, and a session
   * that began meanwhile would be kept.
   */
  @Test
  void aSignalBeforeTheSessionWaitsForTheStartAndNothingIsKept() throws Exception {
    final Thread signal = Thread.ofPlatform().daemon().start(() -> stops.arrived("INT"));
    while (signal.getState() != Thread.State.TIMED_WAITING) {
      assertThat(signal.isAlive()).isTrue();
      Thread.onSpinWait();
    }
    assertThat(exits).isEmpty();
    final Thread starting =
        Thread.ofPlatform().daemon().start(() -> stops.pass(() -> told.add("kept"), told::add));
    signal.join();
    assertThat(exits).containsExactly(130);
    assertThat(starting.isAlive()).isTrue();
    assertThat(told).isEmpty();
  }

  @Test
  void aSignalBehindItEndsTheSession() {
    stops.pass(() -> told.add("kept"), told::add);
    stops.arrived("TERM");
    assertThat(told).containsExactly("kept", "TERM");
    assertThat(exits).isEmpty();
  }
}
