package org.sluice.iop.mpi;

import static org.sluice.core.command.Model.option;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Model;
import org.sluice.core.command.SeriesOption;
import org.sluice.core.command.StoreOption;
import org.sluice.core.command.Subcommand;
import org.sluice.core.series.SeriesDirectory;
import org.sluice.iop.waves.WaveFiles;
import picocli.CommandLine.Model.CommandSpec;

/** Asks for a wave. */
final class CheckpointCommand implements Subcommand {
  /** A coordinator looks once a second, and one that was killed is resumed. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** The coordinator may be on another node, whose file system sees a new file only later. */
  private static final Duration SHARED_PATIENCE = Duration.ofSeconds(60);

  private final StoreOption store = new StoreOption();
  private final SeriesOption series = new SeriesOption();
  private Path stage;

  private final CommandSpec spec =
      Model.of(this, "checkpoint")
          .describe(
              "Asks the job that runs in a store for a checkpoint, from any node.",
              "It begins within a second, or when the one under way is over. Where no job runs nothing is asked for.")
          .exits(ExitStatus.NOT_FOUND, ExitStatus.DENIED)
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
  public Integer call() throws IOException, InterruptedException {
    final WaveFiles files = WaveFiles.of(store, series.name(), stage);
    final boolean shared = !store.isElsewhere() && SeriesDirectory.is(store.directory());
    final Duration patience = shared ? SHARED_PATIENCE : PATIENCE;
    if (!files.ask(patience)) {
      throw new CommandException(
          ExitStatus.NOT_FOUND,
          "no job under sluice mpi runs in %s: none took the request within %d s"
              .formatted(files.folder(), patience.toSeconds()));
    }
    return ExitStatus.OK.code();
  }
}
