package org.sluice.iop;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.sluice.bridge.NativeLibraries;
import org.sluice.bridge.NativeProgram;
import org.sluice.core.command.Subcommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The help of {@code sluice run}. The command itself is a native program, which starts an I/O
 * process and another one when that is killed; {@code scripts/sluice} goes there without a JVM.
 */
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
  @Spec private CommandSpec spec;

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
    return NativeProgram.run(NativeLibraries.run(), spec);
  }
}
