package org.sluice.core.posix;

/** The command that speaks to the user: each line on standard error begins with its name. */
public final class Speaker {
  /** The command that the user has called, if that is another one, as {@code sluice run}. */
  private static final String CALLED = System.getenv("SLUICE_CALLED");

  private static volatile String name = CALLED == null ? "sluice" : CALLED;

  private Speaker() {}

  /**
   * @param command such as {@code sluice serve}; another one that has called it speaks instead
   */
  public static void is(final String command) {
    name = CALLED == null ? command : CALLED;
  }

  /** Returns the beginning of lines on standard error. */
  public static String name() {
    return name;
  }

  /**
   * @param message a line, in which names may be raw
   */
  public static void say(final String message) {
    System.err.println(name + ": " + Quoting.line(message));
  }
}
