package org.sluice.core.posix;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Names on the user's terminal. A name must not move the cursor, end a line or turn the direction
 * of writing. Characters that a terminal would obey, or not show as themselves, are written as
 * {@code ls} prints them and bash reads them, such as {@code 'a'$'\033''b'}. So is each byte that
 * is no UTF-8. JSON needs only the latter.
 */
public final class Quoting {
  /** The characters with a special meaning to a shell. */
  private static final String SPECIAL = " !\"#$&'()*;<=>?[\\]^`{|}~";

  /** The letters of the controls 7 to 13. */
  private static final String LETTERS = "abtnvfr";

  private Quoting() {}

  /** Quotes a name among other words, unless a shell would take it for itself. */
  public static String name(final String name) {
    final boolean plain =
        !name.isEmpty() && name.codePoints().allMatch(c -> isShown(c) && SPECIAL.indexOf(c) < 0);
    return plain ? name : "'" + escaped(name, "'$'", "''", "'\\''") + "'";
  }

  /**
   * A message that may have names in it.
   *
   * @return one line; characters that a terminal would not show as themselves are in quotes of
   *     their own
   */
  public static String line(final String message) {
    final String out = escaped(message, "$'", "'", "'");
    return message.isEmpty() || isShown(message.codePointBefore(message.length()))
        ? out
        : out + "'";
  }

  /** Escapes the characters that are not shown. */
  private static String escaped(
      final String text, final String begin, final String end, final String apostrophe) {
    final StringBuilder out = new StringBuilder();
    boolean escaping = false;
    for (final int c : text.codePoints().toArray()) {
      if (isShown(c) == escaping) {
        out.append(escaping ? end : begin);
        escaping = !escaping;
      }
      if (escaping) {
        escape(c, out);
      } else if (c == '\'') {
        out.append(apostrophe);
      } else {
        out.appendCodePoint(c);
      }
    }
    return out.toString();
  }

  /**
   * Tells whether a character is neither a control nor anything else without a picture of its own.
   */
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
    final byte[] bytes =
        FileName.isEscape(c) ? new byte[] {(byte) c} : Character.toString(c).getBytes(UTF_8);
    for (final byte b : bytes) {
      out.append("\\%03o".formatted(b & 0xFF));
    }
  }
}
