package org.sluice.restart;

import static org.sluice.core.command.Model.flag;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonObject;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.Model;
import org.sluice.core.command.Progress;
import org.sluice.core.command.SeriesOption;
import org.sluice.core.command.SizeConverter;
import org.sluice.core.command.StoreOption;
import org.sluice.core.command.Subcommand;
import org.sluice.core.posix.Quoting;
import org.sluice.core.store.node.Leftover;
import org.sluice.core.store.node.StoreTidying;
import org.sluice.core.store.parts.Stores;
import picocli.CommandLine.Model.CommandSpec;

/** The command that frees space in a store which no committed checkpoint needs. */
public final class GcCommand implements Subcommand {
  private final StoreOption store = new StoreOption();
  private final SeriesOption series = new SeriesOption();
  private final JsonOption json = new JsonOption();

  private boolean dryRun;
  private boolean damagedLogs;

  private final CommandSpec spec =
      Model.of(this, "gc")
          .describe(
              "Removes from a store what no committed checkpoint needs and no live process uses.",
              "That is what dead runs left: unfinished and superseded checkpoints, files of images that"
                  + " were never committed, spare containers, and hidden files where a restore on this"
                  + " node was killed. What a process used within the last minute"
                  + " stays, since a killed I/O process may be resumed. In a store of several nodes, whose"
                  + " clocks may differ, gc takes that minute where one was killed.",
              "A live I/O process would write its next chunks over spare containers, which is faster than"
                  + " into new ones; otherwise gc can be run at any time.",
              "A commit log with a damaged record stays, and so do all containers. With --damaged-logs what"
                  + " can be read of it is kept in directories, and the log gets a name that does not count"
                  + " (.damaged). What only the damaged record had is lost.",
              "In a store of several nodes --damaged-logs removes nothing of it. The log goes on with what counts"
                  + " besides the damaged entry: what entries behind it say, and what is whole. That ends the run"
                  + " that writes there.")
          .exits(
              ExitStatus.NO_STORE,
              ExitStatus.DAMAGED,
              ExitStatus.BUSY,
              ExitStatus.NO_ROOM,
              ExitStatus.DENIED,
              ExitStatus.OTHER_VERSION)
          .add(store)
          .add(series)
          .add(json)
          .add(
              flag(value -> dryRun = value, "--dry-run")
                  .description("Only say what would be removed."))
          .add(
              flag(value -> damagedLogs = value, "--damaged-logs")
                  .description("Go on without damaged commit logs."))
          .examples(
              "  sluice gc --store /scratch/store --dry-run",
              "  sluice gc --store /scratch/store",
              "  sluice gc --store /scratch/store --json | jq .bytes")
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    final List<IOException> unreadable = new ArrayList<>();
    try (StoreTidying tidying = Stores.openToTidy(store, series.name());
        Progress progress = Progress.later()) {
      final List<Leftover> freed = new ArrayList<>();
      if (damagedLogs) {
        freed.addAll(tidying.setAsideDamagedLogs(dryRun));
      }
      freed.addAll(
          tidying.collectGarbage(dryRun, unreadable::add, left -> progress.left("gc", left)));
      addRestores(freed);
      print(tidying.reader().store(), freed);
    }
    if (!unreadable.isEmpty()) {
      final CommandException first = Damage.failure(unreadable);
      throw new CommandException(
          first.status(),
          first.getMessage()
              + "; what cannot be read might name any container, so all of them stay until sluice"
              + " rm removed it, or "
              + (damagedLogs ? "a log can be read" : "gc --damaged-logs a log")
              + "; what is no file stays, too");
    }
    return ExitStatus.OK.code();
  }

  /** Adds files of killed restores, which are outside the store. */
  private void addRestores(final List<Leftover> freed) throws IOException {
    for (final BuildPlaces.Left left : BuildPlaces.of(store).left(!dryRun)) {
      final String where = left.directory();
      freed.add(new Leftover(Leftover.Kind.RESTORE, where, where, left.bytes()));
    }
  }

  private void print(final String root, final List<Leftover> freed) throws IOException {
    final long bytes = freed.stream().mapToLong(Leftover::bytes).sum();
    if (json.wanted()) {
      json.print(
          new JsonObject()
              .with("store", root)
              .with("dry_run", dryRun)
              .with("bytes", bytes)
              .with("removed", freed.stream().map(GcCommand::members).toList()));
      return;
    }
    final PrintWriter out = spec.commandLine().getOut();
    for (final Leftover one : freed) {
      out.printf(
          "%-10s  %8s  %s%n",
          one.kind().label(), SizeConverter.format(one.bytes()), Quoting.name(one.name()));
    }
    out.printf("%s %s%n", dryRun ? "would free" : "freed", SizeConverter.format(bytes));
  }

  private static JsonObject members(final Leftover one) {
    return new JsonObject()
        .with("kind", one.kind().label())
        .with("path", one.path())
        .with("bytes", one.bytes());
  }
}
