package org.sluice.restart;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Exits;
import org.sluice.core.command.JsonObject;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.Progress;
import org.sluice.core.command.SizeConverter;
import org.sluice.core.command.StoreOption;
import org.sluice.core.command.Subcommand;
import org.sluice.core.posix.Quoting;
import org.sluice.core.store.Commit;
import org.sluice.core.store.PosixStore;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Checks every checksum. */
@Exits("NO_STORE NOT_FOUND DAMAGED DENIED OTHER_VERSION")
@Command(
    name = "verify",
    description = "Checks every checksum of the committed checkpoints of a store.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  sluice verify --store /scratch/store",
      "  sluice verify --store /scratch/store --checkpoint 12",
      "  sluice verify --store /scratch/store --json | jq '.damage[].file'"
    })
public final class VerifyCommand implements Subcommand {
  @Spec private CommandSpec spec;
  @Mixin private StoreOption store;
  @Mixin private JsonOption json;

  @Option(names = "--checkpoint", paramLabel = "N", description = "Only this checkpoint.")
  private Long number;

  private final List<IOException> damage = new ArrayList<>();

  /** For picocli. */
  public VerifyCommand() {}

  @Override
  public Integer call() throws IOException {
    try (PosixStore opened = PosixStore.open(store.directory())) {
      final List<Commit> commits = verify(opened);
      if (json.wanted()) {
        json.print(
            spec,
            new JsonObject()
                .with("store", opened.directory().toString())
                .with("checkpoints", commits.stream().map(Commit::number).toList())
                .with("bytes", commits.stream().mapToLong(Commit::bytes).sum())
                .with("damage", damage.stream().map(Damage::members).toList()));
      } else {
        print(commits);
      }
    }
    if (damage.isEmpty()) {
      return ExitStatus.OK.code();
    }
    throw Damage.failure(damage);
  }

  private List<Commit> verify(final PosixStore opened) throws IOException {
    final long bytes = find(opened).stream().mapToLong(Commit::bytes).sum();
    try (Progress progress = Progress.begin("verify", bytes)) {
      return Selection.read(
          opened, () -> find(opened), commit -> opened.verify(commit, damage::add, progress::add));
    }
  }

  private List<Commit> find(final PosixStore opened) throws IOException {
    damage.clear();
    return number == null ? opened.commits(damage::add) : List.of(Selection.commit(opened, number));
  }

  private void print(final List<Commit> commits) {
    final PrintWriter out = spec.commandLine().getOut();
    commits.forEach(
        commit ->
            out.printf(
                "verified checkpoint %d: %d images, %s%s%n",
                commit.number(),
                commit.imageCount(),
                SizeConverter.format(commit.bytes()),
                commit.caveat().map("; it is "::concat).map(Quoting::line).orElse("")));
    damage.forEach(e -> out.println(Quoting.line(e.getMessage())));
    out.println(damage.isEmpty() ? "no damage" : damage.size() + " damaged places");
  }
}
