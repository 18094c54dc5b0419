package org.sluice.restart;

import java.util.List;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;

/** Thrown where files are in the way of a restore, as they differ from the checkpoint's. */
public final class InTheWayException extends CommandException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> paths;

  InTheWayException(final String message, final List<String> paths) {
    super(ExitStatus.EXISTS, message);
    this.paths = List.copyOf(paths);
  }

  /** Returns the absolute paths of all files that the restore has to write. */
  public List<String> paths() {
    return paths;
  }
}
