package org.sluice.iop.group;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import org.sluice.core.libc.Errno;
import org.sluice.iop.checkpoint.CommitRanks;
import org.sluice.iop.checkpoint.Group;
import org.sluice.iop.checkpoint.Grouping;
import org.sluice.iop.checkpoint.SharedFiles;
import org.sluice.iop.image.Writer;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.publish.Publisher;

/** The notices to users about the groups of a session, each given once. Service thread only. */
public final class GroupNotices {
  private final Grouping grouping;
  private final Publisher publisher;
  private final SharedFiles shared;
  private final Statistics statistics;
  private boolean toldOfGrowth;
  private boolean toldOfHabit;
  private boolean toldOfObstacle;
  private boolean toldOfRanks;
  private boolean toldOfWaiting;
  private LeftBehind leftBehind;

  public GroupNotices(
      final Grouping grouping,
      final Publisher publisher,
      final SharedFiles shared,
      final Statistics statistics) {
    this.grouping = grouping;
    this.publisher = publisher;
    this.shared = shared;
    this.statistics = statistics;
  }

  /**
   * Notes that a process writes an image. Warns if no group that such processes write can be
   * committed.
   */
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
   * Warns that a bucket needs files of all ranks. A part in a bucket covers its own ranks, so one
   * node's completion says nothing of other nodes.
   */
  private void tellOfRanks(final Writer writer) {
    if (!toldOfRanks
        && publisher.hasStage()
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

  /**
   * Returns the reason for which no group is committed. In a series a checkpoint may name files of
   * several nodes.
   */
  private Optional<String> obstacle(final Writer writer) {
    return !publisher.hasNodes() ? shared.obstacle(writer) : Optional.empty();
  }

  private void refuse(final String reason) {
    Warnings.warn(reason);
    statistics.failed(new Failure(Errno.EINVAL, reason));
  }

  /** A group that was left behind by the next one, and seemed to wait when that began. */
  record LeftBehind(Group group, long next) {}

  /**
   * Notes that a group begins. A group left behind may wait for ranks that never opened a file, so
   * that no checkpoint will ever be whole. Its marker may be in a ring that was read earlier. So
   * users are told once all rings were read again.
   */
  void begins(final long number, final Collection<Group> others, final int ranks) {
    if (!toldOfWaiting) {
      others.stream()
          .filter(former -> former.waitsFor(grouping, ranks))
          .min(Comparator.comparingLong(Group::number))
          .ifPresent(former -> leftBehind = new LeftBehind(former, number));
    }
  }

  /** Returns and forgets the group to look at again once all rings were read; null for none. */
  LeftBehind takeLeftBehind() {
    final LeftBehind taken = leftBehind;
    leftBehind = null;
    return taken;
  }

  /** Warns that a group waits, if it still does. */
  void tellOf(final LeftBehind waiting, final int ranks) {
    if (waiting != null && !toldOfWaiting && waiting.group().waitsFor(grouping, ranks)) {
      toldOfWaiting = true;
      Warnings.warn(
          "checkpoint %d is not committed while checkpoint %d begins: %s"
              .formatted(
                  waiting.group().number(), waiting.next(), waiting.group().obstacle(grouping)));
    }
  }

  /** Warns that a group waits for as many files as the previous one got. */
  void waits(final Group group, final ExpectedFiles expected) {
    if (!toldOfHabit) {
      toldOfHabit = true;
      Warnings.warn(
          "checkpoint %d waits for more files, as checkpoint %d got %d in the end; "
                  .formatted(group.number(), expected.former(), expected.files())
              + "--files-per-rank or --complete can say what a checkpoint has");
    }
  }

  /**
   * Warns of a group that is committed again after it grew. A restart since the former commit took
   * an earlier checkpoint.
   */
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
