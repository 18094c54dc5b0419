package org.sluice.generator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GeneratedTest {
  @Test
  void whatIsThereIsWhatIsGenerated() throws IOException {
    final Path root = Path.of("..");
    for (final Map.Entry<Path, String> each : Generator.files(root).entrySet()) {
      assertThat(root.resolve(each.getKey()))
          .as("run scripts/generate")
          .hasContent(each.getValue());
    }
  }
}
