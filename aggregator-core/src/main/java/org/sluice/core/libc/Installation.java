package org.sluice.core.libc;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Optional;

/**
 * The place where Sluice is installed, and its native files in it. The system property {@value
 * #PROPERTY} names their directory. Without the property they are where the build puts them, below
 * the directory Sluice is installed in. The environment variable {@value #HOME_VARIABLE}, which
 * {@code scripts/sluice} sets, names that directory. Without the variable it is found from the
 * place of this class.
 */
public final class Installation {
  /** The system property that names the directory of the native files. */
  public static final String PROPERTY = "sluice.native";

  /** The environment variable that names the directory Sluice is installed in. */
  public static final String HOME_VARIABLE = "SLUICE_HOME";

  private static final Path BUILT = Path.of("blcr-bridge", "target", "native");

  private Installation() {}

  /** Returns the absolute path of a native file, which may not be there. */
  public static Path nativeFile(final String name) {
    return Optional.ofNullable(System.getProperty(PROPERTY))
        .map(Path::of)
        .orElseGet(() -> home().resolve(BUILT))
        .resolve(name)
        .toAbsolutePath();
  }

  public static Path home() {
    return Optional.ofNullable(System.getenv(HOME_VARIABLE))
        .map(Path::of)
        .orElseGet(Installation::above);
  }

  /**
   * Returns the directory Sluice is installed in: the lowest one above this class that also has the
   * build's native files.
   */
  private static Path above() {
    final CodeSource source = Installation.class.getProtectionDomain().getCodeSource();
    Path above = source == null ? null : Path.of(URI.create(source.getLocation().toString()));
    while (above != null && !Files.isDirectory(above.resolve(BUILT))) {
      above = above.getParent();
    }
    return above == null ? Path.of("") : above;
  }

  /** Loads a library of native methods. */
  @SuppressWarnings("restricted")
  static void load(final String name) {
    final Path library = nativeFile(name);
    if (!Files.exists(library)) {
      throw new UnsatisfiedLinkError(
          "%s is missing; run scripts/build, or name its directory by -D%s"
              .formatted(library, PROPERTY));
    }
    System.load(library.toString());
  }
}
