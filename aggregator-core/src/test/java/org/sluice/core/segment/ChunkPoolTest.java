package org.sluice.core.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.core.chunk.ChunkDescriptor;

class ChunkPoolTest {
  private static final int CHUNKS = 64;

  private final Header header = new Header(new UnsafeBuffer(new byte[HeaderDescriptor.LENGTH]));
  private final UnsafeBuffer chunk = new UnsafeBuffer(new byte[ChunkDescriptor.HEADER_LENGTH]);
  private final UnsafeBuffer states =
      new UnsafeBuffer(new byte[CHUNKS * ChunkStateDescriptor.LENGTH]);
  private final ChunkPool pool = new ChunkPool(states, header, i -> chunk);

  ChunkPoolTest() {
    header.addFreeChunks(CHUNKS);
  }

  @Test
  void claimBeginsWhereToldAndGoesAround() {
    assertThat(Claims.claim(pool, 1, 62)).isEqualTo(62);
    assertThat(Claims.claim(pool, 1, 62)).isEqualTo(63);
    assertThat(Claims.claim(pool, 1, 62)).isEqualTo(0);
    assertThat(header.freeChunks()).isEqualTo(CHUNKS - 3);
  }

  @Test
  void chunkGoesFromItsOwnerThroughTheDrainBackToFreeOneGenerationLater() {
    Claims.claim(pool, 9, 5);
    assertThat(pool.word(5)).isEqualTo(ChunkStateDescriptor.word(ChunkStateDescriptor.OPEN, 9, 0));
    Claims.publish(pool, 5);
    assertThat(pool.word(5))
        .isEqualTo(ChunkStateDescriptor.word(ChunkStateDescriptor.PUBLISHED, 9, 0));
    chunk.putInt(ChunkDescriptor.USED_OFFSET, 4000);
    assertThat(pool.release(5, pool.word(5))).isTrue();

    assertThat(pool.word(5)).isEqualTo(ChunkStateDescriptor.word(ChunkStateDescriptor.FREE, 0, 1));
    assertThat(chunk.getInt(ChunkDescriptor.USED_OFFSET)).isZero();
    assertThat(Claims.releases(pool)).isEqualTo(1);
    assertThat(header.freeChunks()).isEqualTo(CHUNKS);
  }

