package org.sluice.core.command;

import static org.sluice.core.command.Model.option;

/** The option of every subcommand that reads a store which several nodes may use. */
public final class SeriesOption implements SharedOptions {
  private String name;

  @Override
  public void addTo(final Model model) {
    model.add(
        option(String.class, value -> name = value, "--series")
            .paramLabel("NAME")
            .description(
                "Which series of checkpoints, where a store of several nodes has more than one. Unless"
                    + " told, ls shows all; verify and restore take default if there is one."));
  }

  /** Returns the series' name as given; null for the only one. */
  public String name() {
    return name;
  }
}
