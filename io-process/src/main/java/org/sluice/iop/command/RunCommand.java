package org.sluice.iop.command;

import static org.sluice.core.command.Model.option;
import static org.sluice.core.command.Model.parameters;

import java.io.IOException;
import org.sluice.bridge.NativeLibraries;
import org.sluice.bridge.NativeProgram;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Model;
import org.sluice.core.command.Subcommand;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The command {@code sluice run}, a native program that starts an I/O process, and another one when
 * that is killed. This class has the command's options and help, from which the native program's
 * table is generated. {@code scripts/sluice} starts that program without a JVM.
 */
public final class RunCommand implements Subcommand {
  private final CommandSpec spec =
      Model.of(this, "run")
          .describe(
              "Runs a command with the files it creates captured, and drains them.",
              "The command may be a launcher such as mpirun, or what that starts: of the ranks",
              "of a node the first one starts the I/O process, and the last one stops it.",
              "A job on several nodes needs sluice run behind the launcher.",
              "Exits like the command: 128+N when signal N killed it, 127 when it is not",
              "found, 126 when it cannot be executed.")
          .examples(
              "  sluice run --store /scratch/store --capture /scratch/run -- mpirun -n 8 ./heat",
              "  mpirun -n 64 sluice run --store /scratch/store --capture out -- ./heat",
              "  srun -n 64 sluice run --store /scratch/store --capture out \\",
              "      --layout container --group 'step-([0-9]+)/' -- ./heat input.txt")
          .exits(
              ExitStatus.NO_STORE,
              ExitStatus.DAMAGED,
              ExitStatus.EXISTS,
              ExitStatus.BUSY,
              ExitStatus.NO_ROOM,
              ExitStatus.DENIED,
              ExitStatus.OTHER_VERSION,
              ExitStatus.FEW_DESCRIPTORS,
              ExitStatus.CRASHED,
              ExitStatus.PREEMPTED)
          .add(new ServiceOptions())
          .add(
              option(String.class, value -> {}, "--profile")
                  .paramLabel("DIR")
                  .description("Record every write in this directory, for sluice profile."))
          .add(
              parameters(String.class, value -> {})
                  .paramLabel("CMD")
                  .arity("1..*")
                  .description("The command and its arguments, after --."))
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    return NativeProgram.run(NativeLibraries.run(), spec);
  }
}
