package org.sluice.iop.wave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log of waves on a disk that gets full. */
class WaveLogTest {
  @TempDir Path store;

  @Test
  void reasonsAreReadAsTheyWereWritten() throws Exception {
    final WaveLog log = new WaveLog(store);
    log.givenUp(new WaveFigures(1, "c3", 2), "rank 1: größe", false);
    final byte[] all = Files.readAllBytes(WaveFiles.ofNode(store).log());
    Files.write(WaveFiles.ofNode(store).log(), new byte[] {'{', (byte) 0xc3, '\n'});
    Files.write(WaveFiles.ofNode(store).log(), all, StandardOpenOption.APPEND);
    assertThat(WaveFiles.ofNode(store).lines(damaged -> {}))
        .singleElement()
        .extracting(line -> line.get("why"))
        .isEqualTo("rank 1: größe");
  }

  /**
   * A bit of storage that flips. A line of an older Sluice has no crc, and is as good as others.
   */
  @Test
  void aDamagedLineIsToldAndDeletedByTheNextJob() throws Exception {
    final Path path = WaveFiles.ofNode(store).log();
    Files.writeString(path, "{\"what\":\"begun\",\"checkpoint\":3}\n");
    new WaveLog(store).begun(new WaveFigures(4, "c3", 2));
    final String whole = Files.readString(path);
    Files.writeString(path, whole.replace("\"checkpoint\":4", "\"checkpoint\":5"));
    final List<IOException> damage = new ArrayList<>();
    assertThat(WaveFiles.ofNode(store).lines(damage::add)).hasSize(1);
    assertThat(damage).singleElement().asString().contains("mpi.log", "sluice mpi");
    assertThat(new WaveLog(store).last()).isEqualTo(3);
    damage.clear();
    assertThat(WaveFiles.ofNode(store).lines(damage::add)).hasSize(1);
    assertThat(damage).isEmpty();
  }

  /** They tell who waits for a wave of any node that none comes, or the next one at once. */
  @Test
  void whatBecomesOfARequestIsRead() throws Exception {
    final WaveLog log = new WaveLog(store);
    log.givenUp(new WaveFigures(1, "pcl", 2), "a rank had passed", true);
    log.givenUp(new WaveFigures(2, "pcl", 2), "no", false);
    log.tooLate("rank 1 has come to MPI_Finalize");
    final List<Map<String, Object>> lines = WaveFiles.ofNode(store).lines(damaged -> {});
    assertThat(lines.get(0)).containsEntry("what", "given up").containsEntry("again", true);
    assertThat(lines.get(1)).doesNotContainEntry("again", true);
    assertThat(lines.get(2))
        .containsEntry("what", "refused")
        .containsEntry("why", "rank 1 has come to MPI_Finalize");
  }

  /** A restart finds the wave that was committed last by the line that says it was begun. */
  @Test
  void ofALogOfMonthsTheLastLinesStayAndWhatARestartNeeds() throws Exception {
    final WaveLog first = new WaveLog(store);
    final WaveFiles files = WaveFiles.ofNode(store);
    first.begun(new WaveFigures(1, "c3", 2));
    Files.writeString(
        files.log(),
        "{\"what\":\"committed\",\"checkpoint\":1,\"chosen\":\"c3\"}\n",
        StandardOpenOption.APPEND);
    final StringBuilder old = new StringBuilder();
    for (int wave = 2; wave <= 6000; wave++) {
      old.append("{\"what\":\"begun\",\"checkpoint\":%d}\n".formatted(wave));
      old.append("{\"what\":\"given up\",\"checkpoint\":%d}\n".formatted(wave));
    }
    Files.writeString(files.log(), old, StandardOpenOption.APPEND);
    new WaveLog(store).givenUp(new WaveFigures(6001, "c3", 2), "no", false);
    assertThat(files.lines(damaged -> {})).hasSize(5002);
    assertThat(files.lines(damaged -> {}).getFirst())
        .containsEntry("what", "begun")
        .containsEntry("checkpoint", 1L);
    final WaveLog next = new WaveLog(store);
    assertThat(next.last()).isEqualTo(6001);
    assertThat(next.chosen()).isEqualTo("c3");
    assertThat(next.open()).isEmpty();
  }

  @Test
  void whatFollowsALineThatCouldNotBeWrittenWholeIsRead() throws Exception {
    final WaveFiles files = WaveFiles.ofNode(store);
    final WaveLog log = new WaveLog(store);
    Files.delete(files.log());
    Files.createDirectory(files.log());
    assertThatThrownBy(() -> log.begun(new WaveFigures(1, "c3", 2)))
        .isInstanceOf(IOException.class);
    Files.delete(files.log());
    Files.writeString(files.log(), "{\"what\":\"beg", StandardOpenOption.CREATE_NEW);
    log.begun(new WaveFigures(2, "c3", 2));
    assertThat(files.lines(damaged -> {}))
        .singleElement()
        .extracting(line -> line.get("checkpoint"))
        .isEqualTo(2L);
  }
}
