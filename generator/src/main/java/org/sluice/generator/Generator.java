package org.sluice.generator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Knows what is generated, and where it goes. */
public final class Generator {
  private static final Path C = Path.of("blcr-bridge", "src", "generated", "c");

  private Generator() {}

  /**
   * Writes what is not there as it should be.
   *
   * @param args the directory of the sources
   * @throws IOException when a file cannot be read or written
   */
  public static void main(final String[] args) throws IOException {
    final Path root = Path.of(args[0]);
    for (final Map.Entry<Path, String> each : files(root).entrySet()) {
      final Path file = root.resolve(each.getKey());
      if (!Files.exists(file) || !Files.readString(file).equals(each.getValue())) {
        Files.writeString(file, each.getValue());
        System.out.println(each.getKey());
      }
    }
  }

  /**
   * Everything that is generated.
   *
   * @param root the directory of the sources
   * @return each file's text, by its path below that
   * @throws IOException when the documentation cannot be read
   */
  static Map<Path, String> files(final Path root) throws IOException {
    final Map<Path, String> files = new LinkedHashMap<>();
    files.put(C.resolve("sluice_layout.h"), CHeader.text());
    final Path document = Path.of("docs", "format.md");
    files.put(document, Tables.filled(Files.readString(root.resolve(document))));
    return files;
  }
}
