package org.sluice.core.command;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the word that was meant by a misspelt one. */
final class Nearest {
  /** The letters of a word for each wrong one; a shorter word is like no other. */
  private static final int LETTERS_FOR_EACH = 3;

  private Nearest() {}

  /** {@return {@code (did you mean X?)} after a blank; empty where none is like it} */
  static String to(final String word, final Collection<String> known) {
    return find(word, known).map(" (did you mean %s?)"::formatted).orElse("");
  }

  private static Optional<String> find(final String word, final Collection<String> known) {
    return known.stream()
        .filter(each -> isLike(word, each))
        .min(
            Comparator.comparingInt((String each) -> distance(word, each))
                .thenComparing(each -> each));
  }

  /** Tells whether a word is like another, of which it may be a part. */
  private static boolean isLike(final String word, final String other) {
    final int length = word.replaceFirst("^-*", "").length();
    return length > 1 && other.startsWith(word)
        || distance(word, other) * LETTERS_FOR_EACH <= Math.max(length, LETTERS_FOR_EACH);
  }

  /** The number of letters that are wrong, missing, extra, or exchanged with the next one. */
  private static int distance(final String one, final String other) {
    final int[][] d = new int[one.length() + 1][other.length() + 1];
    for (int i = 0; i <= one.length(); i++) {
      for (int j = 0; j <= other.length(); j++) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        final boolean same = one.charAt(i - 1) == other.charAt(j - 1);
        final int changed = d[i - 1][j - 1] + (same ? 0 : 1);
        d[i][j] = Math.min(changed, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
        if (i > 1
            && j > 1
            && one.charAt(i - 1) == other.charAt(j - 2)
            && one.charAt(i - 2) == other.charAt(j - 1)) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[one.length()][other.length()];
  }
}