  @Test
  void chunkWhoseStateItsOwnerOverwroteIsNotReleased() {
    Claims.claim(pool, 9, 5);
    Claims.publish(pool, 5);
    final long published = pool.word(5);
    pool.release(5, published);
    Claims.claim(pool, 2, 5);
    chunk.putInt(ChunkDescriptor.USED_OFFSET, 4000);

    assertThat(pool.release(5, published)).isFalse();
    assertThat(pool.word(5)).isEqualTo(ChunkStateDescriptor.word(ChunkStateDescriptor.OPEN, 2, 1));
    assertThat(chunk.getInt(ChunkDescriptor.USED_OFFSET)).isEqualTo(4000);
    assertThat(header.freeChunks()).isEqualTo(CHUNKS - 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {ChunkStateDescriptor.OPEN, ChunkStateDescriptor.ABSENT, 77})
  void chunkInAStateThatCannotBeIsStillItsOwnersAndReleased(final int state) {
    Claims.claim(pool, 9, 5);
    Claims.publish(pool, 5);
    final long published = pool.word(5);
    states.putLong(5 * ChunkStateDescriptor.LENGTH, ChunkStateDescriptor.word(state, 9, 3));

    final List<Integer> owned = new ArrayList<>();
    pool.ownedBy(9, (chunk, word) -> owned.add(chunk));
    assertThat(owned).containsExactly(5);
    assertThat(pool.release(5, published)).isTrue();
    assertThat(pool.word(5)).isEqualTo(ChunkStateDescriptor.word(ChunkStateDescriptor.FREE, 0, 1));
  }

  @Test
  void countThatAKilledProcessLeftWrongIsCorrected() {
    Claims.claim(pool, 1, 0);
    header.addFreeChunks(1); // as if the claimer had not come to it
    pool.recount();
    assertThat(header.freeChunks()).isEqualTo(CHUNKS);
    pool.recount();
    assertThat(header.freeChunks()).isEqualTo(CHUNKS - 1);
    pool.recount();
    assertThat(header.freeChunks()).isEqualTo(CHUNKS - 1);
  }

  @Test
  void claimThatIsNotCountedYetIsNotCountedTwice() {
    Claims.claim(pool, 1, 0);
    header.addFreeChunks(1);
    pool.recount();
    header.addFreeChunks(-1);
    pool.recount();
    assertThat(header.freeChunks()).isEqualTo(CHUNKS - 1);
  }

  @Test
  void chunksWithoutMemoryBelongToNoSlot() {
    pool.init();
    pool.provide(3);
    Claims.claim(pool, 0, 3);

    final List<Integer> owned = new ArrayList<>();
    pool.ownedBy(0, (chunk, word) -> owned.add(chunk));
    assertThat(owned).containsExactly(3);
  }

  @Test
  void processTakesAChunkWithoutMemoryOnce() {
    pool.init();
    final long making = Claims.make(pool, 9, 5);
    assertThat(Claims.make(pool, 8, 5)).isZero();
    pool.provide(5);
    assertThat(pool.word(5)).isEqualTo(making);
    Claims.made(pool, 5, making);
    assertThat(pool.word(5)).isEqualTo(ChunkStateDescriptor.word(ChunkStateDescriptor.OPEN, 9, 0));
  }

  @Test
  void chunkWhoseMakerDiedIsMadeAgainByAnother() {
    pool.init();
    header.addAbsentChunks(CHUNKS);
    Claims.make(pool, 9, 5);
    Claims.make(pool, 8, 6);
    pool.takeBackMaking(9);
    assertThat(header.absentChunks()).isEqualTo(CHUNKS - 1);
    assertThat(Claims.make(pool, 7, 5)).isNotZero();
    assertThat(Claims.make(pool, 7, 6)).isZero();
  }

  @Test
  void freeChunksThatLoseTheirMemoryGoTogetherAndNobodyClaimsThemMeanwhile() {
    Claims.claim(pool, 1, 10);
    final List<Integer> removed = new ArrayList<>();
    final ChunkPool.Remover remover =
        (first, count) -> {
          removed.add(first);
          removed.add(count);
          assertThat(Claims.claim(pool, 1, first)).isEqualTo(first == 0 ? 11 : first + count);
          assertThat(Claims.make(pool, 1, first)).isZero();
        };
    assertThat(pool.giveBack(0, CHUNKS, remover)).isEqualTo(10);
    assertThat(pool.giveBack(10, 20, remover)).isEqualTo(32);
    assertThat(removed).containsExactly(0, 10, 12, 20);
    assertThat(pool.firstAbsent()).isZero();
  }

  @Test
  void chunkThatAKilledIoProcessWasGivingBackIsAbsentToTheNext() {
    try {
      pool.giveBack(
          0,
          CHUNKS,
          (first, count) -> {
            throw new IllegalStateException("killed");
          });
    } catch (final IllegalStateException killed) {
      assertThat(pool.firstAbsent()).isEqualTo(-1);
    }
    pool.takeBackMaking(ChunkStateDescriptor.NOBODY);
    assertThat(header.absentChunks()).isEqualTo(CHUNKS);
    assertThat(Claims.make(pool, 7, 5)).isNotZero();
  }

  @Test
  void pagesThatAKilledMakerLeftAreGivenBackToo() {
    pool.init();
    header.addFreeChunks(-CHUNKS);
    header.addAbsentChunks(CHUNKS);
    Claims.make(pool, 9, 5);
    final List<Integer> removed = new ArrayList<>();
    for (int next = 0; next < CHUNKS; ) {
      next = pool.giveBack(next, CHUNKS, (first, count) -> removed.add(count));
    }
    assertThat(removed).containsExactly(5, CHUNKS - 6);
    assertThat(header.absentChunks()).isEqualTo(CHUNKS - 1);
    assertThat(header.freeChunks()).isZero();
    assertThat(pool.making()).isEqualTo(1);
  }

  @Test
  void countOfAbsentChunksIsCorrected() {
    pool.init();
    header.addFreeChunks(-CHUNKS);
    header.addAbsentChunks(CHUNKS - 2);
    pool.recount();
    pool.recount();
    assertThat(header.absentChunks()).isEqualTo(CHUNKS);
  }

  @Test
  void chunksOfASlotAreFoundWhetherOpenOrPublished() {
    Claims.claim(pool, 1, 10);
    Claims.claim(pool, 2, 11);
    Claims.claim(pool, 1, 12);
    Claims.publish(pool, 12);

    final List<Integer> owned = new ArrayList<>();
    pool.ownedBy(1, (chunk, word) -> owned.add(chunk));
    assertThat(owned).containsExactly(10, 12);
  }

  @Test
  void concurrentClaimersNeverGetTheSameChunk() throws Exception {
    final int rounds = 2000;
    final int[] claims = new int[CHUNKS];
    final List<Callable<Integer>> claimers = new ArrayList<>();
    for (int slot = 1; slot <= 4; slot++) {
      final int owner = slot;
      claimers.add(() -> claimAndRelease(owner, rounds, claims));
    }
    try (ExecutorService executor = Executors.newFixedThreadPool(claimers.size())) {
      for (final Future<Integer> conflicts : executor.invokeAll(claimers)) {
        assertThat(conflicts.get()).isZero();
      }
    }
    assertThat(Claims.releases(pool)).isEqualTo(4 * rounds);
    assertThat(header.freeChunks()).isEqualTo(CHUNKS);
  }

  /** Counts how often a chunk changed in its owner's hands; the array needs no other guard. */
  private int claimAndRelease(final int slot, final int rounds, final int[] claims) {
    int conflicts = 0;
    for (int i = 0; i < rounds; i++) {
      final int mine = Claims.claim(pool, slot, 0);
      final int before = ++claims[mine];
      Thread.onSpinWait();
      conflicts += claims[mine] == before ? 0 : 1;
      Claims.publish(pool, mine);
      pool.release(mine, pool.word(mine));
    }
    return conflicts;
  }
}
