package org.sluice.core.command;

import static org.sluice.core.command.Model.option;

import java.util.Optional;

/** The option of every subcommand that reads a store which several nodes may use. */
public final class SeriesOption implements SharedOptions {
  private Optional<String> name = Optional.empty();

  @Override
  public void addTo(final Model model) {
    model.add(
        option(String.class, value -> name = Optional.of(value), "--series")
            .paramLabel("NAME")
            .description(
                "Which series of checkpoints, where a store of several nodes has more than one. Unless"
                    + " told, ls shows all; verify and restore take default if there is one."));
  }

  /** Returns the name of the series that the user chose. */
  public Optional<String> name() {
    return name;
  }
}
