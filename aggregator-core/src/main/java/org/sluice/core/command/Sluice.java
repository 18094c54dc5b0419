package org.sluice.core.command;

import static java.util.Comparator.comparing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.ServiceLoader.Provider;
import java.util.stream.Stream;
import org.sluice.core.posix.Quoting;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code sluice} command. */
public final class Sluice {
  /** The file with the list of subcommands, below the installation. */
  private static final String LIST = "target/commands";

  private Sluice() {}

  public static void main(final String[] args) throws IOException {
    Prelude.begin(args.length == 0 ? "" : args[0]);
    final Answer answer = Answer.begin();
    final int status = answer.end(execute(Arguments.exact(args)));
    // A main that returns is over sooner: System.exit() sets up a log of its own first.
    if (status != ExitStatus.OK.code()) {
      System.exit(status);
    }
  }

  public static int execute(final String... args) {
    try {
      Defaults.load();
    } catch (final IOException e) {
      System.err.println("sluice: cannot read the defaults: " + Quoting.line(ErrorLine.message(e)));
      return ExitStatus.of(e).code();
    }
    final String called = args.length == 0 ? "" : args[0];
    final CommandLine line = commandLine(called);
    if (!isKnown(called, line)) { // or a --help behind it would be the help of sluice itself
      return ErrorLine.usage(new UnmatchedArgumentException(line, List.of(called)), args);
    }
    final int status = line.execute(args);
    assert isTold(line, status) : "no help tells of status " + status;
    return status;
  }

  private static boolean isKnown(final String called, final CommandLine line) {
    return called.isEmpty() || called.startsWith("-") || line.getSubcommands().containsKey(called);
  }

  /**
   * The command line of all subcommands, or only of the called one, since each takes time to set
   * up.
   */
  private static CommandLine commandLine(final String called) {
    final Model model =
        Model.of(new Sluice(), "sluice")
            .describe("Node-level checkpoint write aggregation.")
            .add(
                OptionSpec.builder("--version").versionHelp(true).description("Show the version."));
    listed(called)
        .or(() -> subcommands().filter(provider -> isCalled(provider.type(), called)).findFirst())
        .map(Stream::of)
        .orElseGet(() -> subcommands().sorted(comparing(provider -> name(provider.type()))))
        .forEach(provider -> model.add(provider.get()));
    return ErrorLine.of(Model.commandLine(model.spec().version("sluice 0.1.0")))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .registerConverter(Path.class, new Arguments.PathConverter())
        .registerConverter(Long.class, value -> Arguments.number(value, Long::valueOf))
        .registerConverter(Integer.class, value -> Arguments.number(value, Integer::valueOf));
  }

  /**
   * The subcommand in the list that the build makes, if that is there: a search through all jars
   * takes longer.
   */
  private static Optional<Provider<Subcommand>> listed(final String called) {
    final String home = System.getenv("SLUICE_HOME");
    try {
      for (final String name : Files.readAllLines(Path.of(home == null ? "" : home, LIST))) {
        if (name.toLowerCase(Locale.ROOT).endsWith("." + called + "command")) {
          return Optional.of(new Listed(Class.forName(name).asSubclass(Subcommand.class)));
        }
      }
    } catch (final IOException | ClassNotFoundException notBuiltHere) {
      return Optional.empty(); // the jars are asked
    }
    return Optional.empty();
  }

  private record Listed(Class<? extends Subcommand> type) implements Provider<Subcommand> {
    @Override
    public Subcommand get() {
      try {
        return type.getConstructor().newInstance();
      } catch (final ReflectiveOperationException e) {
        throw new ServiceConfigurationError(type.getName(), e);
      }
    }
  }

  private static Stream<Provider<Subcommand>> subcommands() {
    return ServiceLoader.load(Subcommand.class).stream();
  }

  private static boolean isCalled(final Class<?> subcommand, final String called) {
    return name(subcommand).equals(called);
  }

  /**
   * The name of a subcommand, from the class's name alone, since making the models of all takes
   * long.
   */
  private static String name(final Class<?> subcommand) {
    return subcommand.getSimpleName().replaceFirst("Command$", "").toLowerCase(Locale.ROOT);
  }

  private static boolean isTold(final CommandLine line, final int status) {
    final ParseResult called = line.getParseResult();
    return called == null
        || ExitStatus.toldBy(called.asCommandLineList().getLast().getCommandSpec()).stream()
            .anyMatch(each -> each.code() == status);
  }
}
