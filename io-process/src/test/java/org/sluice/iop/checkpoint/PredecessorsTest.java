package org.sluice.iop.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.segment.Layout;
import org.sluice.core.store.node.PosixStore;
import org.sluice.iop.image.Images;
import org.sluice.iop.publish.Publisher;

class PredecessorsTest {
  @TempDir Path folder;

  private Predecessors predecessors() throws IOException {
    try (PosixStore store = PosixStore.create(folder.resolve("store"))) {
      return Predecessors.of(
          "/out",
          store,
          Publisher.ofNode(store),
          1,
          new CheckpointState(new Images(Layout.CONTAINER)));
    }
  }

  @Test
  void aNumberRecursOnceAnotherOneIsDecidedThoughItsCommitIsUnderWay() throws IOException {
    final Predecessors predecessors = predecessors();
    predecessors.commits(0);
    predecessors.committed(0);
    predecessors.commits(1);
    assertThat(predecessors.origin(0).recurs()).isFalse();
    predecessors.commits(0);
    assertThat(predecessors.origin(0).recurs()).isTrue();
    assertThat(predecessors.origin(1).recurs()).isFalse();
  }

  @Test
  void aNumberThatIsOnlyCommittedAgainDoesNotRecur() throws IOException {
    final Predecessors predecessors = predecessors();
    predecessors.commits(5);
    predecessors.committed(5);
    predecessors.commits(5);
    assertThat(predecessors.origin(5).recurs()).isFalse();
  }
}
