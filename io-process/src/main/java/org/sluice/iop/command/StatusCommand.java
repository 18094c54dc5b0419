package org.sluice.iop.command;

import static org.sluice.core.command.Model.flag;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.core.command.ErrorLine;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonObject;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.Model;
import org.sluice.core.command.SizeConverter;
import org.sluice.core.command.Subcommand;
import org.sluice.core.posix.Quoting;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.CheckpointReader;
import org.sluice.core.store.node.Occupancy;
import org.sluice.core.store.parts.Stores;
import org.sluice.iop.wave.NewestWave;
import org.sluice.iop.wave.WaveFiles;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The command that shows the history of a job's checkpoints, and the one that a restart begins
 * with.
 */
final class StatusCommand implements Subcommand {
  private static final String WHAT = "what";
  private static final String WAVE = "checkpoint";
  private static final String BYTES = "bytes";

  private final WavesOption waves = new WavesOption();
  private final JsonOption json = new JsonOption();
  private boolean newest;

  private final CommandSpec spec =
      Model.of(this, "status")
          .describe(
              "Shows what became of each checkpoint of the jobs in a store, and what the one under way waits for.",
              "It has the images of all ranks; sluice ls, verify and restore know it by its number.")
          .exits(
              ExitStatus.NO_STORE,
              ExitStatus.BUSY,
              ExitStatus.NOT_FOUND,
              ExitStatus.DAMAGED,
              ExitStatus.DENIED,
              ExitStatus.OTHER_VERSION)
          .add(waves)
          .add(json)
          .add(
              flag(value -> newest = value, "--newest")
                  .description(
                      "Print the number of the checkpoint that a restart begins with, and nothing without one."))
          .examples(
              "  sluice mpi status --store /scratch/ckpt",
              "  sluice mpi status --store /scratch/ckpt --json | jq '.lines[-1].checkpoint'")
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    if (newest) {
      NewestWave.of(waves.store(), waves.series(), this::say)
          .ifPresent(spec.commandLine().getOut()::println);
      return ExitStatus.OK.code();
    }
    final WaveFiles files = waves.files();
    final List<Map<String, Object>> lines = files.lines(this::say);
    final Optional<Map<String, Object>> open = WaveFiles.open(lines);
    final Optional<Map<String, Object>> progress = open.flatMap(begun -> progress(begun, files));
    final Optional<Map<String, Object>> kept = kept();
    if (json.wanted()) {
      kept.ifPresent(lines::addFirst);
      progress.ifPresent(lines::add);
      json.print(new JsonObject().with("lines", lines));
      return ExitStatus.OK.code();
    }
    final PrintWriter out = spec.commandLine().getOut();
    lines.forEach(line -> text(line).map(Quoting::line).ifPresent(out::println));
    kept.map(StatusCommand::keptText).map(Quoting::line).ifPresent(out::println);
    progress.or(() -> open).map(StatusCommand::underWay).map(Quoting::line).ifPresent(out::println);
    return ExitStatus.OK.code();
  }

  private void say(final IOException unreadable) {
    ErrorLine.say(spec, unreadable.getMessage());
  }

  /**
   * Returns the space of the checkpoints that count, where asking costs no requests to a bucket.
   */
  private Optional<Map<String, Object>> kept() {
    if (waves.store().isElsewhere()) {
      return Optional.empty();
    }
    try (CheckpointReader opened = Stores.open(waves.store(), waves.series())) {
      final List<Commit> commits = NewestWave.counting(opened, this::say);
      final Occupancy taken = Occupancy.of(opened, commits);
      return commits.isEmpty()
          ? Optional.empty()
          : Optional.of(
              new JsonObject()
                  .with(WHAT, "kept")
                  .with("checkpoints", commits.size())
                  .with(BYTES, taken.bytes())
                  .with("removed_bytes", taken.removed()));
    } catch (final IOException unreadable) {
      return Optional.empty(); // a checkpoint is just being removed; sluice verify tells of damage
    }
  }

  private static String keptText(final Map<String, Object> kept) {
    return "kept checkpoints: %s; they take %s of the store. %s of that were written by removed ones"
        .formatted(kept.get("checkpoints"), size(kept.get(BYTES)), size(kept.get("removed_bytes")));
  }

  private static Optional<Map<String, Object>> progress(
      final Map<String, Object> begun, final WaveFiles files) {
    try {
      return files.underWay().filter(now -> begun.get(WAVE).equals(now.get(WAVE)));
    } catch (final IOException unreadable) {
      return Optional.empty(); // the log's lines are shown
    }
  }

  /** Returns a line of the log as text for users; empty when it says nothing to them. */
  static Optional<String> text(final Map<String, Object> line) {
    return Optional.ofNullable(
        switch (String.valueOf(line.get(WHAT))) {
          case "committed" -> committed(line);
          case "given up" ->
              "checkpoint %s given up: %s".formatted(line.get(WAVE), line.get("why"));
          case "failed" ->
              "checkpoint %s was whole, and not made durable: %s"
                  .formatted(line.get(WAVE), line.get("why"));
          case "refused" -> "no checkpoint was taken for who asked: %s".formatted(line.get("why"));
          case "restart" ->
              "attempt %s with checkpoint %s".formatted(line.get("attempt"), line.get("from"));
          case "start" -> "attempt %s".formatted(line.get("attempt"));
          default -> null;
        });
  }

  private static String committed(final Map<String, Object> line) {
    if (line.get(BYTES) == null) {
      return "checkpoint %s committed by an I/O process that was resumed, which has no figures of it"
          .formatted(line.get(WAVE));
    }
    return "checkpoint %s committed by %s: held up %s s, at most %s s, by %s; durable after %s s; %s%s, %s late, %s early, %s events"
        .formatted(
            line.get(WAVE),
            line.get("protocol"),
            seconds(line.get("seconds_held_mean")),
            seconds(line.get("seconds_held_most")),
            line.get("snapshot"),
            seconds(line.get("seconds_to_durable")),
            size(line.get(BYTES)),
            notAgain(line.get("reused_bytes")),
            line.get("late"),
            line.get("early"),
            line.get("events"));
  }

  private static String underWay(final Map<String, Object> line) {
    final Object waiting = line.get("waiting");
    return waiting == null
        ? "checkpoint %s is under way".formatted(line.get(WAVE))
        : "checkpoint %s is under way for %s s: %s; %s so far, %s late, %s early"
            .formatted(
                line.get(WAVE),
                seconds(line.get("seconds")),
                waiting,
                size(line.get(BYTES)),
                line.get("late"),
                line.get("early"));
  }

  private static String seconds(final Object value) {
    return value instanceof final Number number
        ? "%.3f".formatted(number.doubleValue())
        : String.valueOf(value);
  }

  private static String notAgain(final Object bytes) {
    return bytes instanceof final Number number && number.longValue() > 0
        ? ", %s not written again".formatted(size(number))
        : "";
  }

  private static String size(final Object value) {
    return value instanceof final Number number
        ? SizeConverter.format(number.longValue())
        : String.valueOf(value);
  }
}
