package org.sluice.core.command;

import static org.sluice.core.command.Model.option;

import java.nio.file.Path;
import picocli.CommandLine.Model.OptionSpec;

/** The option every subcommand that works on a store shares. */
public final class StoreOption implements SharedOptions {
  private Path directory;
  private OptionSpec option;

  /** Not given yet. */
  public StoreOption() {}

  @Override
  public void addTo(final Model model) {
    model.add(
        option(Path.class, value -> directory = value, "--store")
            .paramLabel("DIR")
            .required(true)
            .defaultValue("${env:SLUICE_STORE}")
            .description("The store's directory; default: environment SLUICE_STORE."));
    option = model.spec().findOption("--store");
  }

  /**
   * The store's directory.
   *
   * @return as given
   */
  public Path directory() {
    return directory;
  }

  /**
   * The store.
   *
   * @return a directory's path or a URI, as given
   */
  public String location() {
    return option.stringValues().getFirst();
  }
}
