package org.sluice.profile.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.sluice.profile.trace.Call;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.Origin;
import org.sluice.profile.trace.Route;
import org.sluice.profile.trace.Trace;
import org.sluice.profile.trace.Write;

/** What the model makes of patterns whose cost can be told by hand. */
class ModelTest {
  private static final long MIB = 1 << 20;
  private static final long ALL = Long.MAX_VALUE;

  /** 1 us for a copy and 10 us for a write of 1 MiB and less; the drain takes 100 us for 1 MiB. */
  private static final NodeCosts COSTS =
      new NodeCosts(curve(1_000), curve(10_000), MIB * 1e9 / 100_000, 2);

  private final List<Write> writes = new ArrayList<>();

  private static CostCurve curve(final double nanos) {
    final CostCurve curve = new CostCurve();
    curve.add(64, nanos);
    curve.add(MIB, nanos);
    return curve;
  }

  @Test
  void copiesWhatFitsTheBuffer() throws IOException {
    write(0, 10, MIB, 0);
    final Outcome outcome = play(ALL, 16 * MIB);
    assertThat(outcome.nanos()).isCloseTo(10_000, within(1.0));
    assertThat(outcome.waitedNanos()).isZero();
    assertThat((double) outcome.memory()).isCloseTo(10 * MIB - MIB * 9 / 100.0, within(2.0));
    assertThat(play(MIB, 16 * MIB).nanos()).isCloseTo(100_000, within(1.0));
  }

  @Test
  void waitsForTheDrainWhereTheBufferIsFull() throws IOException {
    for (int rank = 0; rank < 2; rank++) {
      write(rank, 20, MIB, 0);
    }
    final Outcome outcome = play(ALL, 4 * MIB);
    assertThat(outcome.memory()).isEqualTo(4 * MIB);
    assertThat(outcome.nanos()).isCloseTo((40 - 4) * 100_000.0, within(5_000.0));
    assertThat(outcome.waitedNanos()).isGreaterThan(3_000_000);
  }

  @Test
  void drainsInPausesAndDoesNotCountThem() throws IOException {
    write(0, 4, MIB, 0);
    write(0, 4, MIB, 1_000_000_000);
    final Outcome outcome = play(ALL, 4 * MIB);
    assertThat(outcome.nanos()).isCloseTo(8_000, within(1.0));
    assertThat(outcome.waitedNanos()).isZero();
  }

  @Test
  void sharesTheCores() throws IOException {
    for (int rank = 0; rank < 8; rank++) {
      write(rank, 10, 100, 0);
    }
    assertThat(play(64, MIB).nanos()).isCloseTo(10 * 10_000 * 4, within(1.0));
    assertThat(play(ALL, MIB).nanos()).isCloseTo(10 * 1_000 * 4, within(1.0));
  }

  @Test
  void takesTheSmallestBufferThatIsNearlyAsFast() {
    final Outcome plain = new Outcome(Setting.PLAIN, 100e6, 0, 0);
    final Outcome small = new Outcome(new Setting(ALL, 8 * MIB), 50e6, 8 * MIB, 0);
    final Outcome lower = new Outcome(new Setting(65536, 32 * MIB), 10.3e6, 20 * MIB, 0);
    final Outcome middle = new Outcome(new Setting(ALL, 32 * MIB), 10.4e6, 32 * MIB, 0);
    final Outcome large = new Outcome(new Setting(ALL, 64 * MIB), 10e6, 60 * MIB, 0);
    final Recommendation recommendation =
        Recommendation.of(List.of(small, lower, middle, large), plain);
    assertThat(recommendation.chosen()).isEqualTo(middle);
    assertThat(recommendation.sentence())
        .isEqualTo(
            "Take threshold auto and buffer 32M: the processes are in their writes for 10.4 ms, 9.6"
                + " times less than the 100.0 ms of plain writes, and 64M would gain only 0.4 ms.");
    final Outcome fast = new Outcome(Setting.PLAIN, 5e6, 0, 0);
    assertThat(Recommendation.of(List.of(small, large), fast).sentence())
        .startsWith("Aggregation does not pay here");
  }

  @Test
  void interpolatesCosts() {
    final CostCurve curve = new CostCurve();
    curve.add(100, 10);
    curve.add(10_000, 1_000);
    assertThat(curve.nanos(1)).isEqualTo(10);
    assertThat(curve.nanos(100)).isEqualTo(10);
    assertThat(curve.nanos(1_000)).isCloseTo(100, within(0.01));
    assertThat(curve.nanos(20_000)).isEqualTo(2_000);
  }

  private void write(final int rank, final int count, final long size, final long after) {
    final Origin origin = new Origin("node", rank, rank);
    for (int i = 0; i < count; i++) {
      writes.add(new Write(origin, "f", Call.WRITE, Route.PLAIN, after + i, 1, i * size, size));
    }
  }

  private Outcome play(final long threshold, final long buffer) throws IOException {
    final Trace trace =
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
    return new Model(Pattern.of(trace), COSTS).play(new Setting(threshold, buffer));
  }
}
