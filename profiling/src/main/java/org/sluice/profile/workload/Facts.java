package org.sluice.profile.workload;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Tables of published figures. */
final class Facts {
  private Facts() {}

  public static List<String[]> rows(final String name) {
    return lines(name).stream().skip(1).map(line -> line.split(",", -1)).toList();
  }

  private static List<String> lines(final String name) {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(Facts.class.getResourceAsStream(name), StandardCharsets.UTF_8))) {
      return reader.lines().toList();
    } catch (final IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
