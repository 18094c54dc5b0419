package org.sluice.restart;

import static org.sluice.core.command.Model.flag;
import static org.sluice.core.command.Model.option;
import static org.sluice.core.command.Model.parameters;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonObject;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.Model;
import org.sluice.core.command.SeriesOption;
import org.sluice.core.command.StoreOption;
import org.sluice.core.command.Subcommand;
import org.sluice.core.store.directory.JobLock;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.Keeping;
import org.sluice.core.store.node.CheckpointReader;
import org.sluice.core.store.node.StoreTidying;
import org.sluice.core.store.parts.Stores;
import picocli.CommandLine.Model.CommandSpec;

/** The command that removes checkpoints. */
public final class RmCommand implements Subcommand {
  private final StoreOption store = new StoreOption();
  private final SeriesOption series = new SeriesOption();
  private final JsonOption json = new JsonOption();

  private List<String> words = List.of();
  private Integer keep;
  private boolean newest;
  private boolean dryRun;

  private final CommandSpec spec =
      Model.of(this, "rm")
          .describe(
              "Removes committed checkpoints, damaged ones too, and the containers that only they need.",
              "The newest checkpoint stays unless --newest says otherwise, since a restart needs it, and so"
                  + " does one that is being read. Room that is still in use then is freed by sluice gc.")
          .exits(
              ExitStatus.NO_STORE,
              ExitStatus.NOT_FOUND,
              ExitStatus.DAMAGED,
              ExitStatus.BUSY,
              ExitStatus.NO_ROOM,
              ExitStatus.DENIED,
              ExitStatus.OTHER_VERSION)
          .add(store)
          .add(series)
          .add(json)
          .add(
              parameters(String.class, value -> words = List.copyOf(value))
                  .paramLabel(CheckpointKey.LABEL)
                  .arity("0..*")
                  .description(
                      "Numbers or names of checkpoints, as sluice ls shows them; a name is the newest of that name."))
          .add(
              option(Integer.class, value -> keep = value, "--keep")
                  .paramLabel("N")
                  .description(
                      "Remove all but the N committed last; what files joined since does not count."))
          .add(
              flag(value -> newest = value, "--newest")
                  .description(
                      "Remove the newest, too, where it is named: a restart begins with an older one"
                          + " then. End the job before: only on one node is this refused while it runs."))
          .add(
              flag(value -> dryRun = value, "--dry-run")
                  .description("Only say what would be removed."))
          .examples(
              "  sluice rm --store /scratch/store 3 4",
              "  sluice rm --store /scratch/store --newest 5",
              "  sluice rm --store /scratch/store --keep 2 --dry-run",
              "  sluice rm --store /scratch/store --keep 1 --json")
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    if (words.isEmpty() == (keep == null) || keep != null && (keep < 1 || newest)) {
      throw new CommandException(
          ExitStatus.USAGE,
          "name the checkpoints to remove, or give --keep a number from 1 on; see sluice rm --help");
    }
    final List<CheckpointKey> keys = CheckpointKey.of(words);
    try (StoreTidying tidying = Stores.openToTidy(store, series.name())) {
      final CheckpointReader opened = tidying.reader();
      refuseBesideJob(opened);
      final List<Commit> commits = tidying.candidates(dryRun);
      final List<Long> removed =
          new ArrayList<>(keep == null ? named(opened, commits, keys) : older(commits));
      final List<Long> busy = dryRun ? List.of() : tidying.remove(removed);
      removed.removeAll(busy);
      print(removed);
      if (!busy.isEmpty()) {
        throw new CommandException(
            ExitStatus.BUSY,
            "a process reads checkpoint %s; remove it when that is over"
                .formatted(busy.stream().map(String::valueOf).collect(Collectors.joining(", "))));
      }
    }
    return ExitStatus.OK.code();
  }

  /**
   * Refuses to remove the newest checkpoint beside a job. The checkpoint under way may need bytes
   * of it.
   */
  private void refuseBesideJob(final CheckpointReader opened) throws IOException {
    if (!newest || store.isElsewhere()) {
      return;
    }
    final Path folder = store.directory().resolve(opened.series().orElse(""));
    if (JobLock.isTaken(folder)) {
      throw new CommandException(
          ExitStatus.BUSY,
          "a job of sluice mpi has its checkpoints in %s; remove the newest when it has ended"
              .formatted(folder));
    }
  }

  /** Returns the named checkpoints, after a check that they may be removed. */
  private Set<Long> named(
      final CheckpointReader opened, final List<Commit> commits, final List<CheckpointKey> keys)
      throws IOException {
    final Set<Long> there = opened.numbers();
    final Set<Long> numbers = CheckpointKey.numbers(opened, keys);
    for (final long number : numbers) {
      if (!there.contains(number)) {
        new CheckpointKey.Numbered(number).in(opened); // throws that there is none
      }
      if (!newest && isNewest(commits, number)) {
        throw new CommandException(
            ExitStatus.FAILED,
            "checkpoint %d is the newest, which a restart needs; --newest has it begin with an older one"
                .formatted(number));
      }
    }
    return numbers;
  }

  /**
   * Returns all checkpoints committed before the oldest one to keep. Incomplete ones do not count
   * as kept.
   */
  private List<Long> older(final List<Commit> commits) {
    return Keeping.older(keep, commits, commit -> !commit.incomplete()).stream()
        .map(Commit::number)
        .toList();
  }

  private static boolean isNewest(final List<Commit> commits, final long number) {
    return CheckpointReader.newest(commits).filter(newest -> newest.number() == number).isPresent();
  }

  private void print(final List<Long> removed) throws IOException {
    if (json.wanted()) {
      json.print(
          new JsonObject()
              .with("store", store.location())
              .with("dry_run", dryRun)
              .with("removed", removed));
    } else {
      final PrintWriter out = spec.commandLine().getOut();
      removed.forEach(
          number -> out.printf("%s checkpoint %d%n", dryRun ? "would remove" : "removed", number));
    }
  }
}
