package org.sluice.bridge;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Optional;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;

/**
 * Where the native files are: in the directory that the system property {@value #PROPERTY} names,
 * or else where the build puts them below the directory Sluice is installed in. The environment's
 * {@value #HOME_VARIABLE} names that, which {@code scripts/sluice} sets; where it does not, it is
 * the one that this class was loaded from.
 */
public final class NativeLibraries {
  /** System property that names the directory of the native files. */
  public static final String PROPERTY = "sluice.native";

  /** Environment variable that names the directory Sluice is installed in. */
  public static final String HOME_VARIABLE = "SLUICE_HOME";

  private static final Path BUILT = Path.of("blcr-bridge", "target", "native");

  private NativeLibraries() {}

  /**
   * The program behind {@code sluice run}.
   *
   * @return an existing file, absolute
   * @throws CommandException when it has not been built
   */
  public static Path run() {
    return find("sluice-run");
  }

  /**
   * The program behind {@code sluice mpi}.
   *
   * @return an existing file, absolute
   * @throws CommandException when it has not been built
   */
  public static Path mpi() {
    return find("sluice-mpi");
  }

  /**
   * The program behind {@code sluice profile record}.
   *
   * @return an existing file, absolute
   * @throws CommandException when it has not been built
   */
  public static Path record() {
    return find("sluice-record");
  }

  /**
   * The program that makes the writes of a trace once more.
   *
   * @return an existing file, absolute
   * @throws CommandException when it has not been built
   */
  public static Path replay() {
    return find("sluice-replay");
  }

  /**
   * The shim, to be preloaded.
   *
   * @return an existing file, absolute
   * @throws CommandException when it has not been built
   */
  public static Path preload() {
    return find("libsluice_preload.so");
  }

  /**
   * The program that sees to programs outside Sluice.
   *
   * @return where it is if it has been built
   */
  public static Path guard() {
    return directory().resolve("sluice-guard").toAbsolutePath();
  }

  /**
   * The C client.
   *
   * @return where it is if it has been built
   */
  public static Path client() {
    return directory().resolve("libsluice.so").toAbsolutePath();
  }

  /**
   * The {@code sluice} command.
   *
   * @return an existing file, absolute
   * @throws CommandException when it is not known where Sluice is installed
   */
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

  /** The build's jars and classes lie below the directory that its native files lie below. */
  private static Path installed() {
    final CodeSource source = NativeLibraries.class.getProtectionDomain().getCodeSource();
    Path above = source == null ? null : Path.of(URI.create(source.getLocation().toString()));
    while (above != null && !Files.isDirectory(above.resolve(BUILT))) {
      above = above.getParent();
    }
    return above == null ? Path.of("") : above;
  }
}
