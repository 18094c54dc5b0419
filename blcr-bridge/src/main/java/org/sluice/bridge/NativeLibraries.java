package org.sluice.bridge;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;

/**
 * Where the native files are: in the directory that the system property {@value #PROPERTY} names,
 * or else where the build puts them below the directory that the environment's {@value
 * #HOME_VARIABLE} names, which {@code scripts/sluice} sets.
 */
public final class NativeLibraries {
  /** System property that names the directory of the native files. */
  public static final String PROPERTY = "sluice.native";

  /** Environment variable that names the directory Sluice is installed in. */
  public static final String HOME_VARIABLE = "SLUICE_HOME";

  private NativeLibraries() {}

  /**
   * The library to preload into processes whose files are captured.
   *
   * @return an existing file, absolute
   * @throws CommandException when it has not been built
   */
  public static Path preload() {
    return find("libsluice_preload.so");
  }

  /**
   * The program behind {@code sluice exec}.
   *
   * @return an existing file, absolute
   * @throws CommandException when it has not been built
   */
  public static Path exec() {
    return find("sluice-exec");
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
    final String home = Optional.ofNullable(System.getenv(HOME_VARIABLE)).orElse("");
    return Optional.ofNullable(System.getProperty(PROPERTY))
        .map(Path::of)
        .orElseGet(() -> Path.of(home, "blcr-bridge", "target", "native"));
  }
}
