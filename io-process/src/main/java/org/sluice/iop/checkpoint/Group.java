package org.sluice.iop.checkpoint;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.Writer;
import org.sluice.iop.journal.Entry;

/** The images whose paths name one checkpoint. Service thread only. */
final class Group {
  private final long number;
  private final Map<Image, String> paths = new LinkedHashMap<>();

  /** Images of the last commit that were neither rewritten nor deleted since. */
  private final Set<Image> unchanged = new LinkedHashSet<>();

  private boolean changed;
  private boolean rewriting;

  /**
   * A group without images.
   *
   * @param changed whether there is something that its last commit does not have
   * @param rewriting whether an image of its last commit was rewritten or deleted
   */
  Group(final long number, final boolean changed, final boolean rewriting) {
    this.number = number;
    this.changed = changed;
    this.rewriting = rewriting;
  }

  /** Adds an image of the last commit, or of behind it. */
  void enter(final Image image, final String path, final boolean same) {
    paths.put(image, path);
    if (same) {
      unchanged.add(image);
    }
  }

  Entry.Grouped sum() {
    final List<Entry.GroupMember> members = new ArrayList<>();
    paths.forEach(
        (image, path) ->
            members.add(new Entry.GroupMember(image.id(), path, unchanged.contains(image))));
    return new Entry.Grouped(number, changed, rewriting, members);
  }

  long number() {
    return number;
  }

  /** Adds an image, or learns its new path. */
  void add(final Image image, final String path) {
    changed |= !path.equals(paths.put(image, path));
  }

  boolean has(final Image image, final String path) {
    return path.equals(paths.get(image));
  }

  void remove(final Image image) {
    paths.remove(image);
    rewriting |= unchanged.remove(image);
  }

  /** A copy with the same bytes takes an image's place. */
  void substitute(final Image image, final Image copy) {
    paths.put(copy, paths.remove(image));
    if (unchanged.remove(image)) {
      unchanged.add(copy);
    }
  }

  /** A process rewrites an image of the group. */
  void rewritten(final Image image) {
    changed = true;
    rewriting |= unchanged.remove(image);
  }

  /** The images that are as they were committed. */
  Set<Image> unchanged() {
    return unchanged;
  }

  boolean isEmpty() {
    return paths.isEmpty();
  }

  /** Whether the group has something that its last commit does not have. */
  boolean hasChanged() {
    return changed;
  }

  void failed() {
    changed = true;
  }

  /** Whether no process has an image of the group open, and no image was abandoned. */
  boolean isQuiet() {
    return paths.keySet().stream().allMatch(Group::isFinished);
  }

  /** The images whose writers died before they closed them. */
  List<Image> abandoned() {
    return paths.keySet().stream().filter(Image::isAbandoned).toList();
  }

  private static boolean isFinished(final Image image) {
    return image.openers().isEmpty() && !image.isAbandoned();
  }

  /**
   * Whether two images have one name: a program has just renamed one over the other, and says so
   * next.
   */
  boolean isBeingRenamed() {
    return Set.copyOf(paths.values()).size() < paths.size();
  }

  /** Whether as many ranks as the job has have written as many images as each does. */
  boolean isWhole(final Grouping grouping) {
    final int expected = expected(grouping);
    return expected > 0 && ranksWith(grouping.filesPerRank()) >= expected;
  }

  /**
   * Whether the group waits only for ranks that have opened no file of any checkpoint.
   *
   * @param seen how many ranks have opened one
   */
  boolean waitsFor(final Grouping grouping, final long seen) {
    final int expected = expected(grouping);
    return changed && isQuiet() && (expected == 0 || seen < expected);
  }

  /** Whether all images are of one round of writing. */
  boolean isOfOneRound() {
    return !isMixed() && countOutlived() == 0;
  }

  /** Whether some images of the last commit were rewritten or deleted and others were not. */
  private boolean isMixed() {
    return rewriting && !unchanged.isEmpty();
  }

  /**
   * Images of killed processes, when one that came after more kills has written an image, too. Not
   * after their own kill: ranks that go back may come while others are still to be killed.
   */
  private long countOutlived() {
    final int latest = writers().mapToInt(Writer::killsBefore).max().orElse(0);
    return writers().filter(writer -> writer.wasKilled() && writer.killsBefore() < latest).count();
  }

  private long countLost() {
    return paths.keySet().stream().filter(image -> image.errno() != 0).count();
  }

  /** Whether a kill or a fault left it in a state that no rank meant it to have. */
  boolean isTorn() {
    return countLost() > 0
        || countOutlived() > 0
        || abandoned().stream().anyMatch(image -> image.writer().wasKilled());
  }

  /** Whether more images have joined since its last commit, all of which are as they were. */
  boolean hasGrown() {
    return !unchanged.isEmpty() && !rewriting && unchanged.size() < paths.size();
  }

  /**
   * Why the group is not committed as it is.
   *
   * @param grouping what makes it whole
   */
  String obstacle(final Grouping grouping) {
    final int expected = expected(grouping);
    final int files = grouping.filesPerRank();
    final long unfinished = paths.keySet().stream().filter(image -> !isFinished(image)).count();
    if (countLost() > 0) {
      return "%d of %d images lost bytes".formatted(countLost(), paths.size());
    } else if (unfinished > 0) {
      return "%d of %d images never closed".formatted(unfinished, paths.size());
    } else if (expected == 0) {
      return "nothing says how many ranks write it; see --writers";
    } else if (ranksWith(1) < expected) {
      return "%d of %d ranks wrote images; see --writers".formatted(ranksWith(1), expected);
    } else if (ranksWith(files) < expected) {
      return "%d of %d ranks wrote %d images; see --files-per-rank"
          .formatted(ranksWith(files), expected, files);
    } else if (countOutlived() > 0) {
      return "%d of %d images left by killed ranks, not rewritten or deleted by those who came later"
          .formatted(countOutlived(), paths.size());
    } else if (isMixed()) {
      return "%d of %d images rewritten after its last commit"
          .formatted(paths.size() - unchanged.size(), paths.size());
    }
    return isBeingRenamed() ? "two of its images have one name" : "its commit failed";
  }

  private Stream<Writer> writers() {
    return paths.keySet().stream().map(Image::writer);
  }

  /** How many ranks of this node write it, 0 when no image tells. */
  private int expected(final Grouping grouping) {
    return grouping.writers() > 0
        ? grouping.writers()
        : writers().mapToInt(Writer::localRanks).max().orElse(0);
  }

  /** The ranks whose images a commit of the group has. */
  CommitRanks commitRanks(final Grouping grouping) {
    return CommitRanks.of(writers().toList(), grouping.writers() > 0 ? 0 : expected(grouping));
  }

  private long ranksWith(final int files) {
    return filesByRank().values().stream().filter(count -> count >= files).count();
  }

  private Map<Long, Integer> filesByRank() {
    final Map<Long, Integer> files = new HashMap<>();
    for (final Image image : paths.keySet()) {
      files.merge(image.writer().part(), 1, Integer::sum);
    }
    return files;
  }

  List<Image> images() {
    return new ArrayList<>(paths.keySet());
  }

  List<Entry.Part> members() {
    final List<Entry.Part> members = new ArrayList<>();
    paths.forEach((image, path) -> members.add(Committer.part(image, path)));
    return members;
  }
}
