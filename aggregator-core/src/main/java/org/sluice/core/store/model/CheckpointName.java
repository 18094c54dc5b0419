package org.sluice.core.store.model;

import java.util.regex.Pattern;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.Quoting;

/** The names that a program may give checkpoints beside their numbers. */
public final class CheckpointName {
  /** The most bytes of a name. */
  public static final int MAX_LENGTH = 100;

  private static final Pattern NUMBER = Pattern.compile("[0-9]+");

  private CheckpointName() {}

  /** Returns whether a text is a name. No name looks like a number, an option or a path. */
  public static boolean isValid(final String text) {
    return !text.isEmpty()
        && FileName.length(text) <= MAX_LENGTH
        && FileName.isText(text)
        && text.charAt(0) != '-'
        && text.charAt(0) != '+'
        && text.indexOf('/') < 0
        && text.codePoints().noneMatch(Character::isISOControl)
        && !isNumber(text);
  }

  /** Returns whether a text has digits only. */
  public static boolean isNumber(final String text) {
    return NUMBER.matcher(text).matches();
  }

  /** Returns the sentence for a text that is no name. */
  public static String refusal(final String text) {
    return ("%s is no name of a checkpoint: give 1 to %d bytes of UTF-8, more than digits, without"
            + " slashes and control characters, and no sign in front")
        .formatted(Quoting.name(text), MAX_LENGTH);
  }
}
