package org.sluice.profile;

import static org.sluice.core.command.Model.option;
import static org.sluice.core.command.Model.parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.sluice.bridge.NativeLibraries;
import org.sluice.bridge.NativeProgram;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Model;
import org.sluice.core.command.Subcommand;
import picocli.CommandLine.Model.CommandSpec;

/** The help of {@code sluice profile record}, which is a native program. */
public final class RecordCommand implements Subcommand {

  private Path capture;
  private Path target;
  private List<String> command;

  private final CommandSpec spec =
      Model.of(this, "record")
          .describe(
              "Runs a command and records every write to the files it opens in a directory.",
              "There is no I/O process: the files are written as without Sluice. A process that is killed"
                  + " leaves what it recorded. Statically linked programs and output that a shell redirects"
                  + " are not seen. run has --profile instead.",
              "Exits like the command: 128+N when signal N killed it, 127 when it is not found, 126 when it"
                  + " cannot be executed; 6 when the trace exists.")
          .exits(ExitStatus.EXISTS, ExitStatus.NO_ROOM, ExitStatus.DENIED)
          .add(
              option(Path.class, value -> capture = value, "--capture")
                  .paramLabel("DIR")
                  .description(
                      "Writes to files below this directory count; default: the working directory."))
          .add(
              option(Path.class, value -> target = value, "--to")
                  .paramLabel("DIR")
                  .description(
                      "The trace, a directory with one file for each process; default: sluice.trace."))
          .add(
              parameters(String.class, value -> command = value)
                  .paramLabel("CMD")
                  .arity("1..*")
                  .description("The command and its arguments."))
          .examples(
              "  sluice profile record --capture /scratch/run -- mpirun -n 8 ./heat",
              "  mpirun -n 64 sluice profile record --to /shared/heat.trace -- ./heat",
              "  sluice profile report sluice.trace")
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    return NativeProgram.run(NativeLibraries.record(), spec);
  }
}
