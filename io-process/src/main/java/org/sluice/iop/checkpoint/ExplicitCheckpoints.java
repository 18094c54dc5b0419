package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.sluice.core.posix.Errno;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.store.CheckpointStore;
import org.sluice.core.store.Commit;
import org.sluice.core.store.ImagePath;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.image.NotCapturedException;
import org.sluice.iop.image.Writer;
import org.sluice.iop.journal.CheckpointFacts;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.Warnings;

/** The checkpoints under way that ranks began by request. Service thread only. */
final class ExplicitCheckpoints {
  private final CheckpointStore store;
  private final ImageRegistry registry;
  private final Committer committer;
  private final Waiters waiters;
  private final Retention retention;
  private final Journal journal;
  private final int writers;
  private final Consumer<Image> forget;
  private final Map<Long, ExplicitCheckpoint> underWay = new HashMap<>();
  private final Set<Image> images = new HashSet<>();

  /**
   * None yet.
   *
   * @param writers how many ranks of this node complete a checkpoint where the launcher does not
   *     say; 0 unknown
   * @param forget lets go of an image once the pipeline has
   */
  ExplicitCheckpoints(
      final CheckpointStore store,
      final ImageRegistry registry,
      final Committer committer,
      final Waiters waiters,
      final Retention retention,
      final Journal journal,
      final int writers,
      final Consumer<Image> forget) {
    this.writers = writers;
    this.store = store;
    this.registry = registry;
    this.committer = committer;
    this.waiters = waiters;
    this.retention = retention;
    this.journal = journal;
    this.forget = forget;
  }

  /**
   * Begins a checkpoint.
   *
   * @param beginner who asks
   */
  Reply begin(final Request.Begin request, final Writer beginner) {
    if (request.checkpoint() < 0 || request.ranks() < 1) {
      return invalid(
          "no checkpoint %d of %d ranks".formatted(request.checkpoint(), request.ranks()));
    }
    final ExplicitCheckpoint known = underWay.get(request.checkpoint());
    if (known != null && known.ranks() != request.ranks()) {
      return invalid(
          "checkpoint %d was begun with %d ranks".formatted(known.number(), known.ranks()));
    }
    if (known == null) {
      final Entry.Scope scope = scope(request.ranks(), beginner);
      if (scope.expected() == 0) {
        return invalid(
            "checkpoint %d: %s"
                .formatted(request.checkpoint(), CommitRanks.unknown(request.ranks())));
      }
      try {
        store.claim();
      } catch (final IOException e) {
        return new Reply.Failed(Errno.EIO, e.getMessage());
      }
      underWay.put(request.checkpoint(), new ExplicitCheckpoint(request.checkpoint(), scope));
      waiters.begun(request.checkpoint());
      journal.write(new Entry.Begun(request.checkpoint(), scope));
    }
    return new Reply.Done();
  }

  /** A job of more ranks than run on this node has others on other nodes. */
  private Entry.Scope scope(final int ranks, final Writer beginner) {
    final boolean spread = beginner.ranks() == ranks && beginner.isOfSeveralNodes();
    final int local = spread ? beginner.localRanks() : ranks;
    return new Entry.Scope(ranks, local > 0 ? local : Math.min(writers, ranks), spread);
  }

  /** The checkpoint that a rank may create an image in; empty when the request makes no sense. */
  Optional<ExplicitCheckpoint> find(final Request.Create request) {
    final ExplicitCheckpoint checkpoint = underWay.get(request.checkpoint());
    final boolean valid =
        checkpoint != null
            && request.rank() >= 0
            && request.rank() < checkpoint.ranks()
            && ImagePath.isValid(request.name());
    return valid ? Optional.of(checkpoint) : Optional.empty();
  }

  /**
   * Makes an image.
   *
   * @return the image
   * @throws IOException when its file cannot be made
   * @throws NotCapturedException when there are too many
   */
  Image create(final ExplicitCheckpoint checkpoint, final Request.Create request)
      throws IOException, NotCapturedException {
    final NativeFile file = store.createImageFile();
    final Image image = registry.admit(file, ImageDescriptor.STATE_DIVERTED);
    enter(image, checkpoint, request);
    checkpoint.add(image, request.rank(), request.name()).ifPresent(this::discard);
    return image;
  }

