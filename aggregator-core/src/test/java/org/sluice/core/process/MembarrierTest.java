package org.sluice.core.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.sluice.core.libc.Errno;

class MembarrierTest {
  @Test
  void runsWhereItIsAvailable() {
    if (Membarrier.isAvailable()) {
      assertThatCode(Membarrier::run).doesNotThrowAnyException();
    } else {
      assertThatThrownBy(Membarrier::run).hasMessageContaining("membarrier");
    }
  }

  @Test
  void answersWhatTheKernelCan() {
    assertThat(Membarrier.membarrier(-1)).as("no such command").isEqualTo(-Errno.EINVAL);
  }
}
