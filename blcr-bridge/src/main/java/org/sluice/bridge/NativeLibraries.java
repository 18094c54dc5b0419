package org.sluice.bridge;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Optional;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;

/**
 * The native files. The system property {@value #PROPERTY} names their directory. Without the
 * property they are where the build puts them, below the directory Sluice is installed in. The
 * environment variable {@value #HOME_VARIABLE}, which {@code scripts/sluice} sets, names that
 * directory. Without the variable it is found from the place of this class.
 *
 * <p>Paths are absolute. A file that does not exist because it has not been built is a {@link
 * CommandException}, but for the guard and the C client.
 */
public final class NativeLibraries {
  /** The system property that names the directory of the native files. */
  public static final String PROPERTY = "sluice.native";

  /** The environment variable that names the directory Sluice is installed in. */
  public static final String HOME_VARIABLE = "SLUICE_HOME";

  private static final Path BUILT = Path.of("blcr-bridge", "target", "native");

  private NativeLibraries() {}

  /** Returns the program behind {@code sluice run}. */
  public static Path run() {
    return find("sluice-run");
  }

  /** Returns the program behind {@code sluice mpi}. */
  public static Path mpi() {
    return find("sluice-mpi");
  }

  /** Returns the program behind {@code sluice profile record}. */
  public static Path record() {
    return find("sluice-record");
  }

  /** Returns the program that repeats the writes of a trace. */
  public static Path replay() {
    return find("sluice-replay");
  }

  /** Returns the shim, a library to be preloaded. */
  public static Path preload() {
    return find("libsluice_preload.so");
  }

  /** Returns the guard program, which handles opens by programs outside Sluice. */
  public static Path guard() {
    return directory().resolve("sluice-guard").toAbsolutePath();
  }

  /** Returns the library of the C client. */
  public static Path client() {
    return directory().resolve("libsluice.so").toAbsolutePath();
  }

  /** Returns the {@code sluice} command. */
  public static Path sluice() {
    final Path file = home().resolve("scripts").resolve("sluice").toAbsolutePath();
    if (!Files.isExecutable(file)) {
      throw new CommandException(
          ExitStatus.FAILED,
          "%s is missing; set %s to where Sluice is".formatted(file, HOME_VARIABLE));
    }
    return file;
  }

  private static Path find(final String name) {
    final Path file = directory().resolve(name).toAbsolutePath();
    if (!Files.isReadable(file)) {
      throw new CommandException(
          ExitStatus.FAILED,
          "%s is missing; run scripts/build, and start with scripts/sluice".formatted(file));
    }
    return file;
  }

  private static Path directory() {
    return Optional.ofNullable(System.getProperty(PROPERTY))
        .map(Path::of)
        .orElseGet(() -> home().resolve(BUILT));
  }

  private static Path home() {
    return Optional.ofNullable(System.getenv(HOME_VARIABLE))
        .map(Path::of)
        .orElseGet(NativeLibraries::installed);
  }

  /**
   * Returns the directory Sluice is installed in: the lowest one above this class that also has the
   * build's native files.
   */
  private static Path installed() {
    final CodeSource source = NativeLibraries.class.getProtectionDomain().getCodeSource();
    Path above = source == null ? null : Path.of(URI.create(source.getLocation().toString()));
    while (above != null && !Files.isDirectory(above.resolve(BUILT))) {
      above = above.getParent();
    }
    return above == null ? Path.of("") : above;
  }
}
