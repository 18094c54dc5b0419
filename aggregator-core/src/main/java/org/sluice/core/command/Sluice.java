package org.sluice.core.command;

import static java.util.Comparator.comparing;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.ServiceLoader.Provider;
import java.util.Set;
import java.util.stream.Stream;
import org.sluice.core.posix.Quoting;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** The {@code sluice} command. */
@Command(
    name = "sluice",
    description = "Node-level checkpoint write aggregation.",
    version = "sluice 0.1.0",
    synopsisSubcommandLabel = "COMMAND")
public final class Sluice {
  @Option(names = "--version", versionHelp = true, description = "Show the version.")
  private boolean version;

  private Sluice() {}

  /**
   * Runs a subcommand and exits with its status.
   *
   * @param args the command line
   * @throws IOException when the kernel does not tell it
   */
  public static void main(final String[] args) throws IOException {
    Prelude.begin();
    final int status = execute(Arguments.exact(args));
    // A main that returns is over sooner: System.exit() sets up a log of its own first.
    if (status != ExitStatus.OK.code()) {
      System.exit(status);
    }
  }

  /**
   * Runs a subcommand.
   *
   * @param args the command line
   * @return its exit status, see {@link ExitStatus}
   */
  public static int execute(final String... args) {
    try {
      Defaults.load();
    } catch (final IOException e) {
      System.err.println("sluice: cannot read the defaults: " + Quoting.line(ErrorLine.message(e)));
      return ExitStatus.of(e).code();
    }
    final CommandLine line = commandLine(args.length == 0 ? "" : args[0]);
    final int status = line.execute(args);
    assert isTold(line, status) : "no help tells of status " + status;
    return status;
  }

  /** With all subcommands, or only the one that is called, since each costs time to set up. */
  private static CommandLine commandLine(final String called) {
    final CommandLine line = new CommandLine(new Sluice());
    final Optional<Provider<Subcommand>> one =
        subcommands().filter(provider -> name(provider.type()).equals(called)).findFirst();
    one.map(Stream::of)
        .orElseGet(() -> subcommands().sorted(comparing(provider -> name(provider.type()))))
        .forEach(provider -> line.addSubcommand(provider.get()));
    addHelp(line);
    return ErrorLine.of(line)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .registerConverter(Path.class, new Arguments.PathConverter());
  }

  private static Stream<Provider<Subcommand>> subcommands() {
    return ServiceLoader.load(Subcommand.class).stream();
  }

  /** Told by the class's name alone, since to read the annotations of all takes long. */
  private static String name(final Class<?> subcommand) {
    return subcommand.getSimpleName().replaceFirst("Command$", "").toLowerCase(Locale.ROOT);
  }

  /** To a command and all below it, whose statuses are its own as well. */
  private static Set<ExitStatus> addHelp(final CommandLine command) {
    final Set<ExitStatus> statuses = ExitStatus.ofCommand(command.getCommand());
    command.getSubcommands().values().forEach(each -> statuses.addAll(addHelp(each)));
    final CommandSpec spec = command.getCommandSpec();
    spec.addOption(
        OptionSpec.builder("-h", "--help").usageHelp(true).description("Show this help.").build());
    spec.usageMessage()
        .exitCodeListHeading("%nExit status:%n")
        .exitCodeList(ExitStatus.table(statuses));
    return statuses;
  }

  /** Whether the help of the command that was called tells of the status. */
  private static boolean isTold(final CommandLine line, final int status) {
    final ParseResult called = line.getParseResult();
    return called == null
        || called
            .asCommandLineList()
            .getLast()
            .getCommandSpec()
            .usageMessage()
            .exitCodeList()
            .containsKey(" " + status);
  }
}
