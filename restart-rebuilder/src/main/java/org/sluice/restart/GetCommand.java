package org.sluice.restart;

import static org.sluice.core.command.Model.flag;
import static org.sluice.core.command.Model.option;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.sluice.core.command.Arguments;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ErrorLine;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.Model;
import org.sluice.core.command.SeriesOption;
import org.sluice.core.command.StoreOption;
import org.sluice.core.command.Subcommand;
import org.sluice.core.posix.Quoting;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.OutOfOrderException;
import org.sluice.core.store.model.Rebuilder;
import org.sluice.core.store.node.CheckpointReader;
import org.sluice.core.store.parts.Stores;
import picocli.CommandLine.Model.CommandSpec;

/** The command that writes one image of a checkpoint to standard output. */
public final class GetCommand implements Subcommand {
  /** The exit status of a command that SIGPIPE ends, as a shell tells it. */
  private static final int NOBODY_READS = 141;

  private final StoreOption store = new StoreOption();
  private final SeriesOption series = new SeriesOption();

  private Optional<CheckpointKey> key = Optional.empty();
  private Integer rank;
  private String name;
  private boolean stream;

  /** The errors of unreadable checkpoints older than the one that is written. */
  private final List<IOException> older = new ArrayList<>();

  private final CommandSpec spec =
      Model.of(this, "get")
          .describe(
              "Writes an image of a checkpoint to standard output, such as one of sluice put.",
              "All of it is verified before its first byte is written.",
              "Exits with 141, without a line, when nobody reads standard output any more.")
          .exits(
              ExitStatus.NO_STORE,
              ExitStatus.NOT_FOUND,
              ExitStatus.DAMAGED,
              ExitStatus.NO_ROOM,
              ExitStatus.DENIED,
              ExitStatus.OTHER_VERSION)
          .add(store)
          .add(series)
          .add(
              option(CheckpointKey.class, value -> key = Optional.of(value), "--checkpoint")
                  .paramLabel(CheckpointKey.LABEL)
                  .converters(CheckpointKey::parse)
                  .description("Which checkpoint; default: the one committed last."))
          .add(
              option(Integer.class, value -> rank = value, "--rank")
                  .paramLabel("R")
                  .description("Whose image; needed where several ranks have one of this name."))
          .add(
              option(String.class, value -> name = value, "--name")
                  .paramLabel("NAME")
                  .required(true)
                  .description(
                      "The image's name: that of sluice put or of the API, or a file's path in the capture"
                          + " directory."))
          .add(
              flag(value -> stream = value, "--stream")
                  .description(
                      "Read it once: each piece is verified and written. Damage ends the command with status"
                          + " 5 before the first damaged byte, so let the consumer heed the status."))
          .examples(
              "  sluice get --store /scratch/store --name db.tar | tar -x -C /data",
              "  sluice get --store /scratch/store --checkpoint 7 --rank 3 --name state >state",
              "  sluice get --store /scratch/store --name context | cr_restart -F 0")
          .spec();

  @Override
  public CommandSpec spec() {
    return spec;
  }

  @Override
  public Integer call() throws IOException {
    try (CheckpointReader opened = Stores.open(store, series.name())) {
      Selection.read(opened, () -> List.of(find(opened)), commit -> write(opened, commit));
      older.forEach(damage -> ErrorLine.say(spec, Selection.unreadable(damage)));
      return ExitStatus.OK.code();
    } catch (final Outlet.NobodyReadsException e) {
      return NOBODY_READS;
    }
  }

  private Commit find(final CheckpointReader opened) throws IOException {
    older.clear();
    return Selection.commit(opened, key, older);
  }

  private void write(final CheckpointReader opened, final Commit commit) throws IOException {
    final CommittedImage image = find(commit, opened.images(commit));
    try (Rebuilder rebuilder = opened.rebuilder(commit, false);
        Outlet out = Outlet.standardOutput()) {
      if (stream) {
        rebuilder.readInOrder(image, out);
        out.fill(image.size());
      } else {
        ImageInOrder.of(rebuilder, image).write(rebuilder, out);
      }
    } catch (final OutOfOrderException e) {
      throw new CommandException(
          ExitStatus.FAILED,
          "%s cannot be streamed: %s; leave out --stream"
              .formatted(Quoting.name(image.path()), e.getMessage()));
    }
  }

  private CommittedImage find(final Commit commit, final List<CommittedImage> images)
      throws IOException {
    final String wanted = Arguments.exactValue(name);
    final List<CommittedImage> found =
        images.stream()
            .filter(image -> rank == null || image.rank() == rank)
            .filter(image -> isCalled(image, wanted))
            .toList();
    if (found.isEmpty()) {
      throw new CommandException(
          ExitStatus.NOT_FOUND,
          "checkpoint %d has no image %s%s; sluice ls --images shows what it has"
              .formatted(
                  commit.number(), Quoting.name(wanted), rank == null ? "" : " of rank " + rank));
    }
    if (found.size() > 1) {
      throw new CommandException(
          ExitStatus.USAGE,
          "checkpoint %d has %s of ranks %s; choose one with --rank"
              .formatted(
                  commit.number(),
                  Quoting.name(wanted),
                  found.stream()
                      .map(image -> String.valueOf(image.rank()))
                      .collect(Collectors.joining(", "))));
    }
    return found.getFirst();
  }

  /** Returns whether an image has this path, or this name in its rank's folder. */
  private static boolean isCalled(final CommittedImage image, final String wanted) {
    return image.path().equals(wanted)
        || image.path().equals("rank-%04d/%s".formatted(image.rank(), wanted));
  }
}
