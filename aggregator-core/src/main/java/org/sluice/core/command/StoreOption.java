package org.sluice.core.command;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option every subcommand that works on a store shares. */
public final class StoreOption {
  @Option(
      names = "--store",
      paramLabel = "DIR",
      required = true,
      defaultValue = "${env:SLUICE_STORE}",
      description = "The store's directory; default: environment SLUICE_STORE.")
  private Path directory;

  /** For picocli. */
  public StoreOption() {}

  /**
   * The store's directory.
   *
   * @return as given
   */
  public Path directory() {
    return directory;
  }
}
