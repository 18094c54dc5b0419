package org.sluice.iop.wave.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LineTest {
  private static final int RANKS = 512;

  private static Stream stream(final int source, final int destination) {
    return new Stream(0, source, destination, 7);
  }

  /** To each one after it, it has sent one that is late, and one before its time to the others. */
  private static Marker marker(final int rank) {
    final Map<Stream, Long> sent = new HashMap<>();
    final Map<Stream, Long> got = new HashMap<>();
    for (int peer = 0; peer < RANKS; peer++) {
      sent.put(stream(rank, peer), rank < peer ? 2L : 1L);
      got.put(stream(peer, rank), rank < peer ? 2L : 1L);
    }
    return new Marker(rank, sent, got, Map.of(0L, 1L), List.of());
  }

  private static long processorSeconds() {
    return TimeUnit.NANOSECONDS.toSeconds(
        ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime());
  }

  /** What each rank is told came to be looked for in the streams of all. */
  @Test
  void whatAllRanksOfALargeJobAreToldTakesNoTime() {
    final List<Marker> markers = IntStream.range(0, RANKS).mapToObj(LineTest::marker).toList();
    final long before = processorSeconds();
    final Line line = new Line(markers);
    for (int rank = 0; rank < RANKS; rank++) {
      assertThat(line.expect(rank).late()).hasSize(rank);
      assertThat(line.expect(rank).early()).hasSize(RANKS - 1 - rank);
      assertThat(line.suppressed(rank)).hasSize(rank);
    }
    assertThat(line.expect(1).late()).containsExactly(Map.entry(stream(0, 1), 2L));
    assertThat(line.suppressed(1)).containsExactly(Map.entry(stream(1, 0), 2L));
    assertThat(processorSeconds() - before).isLessThan(10);
  }
}
