package org.sluice.iop.command;

import static org.sluice.core.command.Model.flag;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Model;
import org.sluice.core.command.Subcommand;
import org.sluice.core.posix.Quoting;
import org.sluice.core.store.parts.SeriesDirectory;
import org.sluice.iop.wave.AskedWave;
import org.sluice.iop.wave.WaveFiles;
import picocli.CommandLine.Model.CommandSpec;

/** The command that asks a job for a checkpoint. */
final class CheckpointCommand implements Subcommand {
  /**
   * The time within which a job has to take a request. A coordinator looks once a second, and one
   * that was killed is resumed.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /**
   * The same time when the coordinator may be on another node, whose file system sees a new file
   * only later.
   */
  private static final Duration SHARED_PATIENCE = Duration.ofSeconds(60);

  private final WavesOption waves = new WavesOption();
  private boolean waits;

  private final CommandSpec spec =
      Model.of(this, "checkpoint")
          .describe(
              "Asks the job that runs in a store for a checkpoint, from any node.",
              "It begins within a second, or when the one under way is over. Without --wait status 0 says that the job"
                  + " has taken the request; whether the checkpoint is committed, sluice mpi status shows.",
              "Where no job takes it within 10 s, or 60 s in a store of several nodes, it is withdrawn.")
          .exits(ExitStatus.NOT_FOUND, ExitStatus.DENIED)
          .add(waves)
          .add(
              flag(value -> waits = value, "--wait")
                  .description(
                      "End once the checkpoint is committed, with its line of sluice mpi status; with status 1 and the"
                          + " reason if it is given up and not tried again by itself."))
          .examples(
              "  sluice mpi checkpoint --store /scratch/ckpt",
              "  sluice mpi checkpoint --store /scratch/ckpt --wait && scancel 1234")
          .spec();

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
    final AskedWave asked = new AskedWave(files);
    if (!files.ask(patience)) {
      throw new CommandException(
          ExitStatus.NOT_FOUND,
          "no job under sluice mpi runs in %s: none took the request within %d s"
              .formatted(files.folder(), patience.toSeconds()));
    }
    if (waits) {
      spec.commandLine().getOut().println(await(asked));
    }
    return ExitStatus.OK.code();
  }

  private static String await(final AskedWave asked) throws IOException, InterruptedException {
    final Map<String, Object> told = asked.end().orElseThrow(CheckpointCommand::silent);
    final String text = StatusCommand.text(told).map(Quoting::line).orElseThrow();
    return switch (String.valueOf(told.get("what"))) {
      case "committed" -> text;
      case "start", "restart" ->
          throw new CommandException(
              ExitStatus.FAILED,
              "the job was run again before this checkpoint; ask again: " + text);
      default -> throw new CommandException(ExitStatus.FAILED, text);
    };
  }

  private static CommandException silent() {
    return new CommandException(
        ExitStatus.FAILED,
        "the job took the request, and nothing is heard of it any more; see whether it runs still, and sluice mpi status");
  }
}
