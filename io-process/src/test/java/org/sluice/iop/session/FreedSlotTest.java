package org.sluice.iop.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.sluice.core.segment.Geometry;

/**
 * A slot that a process gives up is free at once: a process asks anew when its rank has changed.
 */
@Isolated("Processes that others start have the sockets of this JVM open, until they execute.")
class FreedSlotTest extends SharedServeTest {
  @Test
  void detachedSlotIsGivenToTheNextProcess() throws Exception {
    try (ServeProcess serve = serve("files")) {
      final RawProcess first = RawProcess.attach(serve.directory());
      final int slot = first.slot();
      first.close();
      try (RawProcess second = RawProcess.attach(serve.directory())) {
        assertThat(second.slot()).isEqualTo(slot);
      }
    }
  }

  @Test
  void aProcessThatGivesUpTheLastSlotGetsItAgainAtOnce() throws Exception {
    final ServeProcess serve = shared("files");
    final List<RawProcess> all = new ArrayList<>();
    try {
      while (all.size() < Geometry.DEFAULT_SLOTS) {
        all.add(RawProcess.attach(serve.directory()));
      }
      for (int again = 0; again < 20; again++) {
        all.removeLast().close();
        all.add(RawProcess.attach(serve.directory()));
      }
    } finally {
      for (final RawProcess each : all) {
        each.close();
      }
    }
  }
}
