package org.sluice.iop.mpi;

import java.io.IOException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Model;
import org.sluice.core.command.Subcommand;
import picocli.CommandLine.Model.CommandSpec;

/** Asks for a wave. */
final class CheckpointCommand implements Subcommand {
  private final WavesOption waves = new WavesOption();

  private final CommandSpec spec =
      Model.of(this, "checkpoint")
          .describe(
              "Asks the job that runs in a store for a checkpoint, from any node.",
              "It begins within a second, or when the one under way is over.")
          .exits(ExitStatus.DENIED)
          .add(waves)
          .examples("  sluice mpi checkpoint --store /scratch/ckpt")
          .spec();

  CheckpointCommand() {}

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    waves.files().ask();
    return ExitStatus.OK.code();
  }
}
