package org.sluice.restart;

import static org.sluice.core.command.Model.flag;
import static org.sluice.core.command.Model.option;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ErrorLine;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.JsonObject;
import org.sluice.core.command.JsonOption;
import org.sluice.core.command.Model;
import org.sluice.core.command.NoCheckpointException;
import org.sluice.core.command.Progress;
import org.sluice.core.command.SeriesOption;
import org.sluice.core.command.SizeConverter;
import org.sluice.core.command.StoreOption;
import org.sluice.core.command.Subcommand;
import org.sluice.core.posix.Quoting;
import org.sluice.core.store.directory.StorePlace;
import org.sluice.core.store.disk.NoStoreException;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.node.CheckpointReader;
import org.sluice.core.store.parts.Stores;
import picocli.CommandLine.Model.CommandSpec;

/** The command that rebuilds the images of a checkpoint. */
public final class RestoreCommand implements Subcommand {
  private final StoreOption store = new StoreOption();
  private final SeriesOption series = new SeriesOption();
  private final JsonOption json = new JsonOption();

  private String target;
  private Optional<CheckpointKey> key = Optional.empty();
  private Integer rank;
  private boolean partial;
  private boolean force;
  private boolean specialBits;
  private boolean fallback;
  private boolean newestOrNone;
  private RestoreTarget into;

  /** The errors of unreadable checkpoints older than the restored one. */
  private final List<IOException> older = new ArrayList<>();

