package org.sluice.core.command;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sluice.core.posix.Quoting;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The words about a command line that makes no sense. */
final class UsageLine {
  private static final String STORE = "--store";

  private UsageLine() {}

  /**
   * Says what is wrong.
   *
   * @param e what picocli found
   * @param given the words behind {@code sluice}
   * @return without the command's name in front, nor where its help is
   */
  static String of(final ParameterException e, final List<String> given) {
    final CommandLine command = e.getCommandLine();
    return switch (e) {
      case UnmatchedArgumentException unmatched -> unknown(unmatched);
      case MissingParameterException missing ->
          unknownOptions(command.getCommandSpec(), given)
              .findFirst()
              .map(name -> unknown(new UnmatchedArgumentException(command, List.of(name))))
              .orElseGet(() -> missing(missing));
      default -> e.getMessage();
    };
  }

  /** A misspelt option, which picocli tells of only where nothing is missing. */
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
        ? "%s is %s"
            .formatted(Quoting.name(word), takesNumbers(command) ? "no number" : "of no use")
        : "there is no command " + Quoting.name(word) + suggestion(e);
  }

  private static String suggestion(final UnmatchedArgumentException e) {
    return e.getSuggestions().stream()
        .filter(each -> each.startsWith(beginning(e.getUnmatched().getFirst())))
        .findFirst()
        .map(" (did you mean %s?)"::formatted)
        .orElse("");
  }

  /** Picocli suggests what has some letters in common. */
  private static String beginning(final String word) {
    return word.replaceFirst("^(-*..?).*", "$1");
  }

  private static boolean takesNumbers(final CommandLine command) {
    return command.getCommandSpec().positionalParameters().stream()
        .anyMatch(each -> List.of(each.auxiliaryTypes()).contains(Long.class));
  }

  private static String missing(final MissingParameterException e) {
    final boolean store =
        e.getMissing().stream()
            .anyMatch(each -> each.isOption() && each.toString().contains(STORE));
    return store ? "no store; name one with --store DIR or in SLUICE_STORE" : e.getMessage();
  }
}
