package org.sluice.iop.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.core.store.model.Block;

class DrainedBlocksTest {
  private static final Instant NOW = Instant.ofEpochSecond(7, 8);
  private static final Block FIRST = new Block(0, 100, 1);
  private static final Block SECOND = new Block(100, 100, 2);
  private static final Block THIRD = new Block(300, 50, 3);

  private final DrainedBlocks drained = new DrainedBlocks();

  DrainedBlocksTest() {
    drained.add(List.of(FIRST, SECOND));
    drained.add(List.of(THIRD));
    drained.modified(NOW);
  }

  @Test
  void allIsKnownWhileTheDrainWasTheLastToWrite() {
    drained.check(NOW);
    assertThat(drained.at(NOW)).containsExactly(FIRST, SECOND, THIRD);
  }

  @Test
  void nothingIsKnownOfAFileThatSomebodyElseWroteTo() {
    assertThat(drained.at(NOW.plusNanos(1))).isEmpty();
    drained.check(NOW.plusNanos(1));
    drained.modified(NOW.plusNanos(2));
    assertThat(drained.at(NOW.plusNanos(2))).isEmpty();
  }

  @Test
  void aBlockOfWhichAByteChangesIsForgotten() {
    drained.overwritten(99, 100);
    assertThat(drained.at(NOW)).containsExactly(SECOND, THIRD);
    drained.overwritten(200, 300);
    assertThat(drained.at(NOW)).containsExactly(SECOND, THIRD);
    drained.overwritten(200, 301);
    assertThat(drained.at(NOW)).containsExactly(SECOND);
    drained.overwritten(0, Long.MAX_VALUE);
    assertThat(drained.at(NOW)).isEmpty();
  }

  @Test
  void theEndOfABlockThatIsCutIsForgottenWithIt() {
    drained.overwritten(150, Long.MAX_VALUE);
    assertThat(drained.at(NOW)).containsExactly(FIRST);
  }
}
