package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class StopsTest {
  private final List<Integer> exits = new CopyOnWriteArrayList<>();
  private final List<String> told = new CopyOnWriteArrayList<>();
  private final Stops stops = new Stops(exits::add);

  /** The end of the JVM takes its time, and a session that began meanwhile would be kept. */
  @Test
  void nothingIsKeptBehindASignalThatCameBeforeTheSession() throws Exception {
    stops.arrived("INT");
    final Thread starting =
        Thread.ofPlatform().daemon().start(() -> stops.pass(() -> told.add("kept"), told::add));
    starting.join(300);
    assertThat(starting.isAlive()).isTrue();
    assertThat(told).isEmpty();
    assertThat(exits).containsExactly(130);
  }

  @Test
  void aSignalBehindItEndsTheSession() {
    stops.pass(() -> told.add("kept"), told::add);
    stops.arrived("TERM");
    assertThat(told).containsExactly("kept", "TERM");
    assertThat(exits).isEmpty();
  }
}
