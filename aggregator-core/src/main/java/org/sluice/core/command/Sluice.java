package org.sluice.core.command;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.ServiceLoader.Provider;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The {@code sluice} command. */
@Command(
    name = "sluice",
    description = "Node-level checkpoint write aggregation.",
    version = "sluice 0.1.0",
    synopsisSubcommandLabel = "COMMAND")
public final class Sluice {
  /** What the user has called where that is not the command itself, as {@code sluice exec}. */
  private static final String CALLED = "SLUICE_CALLED";

  @Option(names = "--version", versionHelp = true, description = "Show the version.")
  private boolean version;

  private Sluice() {}

  /**
   * Runs a subcommand and exits with its status.
   *
   * @param args the command line
   */
  public static void main(final String[] args) {
    System.exit(execute(args));
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
      System.err.println("sluice: cannot read the defaults: " + message(e));
      return ExitStatus.of(e).code();
    }
    return commandLine(args.length == 0 ? "" : args[0]).execute(args);
  }

  /** With all subcommands, or only the one that is called, since each costs time to set up. */
  private static CommandLine commandLine(final String called) {
    final CommandLine line = new CommandLine(new Sluice());
    final Map<String, Provider<Subcommand>> subcommands = subcommands();
    if (subcommands.containsKey(called)) {
      subcommands.keySet().retainAll(Set.of(called));
    }
    subcommands.forEach((name, provider) -> line.addSubcommand(name, provider.get()));
    addHelp(line);
    return line.setParameterExceptionHandler((e, args) -> usage(e))
        .setExecutionExceptionHandler((e, command, parsed) -> failure(e, command))
        .setCaseInsensitiveEnumValuesAllowed(true);
  }

  private static SortedMap<String, Provider<Subcommand>> subcommands() {
    final SortedMap<String, Provider<Subcommand>> subcommands = new TreeMap<>();
    ServiceLoader.load(Subcommand.class).stream()
        .forEach(
            provider ->
                subcommands.put(provider.type().getAnnotation(Command.class).name(), provider));
    return subcommands;
  }

  /** To a command and all below it. */
  private static void addHelp(final CommandLine command) {
    final CommandSpec spec = command.getCommandSpec();
    spec.addOption(
        OptionSpec.builder("-h", "--help").usageHelp(true).description("Show this help.").build());
    spec.usageMessage().exitCodeListHeading("%nExit status:%n").exitCodeList(ExitStatus.table());
    command.getSubcommands().values().forEach(Sluice::addHelp);
  }

  private static int usage(final ParameterException e) {
    report(
        e.getCommandLine(),
        "%s; see %s --help".formatted(e.getMessage(), name(e.getCommandLine())));
    return ExitStatus.USAGE.code();
  }

  private static int failure(final Exception e, final CommandLine command) {
    report(command, message(e));
    if (System.getenv("SLUICE_TRACE") != null) {
      e.printStackTrace(command.getErr());
    }
    return ExitStatus.of(e).code();
  }

  /** The messages of some exceptions are no more than a file's name. */
  private static String message(final Exception e) {
    return switch (e) {
      case AccessDeniedException denied ->
          "permission denied: " + denied.getFile() + "; check its owner and mode";
      case NoSuchFileException missing ->
          "no such file or directory: "
              + missing.getFile()
              + "; check it and the directories above it";
      case FileAlreadyExistsException exists ->
          "%s exists already; name another or remove it".formatted(exists.getFile());
      case CommandException known -> known.getMessage();
      case IOException known -> String.valueOf(known.getMessage());
      default -> "unexpected " + e + "; SLUICE_TRACE=1 shows where";
    };
  }

  private static void report(final CommandLine command, final String message) {
    command.getErr().println(name(command) + ": " + message.replaceAll("\\s*\\R\\s*", " "));
  }

  private static String name(final CommandLine command) {
    final String called = System.getenv(CALLED);
    return called == null ? command.getCommandSpec().qualifiedName() : called;
  }
}
