package org.sluice.profile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.sluice.bridge.NativeLibraries;
import org.sluice.bridge.NativeProgram;
import org.sluice.core.command.Exits;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The help of {@code sluice profile record}, which is a native program. */
@Exits("EXISTS NO_ROOM DENIED")
@Command(
    name = "record",
    description = {
      "Runs a command and records every write to the files it opens in a directory.",
      "There is no I/O process: the files are written as without Sluice. A process that is killed"
          + " leaves what it recorded. Statically linked programs and output that a shell redirects"
          + " are not seen. run and exec have --profile instead.",
      "Exits like the command: 128+N when signal N killed it, 127 when it is not found, 126 when it"
          + " cannot be executed; 6 when the trace exists."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  sluice profile record --capture /scratch/run -- mpirun -n 8 ./heat",
      "  mpirun -n 64 sluice profile record --to /shared/heat.trace -- ./heat",
      "  sluice profile report sluice.trace"
    })
public final class RecordCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--capture",
      paramLabel = "DIR",
      description = "Writes to files below this directory count; default: the working directory.")
  private Path capture;

  @Option(
      names = "--to",
      paramLabel = "DIR",
      description = "The trace, a directory with one file for each process; default: sluice.trace.")
  private Path target;

  @Parameters(paramLabel = "CMD", arity = "1..*", description = "The command and its arguments.")
  private List<String> command;

  /** For picocli. */
  public RecordCommand() {}

  @Override
  public Integer call() throws IOException {
    return NativeProgram.run(NativeLibraries.record(), spec);
  }
}
