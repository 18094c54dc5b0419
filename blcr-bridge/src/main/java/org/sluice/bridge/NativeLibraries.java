package org.sluice.bridge;

import java.nio.file.Files;
import java.nio.file.Path;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;

/** Where the native libraries are. */
public final class NativeLibraries {
  /** Environment variable that names the directory Sluice is installed in. */
  public static final String HOME_VARIABLE = "SLUICE_HOME";

  private NativeLibraries() {}

  /**
   * The library to preload into processes whose files are captured.
   *
   * @return an existing file, absolute
   * @throws CommandException when there is none
   */
  public static Path preload() {
    final String home = System.getenv(HOME_VARIABLE);
    final Path library =
        Path.of(home == null ? "" : home, "blcr-bridge/target/native/libsluice_preload.so")
            .toAbsolutePath();
    if (!Files.isReadable(library)) {
      throw new CommandException(
          ExitStatus.FAILED,
          "no shim at %s; start with scripts/sluice, or set %s and run scripts/build"
              .formatted(library, HOME_VARIABLE));
    }
    return library;
  }
}
