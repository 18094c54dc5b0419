package org.sluice.iop.waves;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log of waves on a disk that gets full. */
class WaveLogTest {
  @TempDir Path store;

  @Test
  void whatFollowsALineThatCouldNotBeWrittenWholeIsRead() throws Exception {
    final WaveFiles files = WaveFiles.ofNode(store);
    final WaveLog log = new WaveLog(store);
    Files.createDirectory(files.log());
    log.begun(new WaveFigures(1, "c3", 2));
    Files.delete(files.log());
    Files.writeString(files.log(), "{\"what\":\"beg", StandardOpenOption.CREATE_NEW);
    log.begun(new WaveFigures(2, "c3", 2));
    assertThat(files.lines()).singleElement().extracting(line -> line.get("wave")).isEqualTo(2L);
  }
}