  void enter(final Image image) {
    images.add(image);
  }

  private void enter(
      final Image image, final ExplicitCheckpoint checkpoint, final Request.Create request) {
    images.add(image);
    journal.write(
        new Entry.Created(image.id(), checkpoint.number(), request.rank(), request.name()));
  }

  /** Takes over a checkpoint that a former I/O process had under way. */
  void resume(final long number, final CheckpointFacts facts, final IntFunction<Image> find) {
    final ExplicitCheckpoint checkpoint = new ExplicitCheckpoint(number, facts.scope());
    for (final Entry.Created created : facts.members()) {
      final Image image = find.apply(created.image());
      images.add(image);
      checkpoint.add(image, created.rank(), created.name()).ifPresent(this::discard);
    }
    facts.complete().forEach(checkpoint::complete);
    underWay.put(number, checkpoint);
    waiters.begun(number);
  }

  /** Commits what a former I/O process had decided to. */
  void commitAgain(
      final Entry.Committing commit, final List<Member> members, final Map<Image, Integer> before) {
    waiters.begun(commit.checkpoint());
    members.forEach(member -> images.add(member.image()));
    committer.commitAgain(
        commit,
        members,
        before,
        outcome -> ended(members.stream().map(Member::image).toList(), outcome));
  }

  /** Nobody needs the files of a checkpoint that is in the store, or never will be. */
  private void ended(final List<Image> written, final Optional<Commit> outcome) {
    written.forEach(this::discard);
    outcome.ifPresent(kept -> retention.committed(kept, List.of()));
  }

  /**
   * A rank has written everything.
   *
   * @param slot who asks
   * @param number the number of its request
   */
  Reply complete(final Request.Complete request, final int slot, final long number) {
    final ExplicitCheckpoint checkpoint = underWay.get(request.checkpoint());
    if (checkpoint == null || request.rank() < 0 || request.rank() >= checkpoint.ranks()) {
      return invalid(
          "rank %d began no checkpoint %d".formatted(request.rank(), request.checkpoint()));
    }
    final List<Image> open = checkpoint.openImages(request.rank());
    if (!open.isEmpty()) {
      return new Reply.Failed(
          Errno.EBUSY,
          "rank %d still has %d images of checkpoint %d open"
              .formatted(request.rank(), open.size(), checkpoint.number()));
    }
    journal.write(new Entry.Completed(request.checkpoint(), request.rank(), slot, number));
    checkpoint.complete(request.rank());
    if (checkpoint.isComplete()) {
      commit(checkpoint);
    }
    return new Reply.Done();
  }

  private void commit(final ExplicitCheckpoint checkpoint) {
    underWay.remove(checkpoint.number());
    committer.commit(
        checkpoint.number(),
        checkpoint.commitRanks(),
        false,
        checkpoint.members(),
        outcome -> ended(checkpoint.images(), outcome));
  }

  /** Commits what was complete when the former I/O process was killed, before it could decide. */
  void commitComplete() {
    List.copyOf(underWay.values()).stream()
        .filter(ExplicitCheckpoint::isComplete)
        .forEach(this::commit);
  }

  private static Reply invalid(final String message) {
    return new Reply.Failed(Errno.EINVAL, message);
  }

  /** Drops what was not completed, at the end of the session. */
  void discardAll() {
    for (final ExplicitCheckpoint checkpoint : underWay.values()) {
      Warnings.warn(
          "checkpoint %d is dropped: %d of %d ranks completed it"
              .formatted(
                  checkpoint.number(), checkpoint.completeRanks(), checkpoint.expectedRanks()));
      checkpoint.images().forEach(this::discard);
    }
    underWay.clear();
  }

  boolean has(final Image image) {
    return images.contains(image);
  }

  void discard(final Image image) {
    images.remove(image);
    try {
      Files.deleteIfExists(image.file().opened());
    } catch (final IOException e) {
      Warnings.warn("cannot delete " + image.file().opened() + ": " + e.getMessage());
    }
    forget.accept(image);
  }
}
