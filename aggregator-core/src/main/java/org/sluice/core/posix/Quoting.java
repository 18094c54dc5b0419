package org.sluice.core.posix;

import java.nio.charset.StandardCharsets;

/**
 * Names on the user's terminal. A name must not move the cursor, end a line or turn the direction
 * of writing. What a terminal would obey, or not show as itself, is written as {@code ls} prints it
 * and bash reads it, such as {@code 'a'$'\033''b'}. JSON needs none of it.
 */
public final class Quoting {
  /** What a shell takes for more than itself. */
  private static final String SPECIAL = " !\"#$&'()*;<=>?[\\]^`{|}~";

  /** The letters of the controls 7 to 13. */
  private static final String LETTERS = "abtnvfr";

  private Quoting() {}

  /**
   * A name among other words.
   *
   * @param name any
   * @return the same if a shell would take it for itself, otherwise in quotes
   */
  public static String name(final String name) {
    final boolean plain =
        !name.isEmpty() && name.codePoints().allMatch(c -> isShown(c) && SPECIAL.indexOf(c) < 0);
    return plain ? name : quoted(name);
  }

  private static String quoted(final String name) {
    final StringBuilder out = new StringBuilder("'");
    boolean escaping = false;
    for (final int c : name.codePoints().toArray()) {
      if (isShown(c) == escaping) {
        out.append(escaping ? "''" : "'$'");
        escaping = !escaping;
      }
      if (escaping) {
        escape(c, out);
      } else if (c == '\'') {
        out.append("'\\''");
      } else {
        out.appendCodePoint(c);
      }
    }
    return out.append('\'').toString();
  }

  /**
   * A message that may have names in it.
   *
   * @param message any
   * @return one line; what a terminal would not show as itself is in quotes of its own
   */
  public static String line(final String message) {
    final StringBuilder out = new StringBuilder();
    boolean escaping = false;
    for (final int c : message.codePoints().toArray()) {
      if (isShown(c) == escaping) {
        out.append(escaping ? "'" : "$'");
        escaping = !escaping;
      }
      if (escaping) {
        escape(c, out);
      } else {
        out.appendCodePoint(c);
      }
    }
    return (escaping ? out.append('\'') : out).toString();
  }

  /** Neither a control nor anything else that has no picture of its own. */
  private static boolean isShown(final int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }

  private static void escape(final int c, final StringBuilder out) {
    if (c >= 7 && c <= 13) {
      out.append('\\').append(LETTERS.charAt(c - 7));
      return;
    }
    for (final byte b : Character.toString(c).getBytes(StandardCharsets.UTF_8)) {
      out.append("\\%03o".formatted(b & 0xFF));
    }
  }
}
