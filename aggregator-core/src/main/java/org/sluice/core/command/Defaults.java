package org.sluice.core.command;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.sluice.core.posix.Environment;

/**
 * The defaults a user has set: {@code sluice/defaults.properties} in the user's configuration
 * directory. They become system properties, which options name in their default values.
 */
public final class Defaults {
  /** Default of {@code --buffer}. */
  public static final String BUFFER = "sluice.buffer";

  /** Default of {@code --threshold}. */
  public static final String THRESHOLD = "sluice.threshold";

  private Defaults() {}

  /** Sets the system properties that are not set yet. */
  static void load() throws IOException {
    final Properties properties = new Properties();
    try (Reader in = Files.newBufferedReader(file())) {
      properties.load(in);
    } catch (final NoSuchFileException e) {
      return;
    }
    for (final String name : properties.stringPropertyNames()) {
      if (name.startsWith("sluice.") && System.getProperty(name) == null) {
        System.setProperty(name, properties.getProperty(name));
      }
    }
  }

  public static Path write(final Map<String, String> values) throws IOException {
    final Path file = file();
    Files.createDirectories(file.getParent());
    final Properties properties = new Properties();
    properties.putAll(values);
    try (Writer out = Files.newBufferedWriter(file)) {
      properties.store(out, "defaults of sluice serve, run and exec; options override them");
    }
    return file;
  }

  private static Path file() throws IOException {
    return Environment.path("XDG_CONFIG_HOME")
        .orElseGet(() -> Path.of(System.getProperty("user.home"), ".config"))
        .resolve("sluice")
        .resolve("defaults.properties");
  }
}
