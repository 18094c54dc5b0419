package org.sluice.iop.wave.protocol.pcl;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sluice.iop.wave.protocol.Control;
import org.sluice.iop.wave.protocol.Line;
import org.sluice.iop.wave.protocol.Marker;
import org.sluice.iop.wave.protocol.Order;
import org.sluice.iop.wave.protocol.Verdict;

/** What a coordinator of Pcl says, and when. */
class PclWaveTest {
  private static final long PATIENCE = 60_000_000_000L;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final String HELD_STILL =
      "no sluice_potential_checkpoint() reached by rank 0, while others held still";
  private final StopSpot spot = new StopSpot(PATIENCE);

  private static ByteBuffer longs(final long... values) {
    final ByteBuffer bytes =
        ByteBuffer.allocate(values.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (final long value : values) {
      bytes.putLong(value);
    }
    return bytes.flip();
  }

  private static ByteBuffer marker(final int rank, final long entered) {
    return longs(rank, 0, 0, 1, 0, entered, 0);
  }

  /** The orders that are no steps. */
  private static List<Order> flat(final List<? extends Order> orders) {
    final List<Order> all = new ArrayList<>();
    for (final Order order : orders) {
      if (order instanceof final Order.Step step) {
        all.addAll(flat(step.orders()));
      } else {
        all.add(order);
      }
    }
    return all;
  }

  @Test
  void theSpotLiesBeyondTheFarthestRank() {
    final PclWave wave = new PclWave(2, spot);
    assertThat(wave.counted(0, 9)).isZero();
    assertThat(wave.counted(1, 3)).isEqualTo(10);
  }

  @Test
  void spotsOnBothSidesOfACollectiveEndTheWave() {
    final PclWave wave = new PclWave(2, spot);
    assertThat(flat(wave.hear(Control.MARKER, 0, marker(0, 2)))).isEmpty();
    assertThat(flat(wave.hear(Control.MARKER, 1, marker(1, 3))))
        .containsExactly(new Order.GiveUp("ranks would stop on both sides of a collective"));
    assertThat(wave.verdict())
        .contains(new Verdict(false, "spots lie on both sides of collectives"));
  }

  @Test
  void aWaveThatCanBeTakenTellsEachRankWhatToExpect() {
    final PclWave wave = new PclWave(2, spot);
    wave.hear(Control.MARKER, 0, marker(0, 2));
    assertThat(flat(wave.hear(Control.MARKER, 1, marker(1, 2))))
        .extracting(order -> ((Order.Send) order).rank())
        .containsExactly(0, 1);
    assertThat(
            wave.check(new Line(List.of(new Marker(0, Map.of(), Map.of(), Map.of(), List.of())))))
        .isEmpty();
    assertThat(wave.verdict()).isEmpty();
  }

  @Test
  void aSpotThatIsHeardOfTooLateIsTriedFartherOnForSomeTimes() {
    for (int i = 0; i < 7; i++) {
      final PclWave wave = new PclWave(2, spot);
      assertThat(wave.passed(1).again()).isTrue();
      assertThat(wave.verdict()).isEmpty();
    }
    final PclWave wave = new PclWave(2, spot);
    wave.passed(1);
    assertThat(wave.verdict())
        .contains(new Verdict(false, "ranks pass spots faster than they hear of them"));
  }

  @Test
  void aRankThatStoodForTooLongLetsTheNextWaveWait() {
    assertThat(standForNothing(spot)).isEqualTo(new Order.GiveUp(HELD_STILL, true, 1_500_000_000));
  }

  @Test
  void oncePatienceAllowsNoLongerStandTheNextWaveIsNotDueBeforeItsTime() {
    final StopSpot impatient = new StopSpot(2_000_000_000L);
    assertThat(standForNothing(impatient))
        .isEqualTo(new Order.GiveUp(HELD_STILL, true, 1_500_000_000));
    assertThat(standForNothing(impatient))
        .isEqualTo(new Order.GiveUp(HELD_STILL, false, 3_000_000_000L));
  }

  @Test
  void ranksStandForAsLongAsTheyNeededToHearOfAllOthers() throws InterruptedException {
    final PclWave wave = new PclWave(2, spot);
    wave.hear(Control.MARKER, 0, marker(0, 2));
    wave.hear(Control.MARKER, 1, marker(1, 2));
    wave.hear(Pcl.DRAINED, 0, NOTHING);
    Thread.sleep(300);
    wave.hear(Pcl.DRAINED, 1, NOTHING);
    assertThat(spot.hold()).isGreaterThanOrEqualTo(600_000_000);
  }

  /** The order with which a wave ends in which rank 1 stands, and rank 0 does not come. */
  private static Order standForNothing(final StopSpot spot) {
    final PclWave wave = new PclWave(2, spot);
    wave.hear(Pcl.COUNTED, 0, longs(1));
    wave.hear(Pcl.COUNTED, 1, longs(1));
    wave.hear(Control.MARKER, 1, marker(1, 0));
    final List<? extends Order> orders = wave.hear(Pcl.STOOD, 1, NOTHING);
    assertThat(wave.verdict())
        .contains(new Verdict(false, "ranks do not come to one spot in time"));
    assertThat(orders).hasSize(1);
    return orders.getFirst();
  }
}
