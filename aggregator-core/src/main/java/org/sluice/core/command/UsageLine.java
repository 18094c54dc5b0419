package org.sluice.core.command;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sluice.core.posix.Quoting;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The words about a command line that makes no sense. */
final class UsageLine {
  private static final String STORE = "--store";

  private UsageLine() {}

  /** {@return a line without the command's name in front, and without the place of its help} */
  static String of(final ParameterException e, final List<String> given) {
    final CommandLine command = e.getCommandLine();
    return switch (e) {
      case UnmatchedArgumentException unmatched -> unknown(unmatched);
      case MissingParameterException missing ->
          unknownOptions(command.getCommandSpec(), given)
              .findFirst()
              .map(name -> unknown(new UnmatchedArgumentException(command, List.of(name))))
              .orElseGet(() -> missing(missing));
      default -> value(e);
    };
  }

  /** Picocli's words call the value wrong first, and quote the option. */
  private static String value(final ParameterException e) {
    if (e.getArgSpec() instanceof final OptionSpec option
        && option.type().isEnum()
        && e.getValue() != null) {
      final List<String> known =
          Stream.of(option.type().getEnumConstants()).map(String::valueOf).toList();
      return "%s: there is no %s, only %s%s"
          .formatted(
              option.longestName(),
              Quoting.name(e.getValue()),
              String.join(" and ", known).replaceAll(" and (?=.* and )", ", "),
              Nearest.to(e.getValue(), known));
    }
    return e.getMessage()
        .replaceFirst("^Invalid value for option '([^']*)'( \\([^)]*\\))?: ", "$1: ")
        .replaceFirst("^Invalid value for positional parameter at index \\d+ \\((.*?)\\): ", "");
  }

  /** The misspelt options, which picocli finds only where nothing is missing. */
  private static Stream<String> unknownOptions(
      final CommandSpec command, final List<String> given) {
    return given.stream()
        .takeWhile(word -> !"--".equals(word))
        .filter(word -> word.startsWith("-") && word.length() > 1)
        .map(word -> word.replaceFirst("=.*", ""))
        .filter(name -> !command.optionsMap().containsKey(name));
  }

  private static String unknown(final UnmatchedArgumentException e) {
    final CommandLine command = e.getCommandLine();
    final String word = e.getUnmatched().getFirst();
    if (e.isUnknownOption()) {
      final String options =
          e.getUnmatched().stream()
              .filter(each -> each.startsWith("-"))
              .map(Quoting::name)
              .collect(Collectors.joining(", nor "));
      return "there is no option " + options + suggestion(e);
    }
    return command.getSubcommands().isEmpty()
        ? Quoting.name(word) + " is of no use"
        : "there is no command " + Quoting.name(word) + suggestion(e);
  }

  private static String suggestion(final UnmatchedArgumentException e) {
    final CommandLine command = e.getCommandLine();
    final String word = e.getUnmatched().getFirst().replaceFirst("=.*", "");
    return Nearest.to(
        word,
        e.isUnknownOption()
            ? command.getCommandSpec().options().stream()
                .filter(option -> !option.hidden())
                .flatMap(option -> Stream.of(option.names()))
                .toList()
            : command.getSubcommands().keySet());
  }

  private static String missing(final MissingParameterException e) {
    final boolean store =
        e.getMissing().stream()
            .anyMatch(each -> each.isOption() && each.toString().contains(STORE));
    return store
        ? "no store; name one with --store DIR or in SLUICE_STORE"
        : e.getMessage()
            .replaceFirst(
                "^Missing required parameter for option '([^']*)' \\((.*)\\)$",
                "$1 needs a value: $2")
            .replaceFirst("^Missing required option: '(\\S*?)=(.*)'$", "say $1 $2")
            .replaceFirst("^Missing required parameter: '(.*)'$", "say $1");
  }
}
