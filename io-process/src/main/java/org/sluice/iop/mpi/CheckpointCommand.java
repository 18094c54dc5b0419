package org.sluice.iop.mpi;

import static org.sluice.core.command.Model.option;

import java.io.IOException;
import java.nio.file.Path;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Model;
import org.sluice.core.command.SeriesOption;
import org.sluice.core.command.StoreOption;
import org.sluice.core.command.Subcommand;
import org.sluice.iop.waves.WaveFiles;
import picocli.CommandLine.Model.CommandSpec;

/** Asks for a wave. */
final class CheckpointCommand implements Subcommand {
  private final StoreOption store = new StoreOption();
  private final SeriesOption series = new SeriesOption();
  private Path stage;

  private final CommandSpec spec =
      Model.of(this, "checkpoint")
          .describe(
              "Asks the job that runs in a store for a checkpoint, from any node.",
              "It begins within a second, or when the one under way is over.")
          .exits(ExitStatus.DENIED)
          .add(store)
          .add(series)
          .add(
              option(Path.class, value -> stage = value, "--stage")
                  .paramLabel("DIR")
                  .defaultValue("${env:SLUICE_STAGE}")
                  .description(
                      "Where the store is a URI: the stage of rank 0's node, which has the waves' log;"
                          + " default: environment SLUICE_STAGE."))
          .examples("  sluice mpi checkpoint --store /scratch/ckpt")
          .spec();

  CheckpointCommand() {}

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    WaveFiles.of(store, series.name(), stage).ask();
    return ExitStatus.OK.code();
  }
}
