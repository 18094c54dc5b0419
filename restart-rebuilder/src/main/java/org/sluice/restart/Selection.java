package org.sluice.restart;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.command.NoCheckpointException;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Completion;
import org.sluice.core.store.node.CheckpointReader;

/** The selection of checkpoints and images for commands. */
final class Selection {
  private Selection() {}

  /**
   * Returns the checkpoint that a user has chosen; the newest without a choice. Errors of
   * unreadable ones that are certainly older than that are added to a list.
   */
  static Commit commit(
      final CheckpointReader store,
      final Optional<? extends CheckpointKey> chosen,
      final List<IOException> older)
      throws IOException {
    return chosen.isPresent() ? chosen.get().in(store) : newest(store, older);
  }

  private static Commit newest(final CheckpointReader store, final List<IOException> older)
      throws IOException {
    final List<Commit> commits = store.commits(older::add);
    final Optional<Commit> newest = CheckpointReader.newest(commits);
    for (final IOException doubt :
        older.isEmpty() || newest.isEmpty() ? older : store.doubts(newest.get())) {
      throw new CommandException(
          ExitStatus.of(doubt),
          "%s; that may be the newest checkpoint: sluice restore --fallback takes the newest intact one"
              .formatted(doubt.getMessage()));
    }
    for (final IOException lost : newest.isEmpty() ? store.lost() : List.<IOException>of()) {
      throw lost;
    }
    return newest.orElseThrow(noneIs(store, commits));
  }

  /** Returns the line for a checkpoint that is older than the chosen one. */
  static String unreadable(final IOException damage) {
    return "an older checkpoint cannot be read: " + damage.getMessage();
  }

  static String ofSeries(final CheckpointReader store) {
    return store.series().map(" of series "::concat).orElse("");
  }

  @FunctionalInterface
  interface Search {
    List<Commit> find() throws IOException;
  }

  @FunctionalInterface
  interface Use {
    void of(Commit commit) throws IOException;
  }

  /**
   * Reads checkpoints, leaving out those that are removed before. When all were, newer ones have
   * taken their place, and are found instead.
   */
  static List<Commit> read(final CheckpointReader store, final Search search, final Use use)
      throws IOException {
    while (true) {
      final List<Commit> found = search.find();
      final List<Commit> read = new ArrayList<>();
      for (final Commit commit : found) {
        if (store.whileHeld(commit, () -> use.of(commit))) {
          read.add(commit);
        }
      }
      if (!read.isEmpty() || found.isEmpty()) {
        return read;
      }
    }
  }

  /**
   * Returns the exception for a store without a newest checkpoint: all are incomplete, or there are
   * none.
   */
  private static Supplier<CommandException> noneIs(
      final CheckpointReader store, final List<Commit> incomplete) throws IOException {
    return incomplete.isEmpty() ? empty(store) : noneIsComplete(store, incomplete.getLast());
  }

  private static Supplier<CommandException> noneIsComplete(
      final CheckpointReader store, final Commit last) {
    return () ->
        new NoCheckpointException(
            "no checkpoint in %s is complete: files joined checkpoint %d after its commit;"
                    .formatted(store.store(), last.number())
                + " --checkpoint %d restores it as it is".formatted(last.number()));
  }

  private static Supplier<CommandException> empty(final CheckpointReader store) throws IOException {
    final String instead =
        store
            .leftAsFiles()
            .map(
                left ->
                    "what the last session wrote is in plain files in %s (files: %d)"
                        .formatted(left.directory(), left.files()))
            .orElse("nothing can be restored from it");
    return () ->
        new NoCheckpointException(
            "no checkpoint is committed in %s; %s".formatted(store.store(), instead));
  }

  /**
   * Returns the images of a rank; without a rank those of all ranks, which must exist unless
   * partial. Where ranks share files, some ranks may have no other images. A rank that completed
   * its part by request may have none.
   */
  static List<CommittedImage> images(
      final Commit commit,
      final List<CommittedImage> images,
      final Integer rank,
      final boolean partial,
      final boolean shares) {
    if (rank != null) {
      return ofRank(commit, images, rank, shares);
    }
    final long present =
        images.stream().mapToInt(CommittedImage::rank).filter(r -> r >= 0).distinct().count();
    final int expected =
        commit.coverage().part().isEmpty()
            ? commit.coverage().ranks()
            : commit.coverage().part().size();
    if (present < expected && !partial && !shares && !isSaid(commit)) {
      throw new CommandException(
          ExitStatus.NOT_FOUND,
          "checkpoint %d has images of %d of its %d ranks (%s); --partial restores those"
              .formatted(commit.number(), present, expected, ranks(images)));
    }
    return images;
  }

  /** Returns whether each rank has said that its part is complete, which may be nothing. */
  private static boolean isSaid(final Commit commit) {
    return commit.completion().filter(Completion.API::equals).isPresent();
  }

  private static List<CommittedImage> ofRank(
      final Commit commit,
      final List<CommittedImage> images,
      final int rank,
      final boolean shares) {
    final List<CommittedImage> chosen =
        images.stream().filter(image -> image.rank() == rank).toList();
    if (chosen.isEmpty() && !shares) {
      throw new CommandException(
          ExitStatus.NOT_FOUND,
          "checkpoint %d has no image of rank %d, only of %s; sluice ls --images shows them"
                  .formatted(commit.number(), rank, ranks(images))
              + commit.share().map("; it is "::concat).orElse(""));
    }
    return chosen;
  }

  private static String ranks(final List<CommittedImage> images) {
    return images.stream()
        .map(CommittedImage::rank)
        .distinct()
        .sorted()
        .map(rank -> rank < 0 ? "no rank" : "rank " + rank)
        .collect(Collectors.joining(", "));
  }
}
