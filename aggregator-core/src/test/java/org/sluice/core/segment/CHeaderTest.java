package org.sluice.core.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class CHeaderTest {
  @Test
  void committedHeaderIsTheGeneratedOne() {
    assertThat(Path.of("../blcr-bridge/src/main/c/sluice_layout.h")).hasContent(CHeader.text());
  }
}
