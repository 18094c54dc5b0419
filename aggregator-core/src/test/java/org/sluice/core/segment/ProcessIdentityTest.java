package org.sluice.core.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("The process it starts has the locks of this JVM, until it executes.")
class ProcessIdentityTest {
  @Test
  void processIsAliveUntilItEnds() throws IOException, InterruptedException {
    final Process child = new ProcessBuilder("sleep", "60").start();
    final ProcessIdentity identity = ProcessIdentity.of((int) child.pid()).orElseThrow();
    assertThat(identity.isAlive()).isTrue();

    child.destroyForcibly().waitFor();
    assertThat(identity.isAlive()).isFalse();
  }

  @Test
  void sameProcessIdWithAnotherStartTimeIsAnotherProcess() {
    final ProcessIdentity self = ProcessIdentity.current();

    assertThat(self.isAlive()).isTrue();
    assertThat(new ProcessIdentity(self.pid(), self.startTime() - 1).isAlive()).isFalse();
  }

  @Test
  void nobodyHasAnImpossiblePid() {
    assertThat(ProcessIdentity.of(Integer.MAX_VALUE)).isEmpty();
  }
}
