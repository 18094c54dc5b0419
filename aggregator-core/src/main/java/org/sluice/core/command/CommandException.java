package org.sluice.core.command;

/** Ends a command with a status and one line on standard error. */
public class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ExitStatus status;

  /**
   * @param message a line: what, where; what to do next
   */
  public CommandException(final ExitStatus status, final String message) {
    super(message);
    this.status = status;
  }

  public final ExitStatus status() {
    return status;
  }
}
