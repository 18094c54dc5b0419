package org.sluice.core.posix;

/** Whether a person watches. */
public final class Terminal {
  private static final int STDERR = 2;

  private Terminal() {}

  /**
   * Whether standard error is a terminal.
   *
   * @return false for a file, a pipe or nothing
   */
  public static boolean watchesErrors() {
    return LibC.ISATTY.call(STDERR) == 1;
  }
}
