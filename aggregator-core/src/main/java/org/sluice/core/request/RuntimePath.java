package org.sluice.core.request;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import org.sluice.core.posix.Environment;
import org.sluice.core.process.NativeProcess;

/** The places of I/O processes' sockets and segments, by name. */
public final class RuntimePath {
  /** Environment variable that names the runtime directory of the node's I/O process. */
  public static final String DIRECTORY_VARIABLE = "SLUICE_DIRECTORY";

  /** Environment variable that replaces {@code /dev/shm/sluice-UID}. */
  public static final String BASE_VARIABLE = "SLUICE_RUNTIME";

  /** Name of an I/O process that was given none. */
  public static final String DEFAULT_NAME = "default";

  private static final Pattern NAME = Pattern.compile("[^./\\p{Cntrl}][^/\\p{Cntrl}]*");

  private RuntimePath() {}

  /**
   * Returns whether an I/O process may have a name: a directory gets it, and lines that users read.
   */
  public static boolean isName(final String name) {
    return NAME.matcher(name).matches();
  }

  /**
   * Returns the absolute directory that holds one directory for each I/O process of this user; it
   * need not exist.
   */
  public static Path base() throws IOException {
    final Optional<Path> base = Environment.path(BASE_VARIABLE);
    return base.isPresent()
        ? base.get().toAbsolutePath()
        : Path.of("/dev/shm", "sluice-" + NativeProcess.user());
  }

  /**
   * The place of the I/O process of a name, which need not run.
   *
   * @param name null for the one that {@link #DIRECTORY_VARIABLE} names, or else the default one
   * @return its directory, which need not exist
   */
  public static Path find(final String name) throws IOException {
    final Optional<Path> directory = Environment.path(DIRECTORY_VARIABLE);
    if (name == null && directory.isPresent()) {
      return directory.get();
    }
    return base().resolve(name == null ? DEFAULT_NAME : name);
  }
}