  private final CommandSpec spec =
      Model.of(this, "restore")
          .describe(
              "Rebuilds the images of a checkpoint under the paths they had below the capture directory.",
              "Every byte is verified; if any is damaged, or any file is there already, no file is touched.")
          .exits(
              ExitStatus.NO_STORE,
              ExitStatus.NOT_FOUND,
              ExitStatus.DAMAGED,
              ExitStatus.EXISTS,
              ExitStatus.NO_ROOM,
              ExitStatus.DENIED,
              ExitStatus.OTHER_VERSION,
              ExitStatus.FELL_BACK)
          .add(store)
          .add(series)
          .add(json)
          .add(
              option(String.class, value -> target = value, "--to")
                  .paramLabel("DIR")
                  .required(true)
                  .description("Where the images go; made if missing."))
          .add(
              option(CheckpointKey.class, value -> key = Optional.of(value), "--checkpoint")
                  .paramLabel(CheckpointKey.LABEL)
                  .converters(CheckpointKey::parse)
                  .description(
                      "Which checkpoint; default: the one committed last that no file joined since."))
          .add(
              option(Integer.class, value -> rank = value, "--rank")
                  .paramLabel("R")
                  .description("Only the images of this rank."))
          .add(
              flag(value -> partial = value, "--partial")
                  .description(
                      "Also when images of some ranks are missing, or when a file that several nodes wrote, which"
                          + " stays where it is, has changed since."))
          .add(
              flag(value -> force = value, "--force")
                  .description("Overwrite files that are there."))
          .add(
              flag(value -> specialBits = value, "--special-bits")
                  .description(
                      "Give back the set-user-id, set-group-id and sticky bits of files, too; only to the user"
                          + " whose store it is."))
          .add(
              flag(value -> fallback = value, "--fallback")
                  .description(
                      "If it is damaged, take the newest older one that is intact, say which were skipped and"
                          + " why, and exit with status 11. With --rank, too, all of it must be intact, so that"
                          + " all ranks get the same one."))
          .add(
              flag(value -> newestOrNone = value, "--newest-or-none")
                  .description(
                      "For a job that begins or goes on: print the number of the newest checkpoint alone, or"
                          + " nothing where there is none yet, with status 0. Files that are there already and"
                          + " whole stay; those that differ from the checkpoint's are replaced."))
          .examples(
              "  sluice restore --store /scratch/store --to /scratch/run",
              "  sluice restore --store /scratch/store --to /scratch/run --newest-or-none",
              "  sluice restore --store /scratch/store --to /tmp/look --checkpoint 12 --rank 3",
              "  sluice restore --store /scratch/store --to /tmp/look --checkpoint epoch-3",
              "  sluice restore --store /scratch/store --to /scratch/run --force --json",
              "  sluice restore --store /scratch/store --to /scratch/run --fallback")
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    if (newestOrNone && key.isPresent()) {
      throw new CommandException(
          ExitStatus.USAGE, "--newest-or-none and --checkpoint exclude each other; give one");
    }
    try {
      return restore();
    } catch (final NoCheckpointException e) {
      return none(e);
    } catch (final NoStoreException e) {
      return none(e);
    }
  }

  /**
   * Handles a missing checkpoint or store, which is no failure when a job begins. A path that no
   * run could make a store of is a failure.
   */
  private <E extends Exception> int none(final E why) throws E, IOException {
    if (!newestOrNone
        || why instanceof NoStoreException
            && !store.isElsewhere()
            && StorePlace.look(store.directory()).isStore()) {
      throw why;
    }
    say(
        why instanceof NoStoreException
            ? "there is no store %s yet, and so no checkpoint".formatted(store.location())
            : ErrorLine.message(why));
    if (json.wanted()) {
      json.print(new JsonObject().with("checkpoint", null).withFile("to", target));
    }
    return ExitStatus.OK.code();
  }

  private int restore() throws IOException {
    try (CheckpointReader opened = Stores.open(store, series.name())) {
      into = RestoreTarget.of(target, force || newestOrNone, specialBits);
      if (!store.isElsewhere()) {
        into.refuseStore(store.directory());
      }
      if (fallback) {
        return restoreIntact(opened);
      }
      Selection.read(
          opened, () -> List.of(find(opened)), commit -> restore(opened, commit, List.of()));
      older.forEach(damage -> say(Selection.unreadable(damage)));
      for (final IOException lost : key.isEmpty() ? opened.lost() : List.<IOException>of()) {
        say("a checkpoint is gone that nobody removed: " + lost.getMessage());
      }
    }
    return ExitStatus.OK.code();
  }

  private Commit find(final CheckpointReader opened) throws IOException {
    older.clear();
    return Selection.commit(opened, key, older);
  }

  private int restoreIntact(final CheckpointReader opened) throws IOException {
    final Fallback chain = new Fallback(opened);
    chain.run(
        key.isEmpty() ? null : key.get().number(opened),
        commit -> {
          if (rank != null) {
            checkAll(opened, commit);
          }
          restore(opened, commit, chain.skipped());
        });
    for (final Fallback.Skipped skipped : chain.skipped()) {
      say(
          "%s is skipped: %s"
              .formatted(
                  skipped.number() < 0 ? "some checkpoint" : "checkpoint " + skipped.number(),
                  skipped.reason().getMessage()));
    }
    return (chain.skipped().isEmpty() ? ExitStatus.OK : ExitStatus.FELL_BACK).code();
  }

  private static void checkAll(final CheckpointReader opened, final Commit commit)
      throws IOException {
    final List<IOException> damage = new ArrayList<>();
    opened.verify(commit, damage::add, bytes -> {});
    if (!damage.isEmpty()) {
      throw damage.getFirst();
    }
  }

  private void restore(
      final CheckpointReader opened, final Commit commit, final List<Fallback.Skipped> skipped)
      throws IOException {
    final Contents contents = Contents.of(opened, commit, rank, partial);
    final List<CommittedImage> images = contents.images();
    final DirectFiles direct = contents.direct();
    final long bytes = sum(images);
    final Ownership ownership = Ownership.of(opened, commit);
    ownership.checkSpecialBits(specialBits);
    ownership.stranger().ifPresent(this::say);
    // A copy in the place of a committed file would change the file for its own checkpoint.
    final boolean inPlace = force && images.stream().anyMatch(CommittedImage::isInPlace);
    final List<CommittedImage> lacking =
        newestOrNone || inPlace ? Present.lacking(opened, commit, images, target) : images;
    try (Progress progress = Progress.begin("restore", sum(lacking))) {
      final Restoration restoration =
          new Restoration(opened, commit, lacking, into, BuildPlaces.of(store), progress);
      restoration.run();
      restoration.remarks().forEach(this::say);
      direct.whereabouts().ifPresent(this::say);
    }
    if (json.wanted()) {
      printJson(opened, commit, images, direct, bytes, skipped);
      return;
    }
    final String done =
        "checkpoint %s%s to %s: %d images, %s"
                .formatted(
                    commit.title(),
                    Selection.ofSeries(opened),
                    Quoting.name(target),
                    images.size(),
                    SizeConverter.format(bytes))
            + commit.caveat().map("; it is "::concat).map(Quoting::line).orElse("");
    if (newestOrNone) {
      say(
          "restored "
              + done
              + "; images that were there already: "
              + (images.size() - lacking.size()));
      print(String.valueOf(commit.number()));
    } else {
      print("restored " + done);
    }
  }

  private static long sum(final List<CommittedImage> images) {
    return images.stream().mapToLong(CommittedImage::size).sum();
  }

  private void print(final String line) {
    spec.commandLine().getOut().println(line);
  }

  private void say(final String message) {
    ErrorLine.say(spec, message);
  }

  private void printJson(
      final CheckpointReader opened,
      final Commit commit,
      final List<CommittedImage> images,
      final DirectFiles direct,
      final long bytes,
      final List<Fallback.Skipped> skipped)
      throws IOException {
    final JsonObject all =
        new JsonObject()
            .with("series", opened.series().orElse(null))
            .with("checkpoint", commit.number())
            .with("name", commit.name().orElse(null))
            .with("ranks", commit.coverage().ranks())
            .with(
                "part", commit.coverage().part().isEmpty() ? null : commit.coverage().part().list())
            .withFile("to", target)
            .with("bytes", bytes)
            .withFiles("images", images.stream().map(CommittedImage::path).toList());
    if (direct.exist()) {
      all.with("direct", direct.members());
    }
    if (fallback) {
      all.with("skipped", skipped.stream().map(RestoreCommand::members).toList());
    }
    json.print(all);
  }

  private static JsonObject members(final Fallback.Skipped skipped) {
    return new JsonObject()
        .with("checkpoint", skipped.number())
        .with(Damage.members(skipped.reason()));
  }
}
