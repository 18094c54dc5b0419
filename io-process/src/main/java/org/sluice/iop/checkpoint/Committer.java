package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.sluice.core.libc.Errno;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.Completion;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.Image;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Warnings;

/** Decides commits. Service thread only. */
public final class Committer {
  private static final int NO_RANK = -1;

  private final Decisions decisions;
  private final CheckpointStorage storage;
  private final CapturedFiles files;
  private final Drain drain;
  private final Drafts drafts;
  private final CommitOutcomes outcomes;
  private final ImageRelease releases;

  public Committer(
      final Decisions decisions,
      final CheckpointStorage storage,
      final CapturedFiles files,
      final Drain drain,
      final Drafts drafts,
      final CommitOutcomes outcomes,
      final ImageRelease releases) {
    this.decisions = decisions;
    this.storage = storage;
    this.files = files;
    this.drain = drain;
    this.drafts = drafts;
    this.outcomes = outcomes;
    this.releases = releases;
  }

  /**
   * @param name name of the checkpoint; empty for none
   * @param anew whether it was written anew since it was decided last
   * @param owner told once it is stored or undone
   */
  public void commit(
      final long number,
      final String name,
      final boolean anew,
      final CommitRanks ranks,
      final Completion completion,
      final List<Entry.Part> members,
      final Consumer<CheckpointCommit> owner) {
    final Entry.Written written =
        !storage.publisher().hasNodes()
            ? new Entry.Written(number, Entry.NO_ROUND, 0, 0)
            : decisions.state().written(number, anew);
    final Entry.Committing decision =
        new Entry.Committing(
            decisions.state().lastAttempt() + 1,
            number,
            name,
            written.round(),
            written.growth(),
            ranks.ranks(),
            ranks.part(),
            completion,
            ranks.coverage().toString(),
            members.stream().map(this::directOrNot).toList());
    decisions.decide(decision);
    outcomes.begun(number);
    commit(decision, owner).begin();
  }

  /**
   * Returns the part as direct where its file stays in place or other nodes may write it, too. The
   * checkpoint has such a file by its name.
   */
  private Entry.Part directOrNot(final Entry.Part part) {
    final Image image = files.registry().find(part.image());
    final boolean shared = files.shared().has(image, part.path());
    return shared || image.isNamedBy(drain.layout())
        ? new Entry.Part(
            part.image(), part.path(), shared ? NO_RANK : part.rank(), part.ranks(), true)
        : part;
  }

  /** Notes that a checkpoint is begun: from now on no older commit of it answers a process. */
  public void begun(final long number) {
    outcomes.begun(number);
  }

  /**
   * Ends a checkpoint, which is no more under way, without a commit.
   *
   * @param isSaid whether this process says so; else the process that gives the checkpoint up does
   */
  public void giveUp(final long number, final Failure why, final boolean isSaid) {
    final Entry.Ended end =
        new Entry.Ended(CheckpointState.GIVEN_UP, number, why.errno(), why.reason());
    decisions.decide(end);
    if (isSaid) {
      Warnings.warn("checkpoint %d is given up: %s".formatted(number, why.reason()));
    }
    outcomes.givenUp(end);
  }

  /** Notes that files joined a committed checkpoint, whose next commit may be under way. */
  public void grown(final long number, final boolean isNextUnderWay) {
    outcomes.grown(number, isNextUnderWay);
  }

  private CheckpointCommit commit(
      final Entry.Committing decision, final Consumer<CheckpointCommit> owner) {
    return new CheckpointCommit(
        files,
        storage,
        drain,
        decision,
        drafts,
        outcomes.of(decision),
        commit -> ended(commit, owner));
  }

  /** An image that the process wrote which opened it last. */
  public static Entry.Part part(final Image image, final String path) {
    return new Entry.Part(image.id(), path, image.writer().rank(), image.writer().ranks(), false);
  }

  /**
   * The room of lost images in the store is given back before waiters are told of a failure, since
   * the next commit may need it.
   */
  private void ended(final CheckpointCommit commit, final Consumer<CheckpointCommit> owner) {
    decisions.state().apply(commit.end());
    if (commit.isStored()) {
      forgetRefusal(commit.number());
      commit.tell();
    } else {
      commit.outcome().ended(commit.end());
      commit.images().forEach(image -> image.state(image.state())); // tells every process again
      commit.images().stream().filter(i -> i.errno() != 0).forEach(drain::release);
      drain.tidy(true);
      drain.continueAfter(() -> tellOfFailure(commit));
    }
    owner.accept(commit);
    if (commit.isStored()) {
      drain.tidy(false); // behind what goes: the next container is made of that
    }
    releases.committed(commit.members());
    commit.outcome().answer();
  }

  private void forgetRefusal(final long number) {
    final Group group = decisions.state().groups().find(number);
    if (group != null) {
      group.refusal().forget();
    }
  }

  private void tellOfFailure(final CheckpointCommit commit) {
    final Group group = decisions.state().groups().find(commit.number());
    final Refusal refusal = group == null ? new Refusal(commit.number()) : group.refusal();
    refusal.say(commit.end().reason());
    commit.outcome().failed(commit.end());
  }

  /**
   * Ends what a former I/O process had decided. The checkpoint may be in the store already.
   * Otherwise it is committed, unless a program has deleted or replaced an image since, whose bytes
   * are gone.
   */
  public void commitAgain(final Entry.Committing decision, final Consumer<CheckpointCommit> owner) {
    final CheckpointCommit commit = commit(decision, owner);
    final Optional<Commit> made = inStore(decision);
    final Optional<Entry.Part> missing =
        decision.members().stream()
            .filter(part -> files.registry().find(part.image()).isDeleted())
            .findFirst();
    if (made.isPresent()) {
      commit.seal();
      commit.resume(made.get());
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

  /**
   * Finds the commit in the store. Committed files are never rewritten, so the same images under
   * the same names are the same.
   */
  private Optional<Commit> inStore(final Entry.Committing decision) {
    try {
      final Optional<Commit> commit = storage.store().find(decision.checkpoint());
      if (commit.isPresent()
          && commit.get().source().sessionId() == storage.sessionId()
          && !commit.get().incomplete()
          && names(storage.store().images(commit.get())).equals(names(decision))) {
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

  /** The ids of the images that checkpoints of this session have now, and a restart can read. */
  public Set<Integer> stored() throws IOException {
    final Set<Integer> stored = new HashSet<>();
    for (final Commit commit : storage.store().commits(Committer::tellOfDamage)) {
      if (commit.source().sessionId() == storage.sessionId()
          && storage.publisher().counts(commit)) {
        try {
          storage.store().images(commit).forEach(image -> stored.add(image.imageId()));
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
}
