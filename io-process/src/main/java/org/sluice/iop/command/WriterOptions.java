package org.sluice.iop.command;

import static org.sluice.core.command.Model.flag;
import static org.sluice.core.command.Model.option;

import org.sluice.core.command.JsonOption;
import org.sluice.core.command.Model;
import org.sluice.core.command.SharedOptions;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The options of native commands that write a checkpoint, as {@code put/writer_options.c} has them.
 */
final class WriterOptions implements SharedOptions {
  private final String command;

  /**
   * @param command name of the command, which may start an I/O process
   */
  WriterOptions(final String command) {
    this.command = command;
  }

  /** An option that a native program takes. */
  static OptionSpec.Builder value(
      final String label, final String description, final String... names) {
    return option(String.class, value -> {}, names).paramLabel(label).description(description);
  }

  @Override
  public void addTo(final Model model) {
    model
        .add(
            flag(value -> {}, "--replace")
                .description("Replace the checkpoint of this number, if one is committed."))
        .add(value("container|files", "As for serve; default: container.", "--layout"))
        .add(
            value(
                "SIZE", "As for run, if %s starts the I/O process.".formatted(command), "--buffer"))
        .add(value("auto|fixed:SIZE", "As for run.", "--threshold"))
        .add(value("N|all", "As for run.", "--keep"))
        .add(value("NAME", "As for run.", "--series"))
        .add(value("DIR", "As for run.", "--stage"))
        .add(value("FILE", "As for run.", "--stats"))
        .add(new JsonOption());
  }
}
