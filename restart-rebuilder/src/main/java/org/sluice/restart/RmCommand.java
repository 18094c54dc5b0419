package org.sluice.restart;

import static org.sluice.core.command.Model.flag;
import static org.sluice.core.command.Model.option;
import static org.sluice.core.command.Model.parameters;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
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
import org.sluice.core.store.node.PosixStore;
import org.sluice.core.store.parts.Stores;
import org.sluice.core.store.series.SeriesReader;
import org.sluice.core.store.series.SeriesStore;
import org.sluice.core.store.series.SeriesTidying;
import picocli.CommandLine.Model.CommandSpec;

/** The command that removes checkpoints. */
public final class RmCommand implements Subcommand {
  private final StoreOption store = new StoreOption();
  private final SeriesOption series = new SeriesOption();
  private final JsonOption json = new JsonOption();

  private Set<Long> numbers = new LinkedHashSet<>();
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
              parameters(Long.class, value -> numbers = new LinkedHashSet<>(value))
                  .paramLabel("N")
                  .arity("0..*")
                  .description("Numbers of checkpoints, as sluice ls shows them."))
          .add(
              option(Integer.class, value -> keep = value, "--keep")
                  .paramLabel("N")
                  .description(
                      "Remove all but the N committed last; what files joined since does not count."))
          .add(
              flag(value -> newest = value, "--newest")
                  .description(
                      "Remove the newest, too, where its number is named: a restart begins with an older one"
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
    if (numbers.isEmpty() == (keep == null) || keep != null && (keep < 1 || newest)) {
      throw new CommandException(
          ExitStatus.USAGE,
          "name the checkpoints to remove, or give --keep a number from 1 on; see sluice rm --help");
    }
    final Optional<SeriesStore> nodes = Stores.ofSeveralNodes(store);
    if (nodes.isPresent()) {
      print(removeOfSeries(nodes.get()));
      return ExitStatus.OK.code();
    }
    refuseBesideJob(store.directory());
    final List<Long> removed = new ArrayList<>();
    final List<Long> busy = new ArrayList<>();
    try (PosixStore opened = Stores.openOfOneNode(store.directory(), series.name())) {
      final List<Commit> commits =
          dryRun ? opened.commits(unreadable -> {}) : opened.durableCommits(unreadable -> {});
      for (final long number : keep == null ? named(opened, commits) : older(commits)) {
        (dryRun || remove(opened, commits, number) ? removed : busy).add(number);
      }
    }
    print(removed);
    if (!busy.isEmpty()) {
      throw new CommandException(
          ExitStatus.BUSY,
          "a process reads checkpoint %s; remove it when that is over"
              .formatted(busy.stream().map(String::valueOf).collect(Collectors.joining(", "))));
    }
    return ExitStatus.OK.code();
  }

  /**
   * Removes checkpoints of a series, also while a process reads them, which then finds them gone.
   */
  private List<Long> removeOfSeries(final SeriesStore nodes) throws IOException {
    try (nodes) {
      final String name = Stores.choose(nodes, series.name());
      if (!store.isElsewhere()) {
        refuseBesideJob(store.directory().resolve(name));
      }
      try (SeriesReader opened = new SeriesReader(nodes, name);
          SeriesTidying tidying = new SeriesTidying(nodes, name)) {
        final long last = opened.last();
        final List<Commit> commits = opened.commits(unreadable -> {});
        final List<Long> removed =
            List.copyOf(keep == null ? named(opened, commits) : older(commits));
        if (!dryRun) {
          tidying.remove(removed, last);
        }
        return removed;
      }
    }
  }

  /**
   * Refuses to remove the newest checkpoint beside a job. The checkpoint under way may need bytes
   * of it.
   */
  private void refuseBesideJob(final Path folder) throws IOException {
    if (newest && JobLock.isTaken(folder)) {
      throw new CommandException(
          ExitStatus.BUSY,
          "a job of sluice mpi has its checkpoints in %s; remove the newest when it has ended"
              .formatted(folder));
    }
  }

  /** Returns the named checkpoints, after a check that they may be removed. */
  private Set<Long> named(final CheckpointReader opened, final List<Commit> commits)
      throws IOException {
    final Set<Long> there = opened.numbers();
    for (final long number : numbers) {
      if (!there.contains(number)) {
        Selection.commit(opened, number); // throws that there is none
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

  private static boolean remove(
      final PosixStore opened, final List<Commit> commits, final long number) throws IOException {
    if (!opened.removeUnreadable(number)) {
      return false;
    }
    final Optional<Commit> commit =
        commits.stream().filter(candidate -> candidate.number() == number).findFirst();
    if (commit.isPresent()) {
      if (!opened.remove(commit.get())) {
        return false;
      }
      for (final long container : commit.get().content().containers()) {
        opened.discard(container);
      }
    }
    return true;
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
