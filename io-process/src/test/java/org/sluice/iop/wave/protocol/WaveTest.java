package org.sluice.iop.wave.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a coordinator says, and when. */
class WaveTest {
  private static final long WORLD = 0; // as the layer names MPI_COMM_WORLD
  private static final Stream TO_ONE = new Stream(WORLD, 0, 1, 7);

  private static Marker marker(
      final int rank, final long sent, final long got, final long entered) {
    return new Marker(
        rank,
        rank == 0 ? Map.of(TO_ONE, sent) : Map.of(),
        rank == 1 ? Map.of(TO_ONE, got) : Map.of(),
        Map.of(WORLD, entered),
        List.of());
  }

  @Test
  void theLineIsThereWithTheLastMarker() {
    final C3Wave wave = new C3Wave(2, 100);
    assertThat(wave.marker(marker(1, 0, 3, 2))).isEmpty();
    final Line line = wave.marker(marker(0, 5, 0, 4)).orElseThrow();
    assertThat(line.expect(1))
        .isEqualTo(new Expect(Map.of(TO_ONE, 5L), Map.of(WORLD, 4L), Map.of()));
    assertThat(line.expect(0).late()).isEmpty();
    assertThat(line.expect(1).isLate(new Message(TO_ONE, 5))).isTrue();
    assertThat(line.expect(1).isLate(new Message(TO_ONE, 6))).isFalse();
    assertThat(line.expect(1).straddles(new Collective(WORLD, 4))).isTrue();
    assertThat(line.expect(1).straddles(new Collective(WORLD, 5))).isFalse();
  }

  @Test
  void aRankLearnsHowManyEarlyMessagesItHas() {
    final C3Wave wave = new C3Wave(2, 100);
    wave.marker(marker(1, 0, 7, 2));
    final Line line = wave.marker(marker(0, 5, 0, 2)).orElseThrow();
    assertThat(line.expect(1).early()).isEqualTo(Map.of(TO_ONE, 2L));
    assertThat(line.expect(0).early()).isEmpty();
  }

  @Test
  void allAreToldToStopWhenTheLastOneIsReady() {
    final C3Wave wave = new C3Wave(2, 100);
    assertThat(wave.ready(1)).isFalse();
    assertThat(wave.ready(1)).isFalse();
    assertThat(wave.ready(0)).isTrue();
    assertThat(wave.ready(0)).isFalse();
  }

  @Test
  void recordingsComeInTheOrderOfTheRanks() {
    final C3Wave wave = new C3Wave(2, 100);
    final Recording zero = new Recording(0, List.of(), Map.of(), List.of());
    final Recording one = new Recording(1, List.of(), Map.of(), List.of());
    assertThat(wave.stopped(one)).isEmpty();
    assertThat(wave.stopped(zero)).contains(List.of(zero, one));
  }

  @Test
  void whenPatienceIsOverTheWaveNamesWhoIsMissing() {
    final C3Wave wave = new C3Wave(3, 100);
    wave.marker(marker(1, 0, 0, 0));
    wave.look(99);
    assertThat(wave.hasEnded()).isFalse();
    wave.look(100);
    assertThat(wave.reason()).isEqualTo("no sluice_potential_checkpoint() reached by rank 0, 2");
    assertThat(wave.marker(marker(0, 0, 0, 0))).isEmpty();
    assertThat(wave.marker(marker(2, 0, 0, 0))).isEmpty();
    wave.commit();
    assertThat(wave.reason()).isNotEmpty();
  }

  @Test
  void aCommittedWaveIsNotGivenUp() {
    final C3Wave wave = new C3Wave(1, 100);
    wave.commit();
    wave.look(1000);
    assertThat(wave.reason()).isEmpty();
    assertThat(wave.hasEnded()).isTrue();
  }

  @Test
  void theSpotLiesBeyondTheFarthestRank() {
    final PclWave wave = new PclWave(2, 4, 100);
    assertThat(wave.counted(0, 9)).isZero();
    assertThat(wave.counted(1, 3)).isEqualTo(13);
  }

  @Test
  void spotsOnBothSidesOfACollectiveEndTheWave() {
    final PclWave wave = new PclWave(2, 4, 100);
    assertThat(wave.stopped(marker(0, 0, 0, 2))).isEmpty();
    assertThat(wave.stopped(marker(1, 0, 0, 3))).isEmpty();
    assertThat(wave.reason()).isEqualTo("ranks would stop on both sides of a collective");
    assertThat(wave.drained(0) || wave.drained(1)).isFalse();
  }
}
