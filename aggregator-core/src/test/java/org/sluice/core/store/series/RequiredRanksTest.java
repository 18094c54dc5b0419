package org.sluice.core.store.series;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.store.model.RankSet;
import org.sluice.core.store.objects.DirectoryEngine;
import org.sluice.core.store.objects.Engine;

/** What the parts of a checkpoint must cover, and how their keys say so. */
class RequiredRanksTest {
  private static RankSet ranks(final int... ranks) {
    return RankSet.of(IntStream.of(ranks));
  }

  private static PartKey part(
      final String node, final RankSet ranks, final RequiredRanks coverage) {
    return new PartKey(1, 2, 3, node, 4, ranks, coverage);
  }

  @Test
  void theLongestKeyHasNamesThatFit() {
    final RankSet ranks = RankSet.of(IntStream.range(0, 500).map(i -> 8_000_000 + i * i));
    final PartKey key =
        new PartKey(
            999_999_999_999_999_999L,
            999_999_999_999_999_999L,
            999_999_999_999_999_999L,
            PartKey.node("n".repeat(300)),
            999_999_999_999_999_999L,
            ranks,
            new RequiredRanks(ranks, 1 << 24));
    assertThat(key.toString().split("/")).allMatch(name -> name.length() <= 255);
    assertThat(PartKey.parse(key.toString())).contains(key);
  }

  /** A commit of the log has the part's name only: who reads it must come to the very same key. */
  @Test
  void aKeyThatIsThereIsFoundAgain() {
    final String ranks =
        IntStream.range(2, 33)
            .mapToObj(i -> String.valueOf(i * i))
            .collect(Collectors.joining(","));
    assertThat(ranks).hasSizeBetween(105, 120);
    for (final String key :
        List.of(
            "part/0000000001-2-3/b17." + ranks,
            "part/0000000001-2-3/b17." + ranks + "=4/~" + ranks)) {
      assertThat(PartKey.parse(key).orElseThrow()).hasToString(key);
    }
  }

  @Test
  void keysSayIt() {
    final RankSet scattered = RankSet.of(IntStream.range(0, 200).map(rank -> rank * rank));
    for (final RequiredRanks coverage :
        List.of(
            RequiredRanks.ALL,
            RequiredRanks.standingFor(8),
            RequiredRanks.closing(ranks(0, 3)),
            RequiredRanks.closing(scattered))) {
      for (final RankSet own : List.of(ranks(0), scattered)) {
        final PartKey key = part("b17.example", own, coverage);
        assertThat(PartKey.parse(key.toString())).contains(key);
        assertThat(key.toString().split("/")).allMatch(name -> name.length() < 256);
      }
    }
  }

  @Test
  void allRanksAreMissingThatHaveNoPart() {
    final PartSet parts = PartSet.of(List.of(part("a", ranks(0, 2), RequiredRanks.ALL)));
    assertThat(parts.missing(4)).isEqualTo(ranks(1, 3));
    assertThat(parts.add(part("b", ranks(2, 3), RequiredRanks.ALL))).isFalse();
    assertThat(parts.add(part("c", ranks(1, 3), RequiredRanks.ALL))).isTrue();
    assertThat(parts.missing(4)).isEqualTo(RankSet.NONE);
  }

  @Test
  void writersStandForTheirNode() {
    final PartSet parts = PartSet.of(List.of(part("a", ranks(0), RequiredRanks.standingFor(4))));
    assertThat(parts.missing(7)).isEqualTo(ranks(1, 2, 3, 4, 5, 6));
    parts.add(part("b", ranks(4, 5), RequiredRanks.standingFor(3)));
    assertThat(parts.missing(7)).isEqualTo(RankSet.NONE);
  }

  @Test
  void whatAnyNodeHasSeenBehindAMarkerIsToBeThere() {
    final PartSet parts =
        PartSet.of(List.of(part("a", ranks(0, 1), RequiredRanks.closing(ranks(0, 1, 5)))));
    assertThat(parts.missing(64)).isEqualTo(ranks(5));
    parts.add(part("b", ranks(5), RequiredRanks.closing(ranks(5, 9))));
    assertThat(parts.missing(64)).isEqualTo(ranks(9));
    parts.add(part("c", ranks(9), RequiredRanks.closing(ranks(9))));
    assertThat(parts.missing(64)).isEqualTo(RankSet.NONE);
  }

  /** Its files were in no list that the other node saw. */
  @Test
  void aNodeThatWasLeftOutCommitsItAgain(@TempDir final Path directory) throws IOException {
    try (Engine engine = DirectoryEngine.of(directory)) {
      final SeriesRun one = SeriesRun.join(engine, "job", "a");
      final SeriesRun other = SeriesRun.join(engine, "job", "b");
      final PartKey seen = one.part(7, 0, 0, ranks(0)).covering(RequiredRanks.closing(ranks(0)));
      final PartKey unseen =
          other.part(7, 0, 0, ranks(3)).covering(RequiredRanks.closing(ranks(0, 3)));
      one.put(seen, List.of());
      assertThat(one.commit(seen, one.parts(seen), 64, PartsCheck.NONE)).isEqualTo(RankSet.NONE);
      other.put(unseen, List.of());
      assertThat(other.isCommitted(unseen, 64)).isFalse();
      assertThat(other.isLeftOut(unseen)).isTrue();
      assertThat(other.commit(unseen, other.parts(unseen), 64, PartsCheck.NONE))
          .isEqualTo(RankSet.NONE);
      assertThat(other.isCommitted(unseen, 64)).isTrue();
      assertThat(one.isCommitted(seen, 64)).isTrue();
      assertThat(one.live().values())
          .singleElement()
          .satisfies(commit -> assertThat(commit.keys()).containsExactlyInAnyOrder(seen, unseen));
    }
  }
}
