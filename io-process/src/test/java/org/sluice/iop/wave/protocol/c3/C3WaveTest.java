package org.sluice.iop.wave.protocol.c3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sluice.core.fault.FaultPoint;
import org.sluice.iop.wave.protocol.Collective;
import org.sluice.iop.wave.protocol.Control;
import org.sluice.iop.wave.protocol.Crossing;
import org.sluice.iop.wave.protocol.Expect;
import org.sluice.iop.wave.protocol.Line;
import org.sluice.iop.wave.protocol.Marker;
import org.sluice.iop.wave.protocol.Message;
import org.sluice.iop.wave.protocol.Order;
import org.sluice.iop.wave.protocol.Recorded;
import org.sluice.iop.wave.protocol.Stream;

/** What a coordinator of C3 says, and when. */
class C3WaveTest {
  private static final long WORLD = 0; // as the layer names MPI_COMM_WORLD
  private static final Stream TO_ONE = new Stream(WORLD, 0, 1, 7);
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private static Marker marker(
      final int rank, final long sent, final long got, final long entered) {
    return new Marker(
        rank,
        rank == 0 ? Map.of(TO_ONE, sent) : Map.of(),
        rank == 1 ? Map.of(TO_ONE, got) : Map.of(),
        Map.of(WORLD, entered),
        List.of());
  }

  private static ByteBuffer longs(final long... values) {
    final ByteBuffer bytes =
        ByteBuffer.allocate(values.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (final long value : values) {
      bytes.putLong(value);
    }
    return bytes.flip();
  }

  @Test
  void theLineIsThereWithTheLastMarker() {
    final C3Wave wave = new C3Wave(2);
    assertThat(wave.marker(marker(1, 0, 3, 2))).isEmpty();
    final Line line = wave.marker(marker(0, 5, 0, 4)).orElseThrow();
    assertThat(line.expect(1))
        .isEqualTo(new Expect(Map.of(TO_ONE, 5L), Map.of(WORLD, 4L), Map.of()));
    assertThat(line.expect(0).late()).isEmpty();
    assertThat(Crossing.isLate(line.expect(1), new Message(TO_ONE, 5))).isTrue();
    assertThat(Crossing.isLate(line.expect(1), new Message(TO_ONE, 6))).isFalse();
    assertThat(Crossing.straddles(line.expect(1), new Collective(WORLD, 4))).isTrue();
    assertThat(Crossing.straddles(line.expect(1), new Collective(WORLD, 5))).isFalse();
  }

  @Test
  void aRankLearnsHowManyEarlyMessagesItHas() {
    final C3Wave wave = new C3Wave(2);
    wave.marker(marker(1, 0, 7, 2));
    final Line line = wave.marker(marker(0, 5, 0, 2)).orElseThrow();
    assertThat(line.expect(1).early()).isEqualTo(Map.of(TO_ONE, 2L));
    assertThat(line.expect(0).early()).isEmpty();
  }

  @Test
  void allAreToldToStopWhenTheLastOneIsReady() {
    final C3Wave wave = new C3Wave(2);
    assertThat(wave.hear(C3.READY, 1, NOTHING)).isEmpty();
    assertThat(wave.hear(C3.READY, 1, NOTHING)).isEmpty();
    assertThat(wave.hear(C3.READY, 0, NOTHING))
        .singleElement()
        .isInstanceOfSatisfying(
            Order.Step.class,
            step -> {
              assertThat(step.point()).isEqualTo(FaultPoint.MPI_STOP);
              assertThat(step.orders())
                  .singleElement()
                  .isInstanceOfSatisfying(
                      Order.Send.class,
                      send -> {
                        assertThat(send.kind()).isEqualTo(C3.STOP);
                        assertThat(send.rank()).isEqualTo(Order.ALL);
                      });
            });
    assertThat(wave.hear(C3.READY, 0, NOTHING)).isEmpty();
  }

  @Test
  void recordingsComeInTheOrderOfTheRanks() {
    final C3Wave wave = new C3Wave(2);
    final Recording zero = new Recording(0, List.of(), Map.of(), List.of());
    final Recording one = new Recording(1, List.of(), Map.of(), List.of());
    assertThat(wave.stopped(one)).isEmpty();
    assertThat(wave.stopped(zero)).contains(List.of(zero, one));
  }

  /** A late message that no rank recorded. */
  @Test
  void aWaveThatCannotBeRepeatedIsGivenUp() {
    final C3Wave wave = new C3Wave(2);
    wave.marker(marker(0, 1, 0, 0));
    wave.marker(marker(1, 0, 0, 0));
    assertThat(wave.hear(C3.STOPPED, 0, longs(0, 0, 0, 0))).isEmpty();
    assertThat(wave.hear(C3.STOPPED, 1, longs(1, 0, 0, 0)))
        .singleElement()
        .isInstanceOfSatisfying(
            Order.Step.class,
            step ->
                assertThat(step.orders())
                    .singleElement()
                    .isInstanceOfSatisfying(
                        Order.GiveUp.class,
                        order ->
                            assertThat(order.why())
                                .startsWith("what was recorded cannot be repeated: late")));
    assertThat(wave.kept()).isEqualTo(64);
  }

  @Test
  void imagesAreCompleteWithTheRecordAndNotBefore() {
    final C3Wave wave = new C3Wave(2);
    assertThat(wave.hear(Control.TAKEN, 1, longs(10, 1, 0, 0, 0, 0, 0, 0))).isEmpty();
    assertThat(wave.hear(C3.WRITTEN, 1, longs(5, 2, 4, 1, 6, 3)))
        .isEqualTo(
            Order.Step.of(
                FaultPoint.MPI_IMAGE, new Order.Complete(1, new Recorded(7, 4, 1, 6, 3))));
  }

  @Test
  void aWaveNamesWhoIsMissing() {
    final C3Wave wave = new C3Wave(3);
    wave.marker(marker(1, 0, 0, 0));
    assertThat(wave.waiting()).isEqualTo("no sluice_potential_checkpoint() reached by rank 0, 2");
  }

  @Test
  void aMessageOfAnotherProtocolIsRefused() {
    assertThatThrownBy(() -> new C3Wave(2).hear(2, 0, longs(5)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
