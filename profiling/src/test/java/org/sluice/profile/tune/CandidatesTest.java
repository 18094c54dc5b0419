package org.sluice.profile.tune;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.sluice.profile.trace.Call;
import org.sluice.profile.trace.CallTime;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.Route;
import org.sluice.profile.trace.Survey;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.TracedProcess;
import org.sluice.profile.trace.Write;

/** What is worth a replay, for patterns whose demand can be told by hand. */
class CandidatesTest {
  private static final long MIB = 1 << 20;
  private static final long ALL = Long.MAX_VALUE;
  private static final long SECOND = 1_000_000_000;

  private final List<Write> writes = new ArrayList<>();
  private final Trace trace =
      new Trace() {
        @Override
        public String kind() {
          return "list";
        }

        @Override
        public Omissions read(final Consumer<Write> sink) {
          writes.forEach(sink);
          return new Omissions();
        }
      };

  @Test
  void theBufferHoldsWhatIsWrittenBetweenTwoPauses() throws IOException {
    for (int rank = 0; rank < 2; rank++) {
      write(rank, 100, 100_000, 0);
      write(rank, 200, 100_000, SECOND);
    }
    assertThat(Demand.of(trace, List.of(ALL, 100_000L)).bytes(0)).isEqualTo(40_000_000);
    assertThat(Demand.of(trace, List.of(ALL, 100_000L)).bytes(1)).isZero();
    assertThat(candidates())
        .containsExactly(
            new Setting(ALL, 64 * MIB), new Setting(ALL, 32 * MIB), new Setting(ALL, 16 * MIB));
  }

  @Test
  void largeWritesMayGoDirect() throws IOException {
    write(0, 30, MIB, 0);
    write(0, 10, 1000, 0);
    assertThat(candidates())
        .containsExactly(
            new Setting(ALL, 64 * MIB),
            new Setting(ALL, 32 * MIB),
            new Setting(ALL, 16 * MIB),
            new Setting(MIB, 8 * MIB));
  }

  @Test
  void ofALargeTraceEachProcessKeepsItsBeginning() throws IOException {
    write(0, 10, 100, 0);
    write(1, 2, 100, 0);
    final Survey survey = Survey.of(trace);
    assertThat(Excerpt.of(trace, survey, 1200)).isSameAs(trace);
    final List<Write> kept = new ArrayList<>();
    Excerpt.of(trace, survey, 500).read(kept::add);
    assertThat(kept).extracting(write -> write.origin().rank()).containsExactly(0, 0, 0, 1, 1);
    assertThat(kept.get(2)).isEqualTo(writes.get(2));
  }

  private List<Setting> candidates() throws IOException {
    return Candidates.of(trace, Survey.of(trace));
  }

  private void write(final int rank, final int count, final long size, final long after) {
    final TracedProcess origin = new TracedProcess("node", rank, rank);
    for (int i = 0; i < count; i++) {
      writes.add(
          new Write(
              origin, "f", Call.WRITE, Route.PLAIN, new CallTime(after + i, 1), i * size, size));
    }
  }
}
