package org.sluice.iop.command;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.iop.measure.Statistics;

/** The file that {@code --stats} names. */
final class StatsFile {
  private StatsFile() {}

  /**
   * Checks before the start that the statistics can be written at the end; does nothing without a
   * file.
   */
  static void check(final Path file) throws AccessDeniedException {
    if (file == null) {
      return;
    }
    final Path directory = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file)) {
      throw new CommandException(
          ExitStatus.FAILED, "--stats %s is a directory; name a file in it".formatted(file));
    }
    if (!Files.isDirectory(directory)) {
      throw new CommandException(
          ExitStatus.FAILED,
          "--stats %s: there is no directory %s; create it".formatted(file, directory));
    }
    if (!Files.isWritable(Files.exists(file) ? file : directory)) {
      throw new AccessDeniedException(file.toString());
    }
  }

  static void write(final Path file, final Statistics statistics) throws IOException {
    if (file != null) {
      Files.writeString(file, statistics.json() + System.lineSeparator());
    }
  }
}
