package org.sluice.profile.tune;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.command.CommandResult;

/** {@code sluice tune} from outside. */
class TuneCommandTest {
  @TempDir private Path directory;

  @Test
  void recommendsASettingAndMakesItTheDefault() throws Exception {
    final Path measured = Files.createDirectory(directory.resolve("measured"));
    final Path configuration = directory.resolve("config");
    final CommandResult tune =
        CommandResult.of(
            Map.of("XDG_CONFIG_HOME", configuration.toString()),
            "tune",
            "--no-replay",
            "--json",
            "--write-config",
            "--dir",
            measured.toString(),
            "--workload",
            "lu");
    assertThat(tune.err()).isEmpty();
    assertThat(tune.status()).isZero();
    final Map<String, Object> answer = JSON.std.mapFrom(tune.out());
    assertThat(answer)
        .containsEntry("processes", 8)
        .containsEntry("writes", 7800)
        .containsEntry("complete", true);
    assertThat((List<?>) answer.get("costs")).hasSize(8);
    final Map<?, ?> recommendation = (Map<?, ?>) answer.get("recommendation");
    assertThat(((Number) recommendation.get("buffer")).longValue()).isPositive();
    assertThat(Files.readString(configuration.resolve("sluice/defaults.properties")))
        .contains("sluice.threshold=", "sluice.buffer=");
    assertThat(files(measured)).isEmpty();
  }

  @Test
  void saysWhatItMeasuredAndEndsWithARecommendation() throws Exception {
    final CommandResult tune =
        CommandResult.of(
            Map.of(), "tune", "--no-replay", "--workload", "cg", "--dir", directory.toString());
    assertThat(tune.err()).isEmpty();
    assertThat(tune.out())
        .contains("8 processes, 6560 writes")
        .containsPattern("4.0K +[0-9.]+ +[0-9.]+ +[0-9.]+\n")
        .containsPattern("Take threshold auto and buffer 256M, .* was replayed, .*\\.\n$");
  }

  @Test
  void wantsATraceOrAWorkload() throws Exception {
    assertThat(CommandResult.of("tune").status()).isEqualTo(2);
    assertThat(CommandResult.of("tune", "--workload", "zz").status()).isEqualTo(2);
    final CommandResult nowhere =
        CommandResult.of("tune", "--workload", "lu", "--dir", directory + "/nowhere");
    assertThat(nowhere.status()).isEqualTo(1);
    assertThat(nowhere.err()).contains("nowhere is not a directory; --dir");
  }

  private static List<Path> files(final Path in) throws IOException {
    try (Stream<Path> files = Files.list(in)) {
      return files.toList();
    }
  }
}
