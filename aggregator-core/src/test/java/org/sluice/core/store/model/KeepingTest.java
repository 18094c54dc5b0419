package org.sluice.core.store.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checkpoints as letters, the oldest first: c is complete, i is not. */
class KeepingTest {
  private static List<String> numbered(final String kinds) {
    return IntStream.range(0, kinds.length()).mapToObj(i -> i + "" + kinds.charAt(i)).toList();
  }

  private static boolean isComplete(final String one) {
    return one.endsWith("c");
  }

  @ParameterizedTest(name = "{1} of {0}")
  @CsvSource({
    "'', 1, ''",
    "c, 1, ''",
    "cc, 1, 0c",
    "ccc, 2, 0c",
    "cc, 2, ''",
    "ci, 1, ''",
    "ic, 1, 0i",
    "ciic, 2, ''",
    "cici, 1, 0c 1i",
    "iii, 1, ''"
  })
  void whatEnoughCompleteOnesFollowIsOlder(final String all, final int stay, final String older) {
    assertThat(String.join(" ", Keeping.older(stay, numbered(all), KeepingTest::isComplete)))
        .isEqualTo(older);
  }

  @ParameterizedTest(name = "{1} of {0}")
  @CsvSource({
    "'', 1, ''",
    "ccc, 2, 0c",
    "ci, 1, ''",
    "ciic, 2, 1i",
    "cici, 1, 0c 1i",
    "cciii, 1, 0c 2i 3i",
    "iii, 1, 0i 1i",
    "iccc, 3, 0i"
  })
  void anIncompleteOneGoesWhenEnoughOfAnyKindFollow(
      final String all, final int stay, final String gone) {
    assertThat(String.join(" ", Keeping.dispensable(stay, numbered(all), KeepingTest::isComplete)))
        .isEqualTo(gone);
  }

  @ParameterizedTest(name = "keep {0}, complete by {1}")
  @CsvSource({"1, count, 2", "3, count, 3", "1, api, 1", "1, marker, 1", "1, '', 1"})
  void filesMayYetJoinWhatACountCompleted(final int keep, final String by, final int stay) {
    assertThat(new Keeping(keep, keep, false).atLeast(Completion.of(by))).isEqualTo(stay);
  }
}
