package org.sluice.core.command;

import static org.sluice.core.command.Model.flag;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The option of every subcommand whose output may be parsed. Each answer is one object. So is the
 * answer of a command that fails: it has {@code error} and {@code status} then, behind the
 * findings.
 */
public final class JsonOption implements SharedOptions {
  /**
   * The first member of each answer; its value changes where a member changes its meaning or its
   * name.
   */
  private static final int SCHEMA = 1;

  private static final String NAME = "--json";

  private boolean wanted;

  /** The answer, printed when the command has ended, as it may yet fail. */
  private JsonObject answer;

  @Override
  public void addTo(final Model model) {
    model.add(flag(value -> wanted = value, NAME).description("Print JSON."));
    model.remember(NAME, this);
  }

  public boolean wanted() {
    return wanted;
  }

  /** Prints a value on standard output, at the end of the command. */
  public void print(final Map<String, Object> members) {
    answer = new JsonObject().with("schema", SCHEMA).with(members);
  }

  static void end(final CommandSpec command) throws IOException {
    final Optional<JsonOption> option = of(command);
    if (option.isPresent() && option.get().answer != null) {
      option.get().tell(command);
    }
  }

  /** Prints the answer of a command that failed, if JSON was asked for. */
  static void fail(final CommandSpec command, final ExitStatus status, final String error)
      throws IOException {
    final Optional<JsonOption> option = of(command);
    if (option.isPresent() && option.get().wanted) {
      option.get().tell(command, status, error);
    }
  }

  /** Prints the answer of a command whose words were not understood, if a word asks for JSON. */
  static void refuse(final CommandSpec command, final String error, final String... given)
      throws IOException {
    for (final String word : given) {
      if ("--".equals(word)) {
        return;
      }
      if (NAME.equals(word)) {
        of(command).orElseGet(JsonOption::new).tell(command, ExitStatus.USAGE, error);
        return;
      }
    }
  }

  private static Optional<JsonOption> of(final CommandSpec command) {
    return Optional.ofNullable(command.mixins().get(NAME))
        .map(option -> (JsonOption) option.userObject());
  }

  private void tell(final CommandSpec command, final ExitStatus status, final String error)
      throws IOException {
    if (answer == null) {
      print(Map.of());
    }
    answer.with("error", error).with("status", status.code());
    tell(command);
  }

  private void tell(final CommandSpec command) throws IOException {
    final String text = JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(answer);
    command.commandLine().getOut().println(text);
  }
}
