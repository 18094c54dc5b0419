package org.sluice.iop.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.sluice.iop.journal.Entry;

/** When the present round of writing began, by the times that are known of files, in any order. */
class RoundTimesTest {
  private static final Grouping ONE_FILE = grouping(null, 1);

  private final Rounds rounds = new Rounds();

  private static Grouping grouping(final String marker, final int files) {
    final PathPattern any = new PathPattern(Pattern.compile("(\\d+)"));
    final PathPattern marks =
        marker == null ? null : new PathPattern(Pattern.compile("(" + marker + ")"));
    return new Grouping(any, marks, 0, files);
  }

  private static Entry.Writing file(
      final String path, final int rank, final long begun, final long closed) {
    return new Entry.Writing(path, rank, begun, closed, closed, 0, false);
  }

  private long began(final Grouping grouping, final int ranks, final Entry.Writing... present) {
    return rounds.began(Stream.of(present), grouping, ranks);
  }

  @Test
  void aFileThatIsBegunWhenAllAreClosedBeginsARound() {
    rounds.add(file("1.0", 0, 1, 2));
    assertThat(began(ONE_FILE, 2, file("1.0", 0, 10, 11), file("1.1", 1, 3, 4))).isEqualTo(10);
    assertThat(began(ONE_FILE, 2, file("1.0", 0, 10, 11), file("1.1", 1, 3, 12))).isZero();
    assertThat(began(ONE_FILE, 3, file("1.0", 0, 10, 11), file("1.1", 1, 3, 4))).isZero();
    assertThat(began(ONE_FILE, 0, file("1.0", 0, 10, 11), file("1.1", 1, 3, 4))).isZero();
  }

  @Test
  void anotherFileBeginsNone() {
    rounds.add(file("1.scratch", 0, 1, 2));
    assertThat(began(ONE_FILE, 2, file("1.0", 0, 10, 11), file("1.1", 1, 3, 4))).isZero();
  }

  @Test
  void aRoundIsBegunOnceWhateverItsFilesAre() {
    for (int file = 0; file < 3; file++) {
      rounds.add(file("1." + file, 0, file, file + 1));
    }
    assertThat(
            began(
                ONE_FILE,
                1,
                file("1.0", 0, 10, 11),
                file("1.1", 0, 12, 13),
                file("1.2", 0, 14, 15)))
        .isEqualTo(10);
  }

  @Test
  void ofSeveralRoundsTheLastOneIsPresent() {
    for (int round = 0; round < 9; round++) {
      rounds.add(file("1.0", 0, round * 10 + 1, round * 10 + 2));
      if (round < 5) {
        rounds.add(file("1.1", 1, round * 10 + 3, round * 10 + 4));
      }
    }
    assertThat(began(ONE_FILE, 2, file("1.0", 0, 91, 92), file("1.1", 1, 53, 54)))
        .isBetween(55L, 91L);
    assertThat(began(ONE_FILE, 2, file("1.0", 0, 91, 92), file("1.1", 1, 93, 94)))
        .isBetween(55L, 91L);
  }

  @Test
  void aRankMayWriteSeveralFiles() {
    final Grouping two = grouping(null, 2);
    rounds.add(file("1.0", 0, 1, 2));
    assertThat(began(two, 1, file("1.0", 0, 10, 11))).isZero();
    assertThat(began(two, 1, file("1.0", 0, 10, 11), file("1.a", 0, 3, 4))).isEqualTo(10);
  }

  /** What a killed rank left is not whole with the file of one that came later. */
  @Test
  void whoWritesAnewWhatWasLeftByAKillBeginsNone() {
    rounds.add(new Entry.Writing("1.0", 0, 1, 2, 2, 0, true));
    final Entry.Writing there = file("1.1", 1, 3, 4);
    final Entry.Writing later = new Entry.Writing("1.1", 1, 3, 4, 4, 1, false);
    final Entry.Writing again = new Entry.Writing("1.0", 0, 10, 11, 11, 1, false);
    assertThat(began(ONE_FILE, 2, again, later)).isZero();
    assertThat(began(ONE_FILE, 2, again, there)).isEqualTo(10);
    rounds.add(again);
    assertThat(began(ONE_FILE, 2, new Entry.Writing("1.0", 0, 20, 21, 21, 1, false), later))
        .isEqualTo(20);
  }

  /** Its process died, and another file was closed only then. */
  @Test
  void aFileThatWasBegunAnewAndNeverClosedIsNotWhole() {
    rounds.add(file("1.0", 0, 1, 2));
    rounds.add(new Entry.Writing("1.0", 0, 5, 0, 5, 0, true));
    assertThat(began(ONE_FILE, 2, file("1.0", 0, 10, 11), file("1.1", 1, 6, 7))).isZero();
    assertThat(began(ONE_FILE, 2, file("1.0", 0, 10, 11), file("1.1", 1, 3, 4))).isEqualTo(5);
  }

  @Test
  void aMarkerEndsARound() {
    final Grouping marked = grouping("7", 1);
    rounds.add(file("1.0", 0, 1, 2));
    assertThat(began(marked, 9, file("1.0", 0, 10, 11), file("7", 0, 3, 4))).isEqualTo(10);
    assertThat(began(marked, 9, file("1.0", 0, 10, 11), file("7", 0, 13, 14))).isZero();
  }
}
