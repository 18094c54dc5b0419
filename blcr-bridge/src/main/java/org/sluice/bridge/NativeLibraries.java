package org.sluice.bridge;

import java.nio.file.Files;
import java.nio.file.Path;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.libc.Installation;

/**
 * The native files that Sluice starts, preloads or links. Paths are absolute. A file that does not
 * exist because it has not been built is a {@link CommandException}, but for the guard and the C
 * client.
 */
public final class NativeLibraries {
  private NativeLibraries() {}

  /** Returns the program behind {@code sluice run}. */
  public static Path run() {
    return find("sluice-run");
  }

  /** Returns the program behind {@code sluice put}. */
  public static Path put() {
    return find("sluice-put");
  }

  /** Returns the program behind {@code sluice criu}. */
  public static Path criu() {
    return find("sluice-criu");
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
    return Installation.nativeFile("sluice-guard");
  }

  /** Returns the library of the C client. */
  public static Path client() {
    return Installation.nativeFile("libsluice.so");
  }

  /** Returns the {@code sluice} command. */
  public static Path sluice() {
    final Path file = Installation.home().resolve("scripts").resolve("sluice").toAbsolutePath();
    if (!Files.isExecutable(file)) {
      throw new CommandException(
          ExitStatus.FAILED,
          "%s is missing; set %s to where Sluice is".formatted(file, Installation.HOME_VARIABLE));
    }
    return file;
  }

  private static Path find(final String name) {
    final Path file = Installation.nativeFile(name);
    if (!Files.isReadable(file)) {
      throw new CommandException(
          ExitStatus.FAILED,
          "%s is missing; run scripts/build, and start with scripts/sluice".formatted(file));
    }
    return file;
  }
}
