package org.sluice.core.command;

/** The lack of a checkpoint that a command could take; nothing is damaged. */
public final class NoCheckpointException extends CommandException {
  private static final long serialVersionUID = 1L;

  public NoCheckpointException(final String message) {
    super(ExitStatus.NOT_FOUND, message);
  }
}
