package org.sluice.bench.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** What the benchmark does to directories between measurements. */
final class Directories {
  private Directories() {}

  /** Deletes a directory and everything below, if it is there. */
  static void delete(final Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    final List<Path> paths;
    try (Stream<Path> walk = Files.walk(directory)) {
      paths = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (final Path path : paths) {
      Files.deleteIfExists(path);
    }
  }

  /** Runs a command that has to succeed. */
  static void run(final List<String> command) throws IOException {
    final Process process = new ProcessBuilder(command).inheritIO().start();
    final int status = process.onExit().join().exitValue();
    if (status != 0) {
      throw new IOException("%s: status %d".formatted(String.join(" ", command), status));
    }
  }
}
