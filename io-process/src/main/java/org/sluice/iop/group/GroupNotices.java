package org.sluice.iop.group;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import org.sluice.core.libc.Errno;
import org.sluice.iop.checkpoint.CommitRanks;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.checkpoint.Group;
import org.sluice.iop.checkpoint.Grouping;
import org.sluice.iop.image.Writer;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Warnings;

/** What users are told of the groups of a session, each once. Service thread only. */
final class GroupNotices {
  private final Context context;
  private final Grouping grouping;
  private boolean toldOfGrowth;
  private boolean toldOfHabit;
  private boolean toldOfObstacle;
  private boolean toldOfRanks;
  private boolean toldOfWaiting;
  private LeftBehind leftBehind;

  GroupNotices(final Context context) {
    this.context = context;
    this.grouping = context.grouping();
  }

  /** A process writes an image: says so if no group that it and its like write can be committed. */
  void writes(final Writer writer) {
    if (!toldOfObstacle) {
      final boolean counted =
          grouping.hasMarkers() || grouping.writers() > 0 || writer.localRanks() > 0;
      final Optional<String> obstacle =
          counted || !writer.isOfSeveralNodes()
              ? obstacle(writer)
              : Optional.of(CommitRanks.unknown(writer.ranks()));
      toldOfObstacle = obstacle.isPresent();
      tellOfRanks(writer);
      obstacle.map(why -> "no group is committed: " + why).ifPresent(this::refuse);
    }
  }

  /**
   * What one node has completed says nothing of others, as a part in a bucket covers its own ranks.
   */
  private void tellOfRanks(final Writer writer) {
    if (!toldOfRanks
        && context.publisher().hasStage()
        && writer.isOfSeveralNodes()
        && (grouping.hasMarkers() || grouping.writers() > 0)) {
      toldOfRanks = true;
      Warnings.warn(
          "in a bucket a checkpoint needs files of all %d ranks, and %s on each node; let ranks that have none leave an empty one"
              .formatted(
                  writer.ranks(),
                  grouping.hasMarkers() ? "a marker" : "as many as --writers says"));
    }
  }

  /** In a series a checkpoint names files of several nodes. */
  private Optional<String> obstacle(final Writer writer) {
    return !context.publisher().hasNodes() ? context.shared().obstacle(writer) : Optional.empty();
  }

  private void refuse(final String reason) {
    Warnings.warn(reason);
    context.statistics().failed(new Failure(Errno.EINVAL, reason));
  }

  /** One that was left behind by another, and seemed to wait when that began. */
  record LeftBehind(Group group, long next) {}

  /**
   * A group begins. One that is left behind may wait for ranks that have opened no file of any, so
   * that no checkpoint will ever be whole. Its marker may be known from a ring that was read
   * earlier: users are told once all were read again.
   *
   * @param ranks how many have opened one
   */
  void begins(final long number, final Collection<Group> others, final int ranks) {
    if (!toldOfWaiting) {
      others.stream()
          .filter(former -> former.waitsFor(grouping, ranks))
          .min(Comparator.comparingLong(Group::number))
          .ifPresent(former -> leftBehind = new LeftBehind(former, number));
    }
  }

  /** The one that is to be looked at again once all rings were read; null for none. */
  LeftBehind takeLeftBehind() {
    final LeftBehind taken = leftBehind;
    leftBehind = null;
    return taken;
  }

  /** Says that a group waits, if it still does. */
  void tellOf(final LeftBehind waiting, final int ranks) {
    if (waiting != null && !toldOfWaiting && waiting.group().waitsFor(grouping, ranks)) {
      toldOfWaiting = true;
      Warnings.warn(
          "checkpoint %d is not committed while checkpoint %d begins: %s"
              .formatted(
                  waiting.group().number(), waiting.next(), waiting.group().obstacle(grouping)));
    }
  }

  /** A group that a count completes waits for as many files as the one before got. */
  void waits(final Group group, final ExpectedFiles expected) {
    if (!toldOfHabit) {
      toldOfHabit = true;
      Warnings.warn(
          "checkpoint %d waits for more files, as checkpoint %d got %d in the end; "
                  .formatted(group.number(), expected.former(), expected.files())
              + "--files-per-rank or --complete can say what a checkpoint has");
    }
  }

  /** A group is committed: a restart since its former commit took the checkpoint before it. */
  void commits(final Group group) {
    if (group.hasGrown() && !toldOfGrowth) {
      toldOfGrowth = true;
      Warnings.warn(
          ("checkpoint %d was committed before ranks wrote more files of it, and counts as incomplete"
                      + " until it is committed again; ")
                  .formatted(group.number())
              + (grouping.hasMarkers()
                  ? "write the file that --complete names as the last one"
                  : "if each rank writes N, say so with --files-per-rank N, or name the last file"
                      + " with --complete"));
    }
  }
}
