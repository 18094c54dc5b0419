package org.sluice.core.command;

import static org.sluice.core.command.Model.flag;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import picocli.CommandLine.Model.CommandSpec;

/** The option of every subcommand whose output may be parsed. */
public final class JsonOption implements SharedOptions {
  private boolean wanted;

  /** Not given yet. */
  public JsonOption() {}

  @Override
  public void addTo(final Model model) {
    model.add(flag(value -> wanted = value, "--json").description("Print JSON."));
  }

  /**
   * Whether the user asks for JSON.
   *
   * @return true for JSON, false for text
   */
  public boolean wanted() {
    return wanted;
  }

  /**
   * Prints a value on standard output.
   *
   * @param command the subcommand
   * @param value of maps, lists, strings and numbers
   * @throws IOException when it is of anything else
   */
  public void print(final CommandSpec command, final Object value) throws IOException {
    final String text = JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(value);
    command.commandLine().getOut().println(text);
  }
}
