package org.sluice.restart;

import static org.sluice.core.command.Model.option;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.node.CheckpointReader;
import org.sluice.core.store.parts.Stores;
import picocli.CommandLine.Model.CommandSpec;

/** The command that checks every checksum. */
public final class VerifyCommand implements Subcommand {
  private final StoreOption store = new StoreOption();
  private final SeriesOption series = new SeriesOption();
  private final JsonOption json = new JsonOption();

  private Optional<CheckpointKey> key = Optional.empty();

  private final CommandSpec spec =
      Model.of(this, "verify")
          .describe("Checks every checksum of the committed checkpoints of a store.")
          .exits(
              ExitStatus.NO_STORE,
              ExitStatus.NOT_FOUND,
              ExitStatus.DAMAGED,
              ExitStatus.DENIED,
              ExitStatus.OTHER_VERSION)
          .add(store)
          .add(series)
          .add(json)
          .add(
              option(CheckpointKey.class, value -> key = Optional.of(value), "--checkpoint")
                  .paramLabel(CheckpointKey.LABEL)
                  .converters(CheckpointKey::parse)
                  .description("Only this checkpoint."))
          .examples(
              "  sluice verify --store /scratch/store",
              "  sluice verify --store /scratch/store --checkpoint 12",
              "  sluice verify --store /scratch/store --json | jq '.damage[].file'")
          .spec();

  private final List<IOException> damage = new ArrayList<>();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    try (CheckpointReader opened = Stores.open(store, series.name())) {
      final List<Commit> commits = verify(opened);
      if (json.wanted()) {
        json.print(
            new JsonObject()
                .with("store", opened.store())
                .with("series", opened.series().orElse(null))
                .with("checkpoints", commits.stream().map(Commit::number).toList())
                .with("bytes", commits.stream().mapToLong(commit -> commit.content().bytes()).sum())
                .with("damage", damage.stream().map(Damage::members).toList()));
      } else {
        print(opened, commits);
      }
    }
    if (damage.isEmpty()) {
      return ExitStatus.OK.code();
    }
    throw Damage.failure(damage);
  }

  private List<Commit> verify(final CheckpointReader opened) throws IOException {
    final long bytes = find(opened).stream().mapToLong(commit -> commit.content().bytes()).sum();
    try (Progress progress = Progress.begin("verify", bytes)) {
      return Selection.read(
          opened, () -> find(opened), commit -> opened.verify(commit, damage::add, progress::add));
    }
  }

  private List<Commit> find(final CheckpointReader opened) throws IOException {
    damage.clear();
    if (key.isEmpty()) {
      opened.verifyStore(damage::add);
    }
    return key.isEmpty() ? opened.commits(damage::add) : List.of(key.get().in(opened));
  }

  private void print(final CheckpointReader opened, final List<Commit> commits) {
    final PrintWriter out = spec.commandLine().getOut();
    commits.forEach(
        commit ->
            out.printf(
                "verified checkpoint %s%s: %d images, %s%s%n",
                commit.title(),
                Selection.ofSeries(opened),
                commit.content().images(),
                SizeConverter.format(commit.content().bytes()),
                commit.caveat().map("; it is "::concat).map(Quoting::line).orElse("")));
    damage.forEach(e -> out.println(Quoting.line(e.getMessage())));
    out.println(damage.isEmpty() ? "no damage" : damage.size() + " damaged places");
  }
}
