package org.sluice.iop;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
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
    final String name = "run-" + ProcessHandle.current().pid();
    final Settings settings = options.settings(ServiceOptions.Layout.files, name, false);
    try (IoProcess process = IoProcess.start(settings)) {
      final int status = Child.run(command, process.directory(), settings.capture());
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
