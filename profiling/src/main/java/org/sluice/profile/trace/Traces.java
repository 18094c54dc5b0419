package org.sluice.profile.trace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;

/** Tells the kinds of traces apart by what is in them. */
public final class Traces {
  private Traces() {}

  /**
   * Opens a trace.
   *
   * @param path a file or directory
   * @return the trace, of which nothing is read yet
   * @throws IOException when it cannot be read
   */
  public static Trace open(final Path path) throws IOException {
    if (RecordedTrace.isOne(path)) {
      return RecordedTrace.of(path);
    }
    if (Files.isDirectory(path)) {
      throw foreign(path, "a directory without a part of a recorded trace");
    }
    throw foreign(path, "neither a recorded trace nor strace or Darshan text");
  }

  private static CommandException foreign(final Path path, final String what) {
    return new CommandException(
        ExitStatus.DAMAGED,
        "%s is %s; record one, or see sluice profile report --help".formatted(path, what));
  }
}
