package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.sluice.core.posix.Errno;
import org.sluice.core.posix.PosixException;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.store.Commit;
import org.sluice.core.store.CommittedImage;
import org.sluice.iop.image.Image;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Warnings;

/** Decides commits, and knows which images are committed. Service thread only. */
final class Committer {
  private final Context context;
  private final Set<Image> committed = new HashSet<>();
  private long attempts;

  Committer(final Context context) {
    this.context = context;
  }

  /**
   * Commits a checkpoint.
   *
   * @param ranks whose images it has
   * @param ungrouped whether it has what no group took
   * @param owner told once it is stored or undone
   */
  void commit(
      final long number,
      final CommitRanks ranks,
      final boolean ungrouped,
      final List<Member> members,
      final Consumer<CheckpointCommit> owner) {
    final Entry.Committing decision =
        new Entry.Committing(
            ++attempts, number, ranks.ranks(), ranks.part(), ungrouped, parts(members));
    CheckpointCommit.decide(context, decision, members, commit -> ended(commit, owner)).begin();
  }

  private static List<Entry.Part> parts(final List<Member> members) {
    return members.stream()
        .map(m -> new Entry.Part(m.image().id(), m.path(), m.rank(), m.ranks()))
        .toList();
  }

  /** What is lost keeps no room in the store, which may be what the next one lacks. */
  private void ended(final CheckpointCommit commit, final Consumer<CheckpointCommit> owner) {
    if (commit.isStored()) {
      committed.addAll(commit.images());
      commit.count();
      context.waiters().committed(commit.number());
    } else {
      commit.restore();
      commit.images().stream().filter(i -> i.errno() != 0).forEach(context.drain()::release);
      context.drain().tidy(true);
      Warnings.warn(
          "checkpoint %d is not committed: %s".formatted(commit.number(), commit.end().reason()));
      context.waiters().failed(commit.number(), commit.end());
    }
    owner.accept(commit);
  }

  /** Takes over what a former I/O process knew of commits. */
  void resume(final long lastAttempt, final Collection<Image> inStore) {
    attempts = lastAttempt;
    committed.addAll(inStore);
  }

  /**
   * Ends what a former I/O process had decided. It may be in the store already. Otherwise it is
   * committed, unless a program has deleted or replaced an image since, whose bytes are gone.
   *
   * @param before the states of the images if it is not committed
   */
  void commitAgain(
      final Entry.Committing decision,
      final List<Member> members,
      final Map<Image, Integer> before,
      final Consumer<CheckpointCommit> owner) {
    final CheckpointCommit commit =
        new CheckpointCommit(context, decision, members, before, done -> ended(done, owner));
    final Optional<Commit> made = inStore(decision);
    final Optional<Member> missing = members.stream().filter(Committer::isDeleted).findFirst();
    if (made.isPresent()) {
      commit.seal();
      commit.stored(made.get());
    } else if (missing.isPresent()) {
      commit.undo(
          new Failure(
              Errno.ENOENT,
              missing.get().path()
                  + " was deleted or replaced while there was no I/O process; write all of its images again"));
    } else {
      commit.begin();
    }
  }

  /** What is committed is never rewritten, so the same images under the same names are the same. */
  private Optional<Commit> inStore(final Entry.Committing decision) {
    try {
      final Optional<Commit> commit = context.store().find(decision.checkpoint());
      if (commit.isPresent()
          && commit.get().sessionId() == context.header().sessionId()
          && names(context.store().images(commit.get())).equals(names(decision))) {
        return commit;
      }
    } catch (final IOException e) {
      Warnings.warn(
          "checkpoint %d is committed again: %s".formatted(decision.checkpoint(), e.getMessage()));
    }
    return Optional.empty();
  }

  private static Set<Map.Entry<Integer, String>> names(final List<CommittedImage> images) {
    return images.stream()
        .map(image -> Map.entry(image.imageId(), image.path()))
        .collect(Collectors.toSet());
  }

  private static Set<Map.Entry<Integer, String>> names(final Entry.Committing decision) {
    return decision.members().stream()
        .map(part -> Map.entry(part.image(), part.path()))
        .collect(Collectors.toSet());
  }

  private static boolean isDeleted(final Member member) {
    try {
      return member.image().file().links() == 0;
    } catch (final PosixException e) {
      member.image().fail(e);
      return false;
    }
  }

  /** Whether a commit of the image succeeded. */
  boolean hasCommitted(final Image image) {
    return committed.contains(image);
  }

  /** The ids of the images that checkpoints of this session have now, and a restart can read. */
  Set<Integer> stored() throws IOException {
    final Set<Integer> stored = new HashSet<>();
    for (final Commit commit : context.store().commits(Committer::tellOfDamage)) {
      if (commit.sessionId() == context.header().sessionId()) {
        try {
          context.store().images(commit).forEach(image -> stored.add(image.imageId()));
        } catch (final IOException e) {
          tellOfDamage(e);
        }
      }
    }
    return stored;
  }

  private static void tellOfDamage(final IOException e) {
    Warnings.warn("what it has counts as not committed: " + e.getMessage());
  }

  /** No checkpoint has the image any more: it is what it was before its commit. */
  void reclaim(final Image image) {
    committed.remove(image);
    image.state(
        image.log().isInPlace() ? ImageDescriptor.STATE_DIRECT : ImageDescriptor.STATE_DIVERTED);
  }

  /** Lets go of an image. */
  void forget(final Image image) {
    committed.remove(image);
  }
}
