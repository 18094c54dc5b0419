package org.sluice.core.command;

/** Ends a command with a status and one line on standard error. */
public class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ExitStatus status;

  /**
   * The end of a command.
   *
   * @param status the exit status
   * @param message a line: what, where; what to do next
   */
  public CommandException(final ExitStatus status, final String message) {
    super(message);
    this.status = status;
  }

  /**
   * The exit status of the command.
   *
   * @return not {@link ExitStatus#OK}
   */
  public final ExitStatus status() {
    return status;
  }
}
