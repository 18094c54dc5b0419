package org.sluice.iop.mpi;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.series.SeriesDirectory;
import org.sluice.core.series.Stores;

/**
 * The files by which a job's coordinator says what becomes of waves, and is asked for one.
 *
 * @param folder where they lie: the store, or the folder of its series
 */
record WaveFiles(Path folder) {
  /**
   * Finds them.
   *
   * @param series the series' name; null for the one that runs go on with unless told otherwise
   * @throws CommandException when there are none
   */
  static WaveFiles of(final Path store, final String series) {
    final String name = series == null ? Stores.DEFAULT_SERIES : series;
    final WaveFiles files = new WaveFiles(SeriesDirectory.is(store) ? store.resolve(name) : store);
    if (!Files.exists(files.log())) {
      throw new CommandException(
          ExitStatus.FAILED,
          "there are no waves in %s; run a job there with sluice mpi".formatted(files.folder()));
    }
    return files;
  }

  private Path log() {
    return folder.resolve("waves.log");
  }

  /** What was said, in its order. A line that a crash cut is left out. */
  List<Map<String, Object>> lines() throws IOException {
    final List<Map<String, Object>> lines = new ArrayList<>();
    for (final String line : Files.readAllLines(log(), StandardCharsets.ISO_8859_1)) {
      parse(line).ifPresent(lines::add);
    }
    return lines;
  }

  /** What the wave that is under way waits for; empty when none is, or it has just begun. */
  Optional<Map<String, Object>> underWay() throws IOException {
    try {
      return parse(Files.readString(folder.resolve("waves/under-way"), StandardCharsets.UTF_8));
    } catch (final NoSuchFileException none) {
      return Optional.empty();
    }
  }

  /** Asks for a wave. */
  void ask() throws IOException {
    final Path ask = folder.resolve("waves/ask");
    Files.createDirectories(ask.getParent());
    Files.write(ask, new byte[0]);
  }

  private static Optional<Map<String, Object>> parse(final String line) {
    try {
      return line.isEmpty() ? Optional.empty() : Optional.of(JSON.std.mapFrom(line));
    } catch (final IOException cut) {
      return Optional.empty();
    }
  }
}
