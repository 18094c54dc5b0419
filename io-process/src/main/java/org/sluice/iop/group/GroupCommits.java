package org.sluice.iop.group;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.sluice.core.store.model.Completion;
import org.sluice.iop.checkpoint.CheckpointCommit;
import org.sluice.iop.checkpoint.CheckpointStorage;
import org.sluice.iop.checkpoint.CommitRanks;
import org.sluice.iop.checkpoint.Committer;
import org.sluice.iop.checkpoint.Group;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.Image;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.retention.Retention;

/**
 * The commits of groups: whether the store may have a group, its commit, and the marks of
 * checkpoints that are whole no more. Service thread only.
 */
public final class GroupCommits {
  private static final String NO_NAME = "";

  private final CheckpointStorage storage;
  private final Drain drain;
  private final Committer committer;
  private final Retention retention;

  public GroupCommits(
      final CheckpointStorage storage,
      final Drain drain,
      final Committer committer,
      final Retention retention) {
    this.storage = storage;
    this.drain = drain;
    this.committer = committer;
    this.retention = retention;
  }

  /** Notes that a group begins, whose number an earlier run may have committed in place. */
  void begins(final long number) {
    storage.predecessors().begins(number);
  }

  /** Returns the reason for which the store must not have a group; empty where it may. */
  Optional<Failure> obstacle(final long number) {
    return storage.predecessors().obstacle(number);
  }

  /** Returns whether a commit names an image, whose file stays in place. */
  boolean isNamed(final Image image) {
    return image.isNamedBy(drain.layout());
  }

  /**
   * Commits a group.
   *
   * @param owner receiver of the commit once it is stored or undone
   */
  void commit(
      final Group group,
      final CommitRanks ranks,
      final Completion completion,
      final List<Entry.Part> members,
      final Consumer<CheckpointCommit> owner) {
    if (!group.hasGrown()) {
      storage.predecessors().commits(group.number());
    }
    committer.commit(
        group.number(), NO_NAME, group.isRewritten(), ranks, completion, members, owner);
  }

  /** Notes that a group is in the store; older checkpoints go. */
  void stored(final CheckpointCommit commit) {
    storage.predecessors().committed(commit.number());
    retention.committed(commit.stored(), commit.own());
  }

  /** Returns whether a group that is committed again in place is marked first. */
  boolean marksRewritten(final Group group) {
    return drain.layout().commitsNames() && group.isStored() && group.isRewritten();
  }

  /**
   * Marks a committed group as incomplete.
   *
   * @param isNextUnderWay whether its next commit is
   */
  void markIncomplete(final Group group, final boolean isNextUnderWay) {
    drain.publish(new MarkIncomplete(storage.store(), group.takeStored()));
    retention.grown(group.number());
    committer.grown(group.number(), isNextUnderWay);
  }

  /** Marks an earlier run's checkpoint of a number whose files are written over in place. */
  void markWrittenOver(final long number) {
    if (drain.layout().commitsNames() && storage.predecessors().isWrittenOver(number)) {
      drain.publish(new WrittenOver(storage, number));
    }
  }
}
