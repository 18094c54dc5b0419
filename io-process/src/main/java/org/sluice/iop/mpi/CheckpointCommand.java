package org.sluice.iop.mpi;

import java.io.IOException;
import java.time.Duration;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Model;
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

  private final WavesOption waves = new WavesOption();

  private final CommandSpec spec =
      Model.of(this, "checkpoint")
          .describe(
              "Asks the job that runs in a store for a checkpoint, from any node.",
              "It begins within a second, or when the one under way is over. Status 0 says that the job has taken the"
                  + " request; whether the checkpoint is committed, sluice mpi status shows.",
              "Where no job takes it within 10 s, or 60 s in a store of several nodes, it is withdrawn.")
          .exits(ExitStatus.NOT_FOUND, ExitStatus.DENIED)
          .add(waves)
          .examples("  sluice mpi checkpoint --store /scratch/ckpt")
          .spec();

  CheckpointCommand() {}

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    final WaveFiles files = waves.files();
    final boolean shared =
        !waves.store().isElsewhere() && SeriesDirectory.is(waves.store().directory());
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
