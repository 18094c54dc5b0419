package org.sluice.core.posix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The command line and the environment as they are. Java changes text that is no UTF-8 in them,
 * without a word.
 */
public final class Environment {
  /** Java's replacement for bytes that it cannot read. */
  private static final String CHANGED = "\ufffd";

  private Environment() {}

  /** Returns whether Java may have changed a text, such as an argument or a variable. */
  public static boolean mayBeChanged(final String text) {
    return text.contains(CHANGED);
  }

  /** {@return its value, see {@link FileName}; empty when there is none, or an empty one} */
  public static Optional<String> variable(final String name) throws IOException {
    final String value = System.getenv(name);
    if (value == null || value.isEmpty()) {
      return Optional.empty();
    }
    final String begin = name + "=";
    return mayBeChanged(value)
        ? strings("environ").stream()
            .filter(each -> each.startsWith(begin))
            .map(each -> each.substring(begin.length()))
            .findFirst()
        : Optional.of(value);
  }

  /**
   * A variable that is a path of Sluice's own.
   *
   * @throws IOException when it is no UTF-8, or the kernel does not tell
   */
  public static Optional<Path> path(final String name) throws IOException {
    final Optional<String> value = variable(name);
    try {
      return value.map(Path::of);
    } catch (final InvalidPathException e) {
      throw new IOException(
          "%s is no UTF-8: %s; set it to a path that is, such as that of a symbolic link to it"
              .formatted(name, Quoting.name(value.get())));
    }
  }

  /** {@return its words, see {@link FileName}, beginning with the program} */
  public static List<String> commandLine() throws IOException {
    return strings("cmdline");
  }

  /** Returns the strings of a file, each of which ends with a NUL. */
  private static List<String> strings(final String file) throws IOException {
    final String[] parts =
        FileName.decode(Files.readAllBytes(Path.of("/proc/self", file))).split("\0", -1);
    return Arrays.asList(parts).subList(0, parts.length - 1);
  }
}
