package org.sluice.iop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sluice.iop.measure.Statistics;

/** The file that {@code --stats} names. */
final class StatsFile {
  private StatsFile() {}

  /** Writes the statistics; does nothing without a file. */
  static void write(final Path file, final Statistics statistics) throws IOException {
    if (file != null) {
      Files.writeString(file, statistics.json() + System.lineSeparator());
    }
  }
}
