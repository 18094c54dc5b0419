package org.sluice.iop;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Subcommand;
import org.sluice.iop.measure.Statistics;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a command with an I/O process around it. */
@Command(
    name = "run",
    description = {
      "Runs a command with the files it creates captured, and drains them.",
      "Exits like the command: 128+N when signal N killed it, 127 when it is not",
      "found, 126 when it cannot be executed."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  sluice run --store /scratch/store --capture /scratch/run -- mpirun -n 8 ./heat",
      "  sluice run --store /scratch/store --capture /scratch/run --layout container \\",
      "      --group 'ckpt-([0-9]+)' --stats stats.json -- mpirun -n 8 ./heat"
    })
public final class RunCommand implements Subcommand {
  @Mixin private ServiceOptions options;

  @Option(
      names = "--stats",
      paramLabel = "FILE",
      description = "Leave statistics in this file at the end, as JSON.")
  private Path stats;

  @Option(
      names = "--profile",
      paramLabel = "DIR",
      description = "Record every write in this directory, for sluice profile.")
  private Path profile;

  @Parameters(
      paramLabel = "CMD",
      arity = "1..*",
      description = "The command and its arguments, after --.")
  private List<String> command;

  /** For picocli. */
  public RunCommand() {}

  @Override
  public Integer call() throws IOException {
    if (!options.captures()) {
      throw options.usage("--capture is missing: which directory's new files are to be captured?");
    }
    StatsFile.check(stats);
    if (profile != null) {
      createTrace();
    }
    final String name = "run-" + ProcessHandle.current().pid();
    final Settings settings = options.settings(ServiceOptions.Layout.files, name, false);
    try (IoProcess process = IoProcess.start(settings)) {
      final int status = Child.run(command, environment(process.directory(), settings.capture()));
      process.end(status == 0);
      DrainProgress.show(process);
      StatsFile.write(stats, process.statistics());
      process
          .statistics()
          .shortage()
          .ifPresent(what -> System.err.println("sluice: " + what + "; see --buffer"));
      if (status == 0) {
        check(process.statistics());
      }
      return status;
    }
  }

  private void createTrace() throws IOException {
    try {
      Files.createDirectory(profile);
    } catch (final FileAlreadyExistsException e) {
      throw new CommandException(
          ExitStatus.EXISTS,
          "%s exists already; name another directory or remove it".formatted(profile));
    }
  }

  private Map<String, String> environment(final Path directory, final Path capture)
      throws IOException {
    final Map<String, String> environment = new HashMap<>();
    environment.put("SLUICE_DIRECTORY", directory.toString());
    environment.put("SLUICE_CAPTURE", capture.toString());
    if (profile != null) {
      environment.put("SLUICE_PROFILE", profile.toRealPath().toString());
    }
    return environment;
  }

  /** A command that believes all is well must not hide that its files are not. */
  private static void check(final Statistics statistics) {
    if (statistics.failure().isPresent()) {
      final Exception failure = statistics.failure().get();
      throw new CommandException(
          ExitStatus.of(failure),
          "the command succeeded, but not all of its files reached storage: %s; run it again"
              .formatted(failure.getMessage()));
    }
  }
}
