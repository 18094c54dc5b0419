package org.sluice.core.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LauncherTest {
  /** The cases that the C client is tested with as well. */
  static Stream<String> cases() throws IOException {
    try (BufferedReader file =
        new BufferedReader(
            new InputStreamReader(
                LauncherTest.class.getResourceAsStream("/golden/launcher.txt"),
                StandardCharsets.UTF_8))) {
      return file.lines().filter(line -> !line.startsWith("#")).toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void ranksOfThisNodeComeFromTheLauncher(final String line) {
    final List<String> words = Arrays.asList(line.split(" "));
    final Map<String, String> environment = new HashMap<>();
    for (final String word : words.subList(2, words.size())) {
      final int end = word.indexOf('=');
      environment.put(word.substring(0, end), word.substring(end + 1));
    }
    assertThat(new Launcher(environment).localRanks(Integer.parseInt(words.get(0))))
        .isEqualTo(Integer.parseInt(words.get(1)));
  }
}
