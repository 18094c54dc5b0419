package org.sluice.profile.source;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.posix.Quoting;
import org.sluice.profile.text.TextTrace;
import org.sluice.profile.trace.Omissions;
import org.sluice.profile.trace.RecordedTrace;
import org.sluice.profile.trace.Trace;

/** The opening of traces, whose kind is told by their content. */
public final class Traces {
  private Traces() {}

  /**
   * Opens a trace, of which nothing is read yet.
   *
   * @throws IOException when the file cannot be read, or is no trace
   */
  public static Trace open(final Path path) throws IOException {
    if (RecordedTrace.isOne(path)) {
      return RecordedTrace.of(path);
    }
    if (Files.isDirectory(path)) {
      throw foreign(path, "a directory without a part of a recorded trace");
    }
    return TextTrace.open(path)
        .orElseThrow(
            () -> foreign(path, "neither a recorded trace nor strace or Darshan DXT text"));
  }

  /** Returns the last part of the absolute path: the name of a trace in reports. */
  public static String name(final Path path) {
    final Path real = path.toAbsolutePath().normalize();
    return real.getNameCount() == 0 ? real.toString() : real.getFileName().toString();
  }

  public static void print(final Omissions omissions, final PrintWriter out) {
    omissions.notes().forEach(note -> out.println("note: " + Quoting.line(note)));
    if (omissions.skipped() > 0) {
      out.printf("skipped: %d%n", omissions.skipped());
      omissions.first().forEach(place -> out.println("  " + Quoting.line(place)));
    }
  }

  private static CommandException foreign(final Path path, final String what) {
    return new CommandException(
        ExitStatus.DAMAGED,
        "%s is %s; record one, or see sluice profile report --help".formatted(path, what));
  }
}
