package org.sluice.iop.wave;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What of a log tells the fate of a wave that was asked for. */
class AskedWaveTest {
  @Test
  void theFirstWaveBehindTheCallIsIt() {
    assertThat(fate(1, "start", "begun 4", "committed 4")).contains("committed 4");
    assertThat(fate(3, "start", "begun 4", "committed 4")).contains("committed 4");
    assertThat(fate(1, "committed 3", "begun 4", "committed 4")).contains("committed 4");
    assertThat(fate(0, "begun 4", "given up 4", "begun 5", "committed 5")).contains("given up 4");
    assertThat(fate(0, "begun 4", "failed 4")).contains("failed 4");
    assertThat(fate(0, "begun 4")).isEmpty();
  }

  @Test
  void theNextIsItWhereOneIsTriedAgain() {
    assertThat(fate(0, "begun 4", "given up 4 again")).isEmpty();
    assertThat(fate(0, "begun 4", "given up 4 again", "begun 5", "committed 5"))
        .contains("committed 5");
    assertThat(fate(0, "begun 4", "given up 4 again", "begun 5", "given up 5"))
        .contains("given up 5");
    assertThat(fate(0, "begun 4", "given up 4 again", "refused")).contains("refused");
  }

  @Test
  void whatIsGivenUpBeforeTheRequestIsTakenIsNot() {
    assertThat(fate(2, "begun 4", "given up 4")).isEmpty();
    assertThat(fate(3, "begun 4", "given up 4", "restart", "begun 5", "committed 5"))
        .contains("committed 5");
  }

  @Test
  void nothingComesOfOneThatIsRefusedOrLostWithItsJob() {
    assertThat(fate(0, "refused")).contains("refused");
    assertThat(fate(0, "begun 4", "refused", "committed 4")).contains("committed 4");
    assertThat(fate(0, "begun 4", "restart", "begun 5", "committed 5")).contains("restart");
    assertThat(fate(0, "committed 3", "start")).contains("start");
  }

  /** The job took the request, and stands still or was lost with its node. */
  @Test
  @Timeout(50)
  void oneOfWhichNothingIsHeardIsNotWaitedForAnyLonger(@TempDir final Path store) throws Exception {
    final WaveLog log = new WaveLog(store);
    final WaveFigures wave = new WaveFigures(1, "pcl", 2);
    final AskedWave asked = new AskedWave(WaveFiles.ofNode(store), Duration.ofMillis(200));
    log.begun(wave);
    assertThat(asked.end()).isEmpty();
    log.underWay(wave, "rank 1");
    log.failed(wave, "no space");
    assertThat(asked.end()).hasValueSatisfying(end -> assertThat(end).containsKey("why"));
  }

  private static Optional<String> fate(final int taken, final String... lines) {
    final List<Map<String, Object>> log = Arrays.stream(lines).map(AskedWaveTest::line).toList();
    return AskedWave.find(log, taken).map(found -> lines[log.indexOf(found)]);
  }

  private static Map<String, Object> line(final String text) {
    final Map<String, Object> line = new HashMap<>();
    line.put("what", text.replaceAll(" \\d.*", ""));
    if (text.matches(".*\\d.*")) {
      line.put("checkpoint", Long.valueOf(text.replaceAll("\\D", "")));
    }
    if (text.endsWith("again")) {
      line.put("again", true);
    }
    return line;
  }
}
