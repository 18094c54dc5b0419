package org.sluice.core.command;

/** There is no checkpoint that a command could take, and nothing is damaged. */
public final class NoCheckpointException extends CommandException {
  private static final long serialVersionUID = 1L;

  /**
   * None.
   *
   * @param message one line: what, where; what to do next
   */
  public NoCheckpointException(final String message) {
    super(ExitStatus.NOT_FOUND, message);
  }
}
