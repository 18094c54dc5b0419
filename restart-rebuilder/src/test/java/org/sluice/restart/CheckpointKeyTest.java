package org.sluice.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** The words by which users name checkpoints. */
class CheckpointKeyTest {
  @Test
  void tellsNumbersFromNames() {
    assertThat(CheckpointKey.parse("007"))
        .isEqualTo(new CheckpointKey.Numbered(7))
        .hasToString("7");
    assertThat(CheckpointKey.parse("epoch-7"))
        .isEqualTo(new CheckpointKey.Named("epoch-7"))
        .hasToString("called epoch-7");
    assertThatThrownBy(() -> CheckpointKey.parse("a/7")).hasMessageContaining("is no name");
  }
}
