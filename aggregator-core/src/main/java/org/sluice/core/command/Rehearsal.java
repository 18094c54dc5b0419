package org.sluice.core.command;

/** Runs commands in one process, so that the build can record what they load and link. */
final class Rehearsal {
  private Rehearsal() {}

  /**
   * Runs commands one after the other, as long as they succeed, and exits with the last one's
   * status.
   *
   * @param commands command lines, their words parted by single blanks
   */
  public static void main(final String[] commands) {
    int status = ExitStatus.OK.code();
    for (int i = 0; i < commands.length && status == ExitStatus.OK.code(); i++) {
      status = Sluice.execute(commands[i].split(" "));
    }
    System.exit(status);
  }
}
