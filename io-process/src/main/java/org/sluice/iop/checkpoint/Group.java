package org.sluice.iop.checkpoint;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import org.sluice.iop.image.Image;
import org.sluice.iop.journal.GroupFacts;

/** The images whose paths name one checkpoint. Service thread only. */
final class Group {
  private final long number;
  private final Map<Image, String> paths = new HashMap<>();

  /** Images of the last commit that were neither rewritten nor deleted since. */
  private final Set<Image> unchanged = new HashSet<>();

  private boolean changed;
  private boolean rewriting;

  Group(final long number) {
    this.number = number;
  }

  /** As a former I/O process left it. */
  Group(final long number, final GroupFacts facts, final IntFunction<Image> find) {
    this(number);
    facts.members().forEach((image, path) -> paths.put(find.apply(image), path));
    facts.unchanged().forEach(image -> unchanged.add(find.apply(image)));
    changed = facts.hasChanged();
    rewriting = facts.isRewriting();
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

  /** An image of it is being rewritten. */
  void rewritten(final Image image) {
    changed = true;
    rewriting |= unchanged.remove(image);
  }

  boolean isEmpty() {
    return paths.isEmpty();
  }

  /** Whether there is something that its last commit does not have. */
  boolean hasChanged() {
    return changed;
  }

  void committed() {
    changed = false;
    rewriting = false;
    unchanged.addAll(paths.keySet());
  }

  void failed() {
    changed = true;
  }

  /** Whether nobody writes to any image of it and none was abandoned. */
  boolean isQuiet() {
    return paths.keySet().stream().allMatch(Group::isFinished);
  }

  /** Those whose writers died before they closed them. */
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

  /** Whether as many ranks as the job has have written images. */
  boolean hasAllRanks(final int writers) {
    final int expected = writers > 0 ? writers : ranks();
    return expected > 0 && distinctRanks() >= expected;
  }

  /** Whether some images of the last commit were rewritten or deleted and others were not. */
  boolean isMixed() {
    return rewriting && !unchanged.isEmpty();
  }

  /**
   * Why it is not committed as it is.
   *
   * @param writers how many ranks write it, 0 for all of the job
   */
  String obstacle(final int writers) {
    final int expected = writers > 0 ? writers : ranks();
    final long lost = paths.keySet().stream().filter(image -> image.errno() != 0).count();
    final long unfinished = paths.keySet().stream().filter(image -> !isFinished(image)).count();
    if (lost > 0) {
      return "%d of %d images lost bytes".formatted(lost, paths.size());
    } else if (unfinished > 0) {
      return "%d of %d images never closed".formatted(unfinished, paths.size());
    } else if (expected == 0) {
      return "nothing says how many ranks write it; see --writers";
    } else if (distinctRanks() < expected) {
      return "%d of %d ranks wrote images; see --writers".formatted(distinctRanks(), expected);
    } else if (isMixed()) {
      return "%d of %d images rewritten after its last commit"
          .formatted(paths.size() - unchanged.size(), paths.size());
    }
    return isBeingRenamed() ? "two of its images have one name" : "its commit failed";
  }

  /** Ranks of the job, 0 when no image tells. */
  int ranks() {
    return paths.keySet().stream().mapToInt(Image::ranks).max().orElse(0);
  }

  /** A process without a rank counts as one. */
  private int distinctRanks() {
    final Set<Long> ranks = new HashSet<>();
    for (final Image image : paths.keySet()) {
      ranks.add(image.rank() >= 0 ? image.rank() : -1 - image.process());
    }
    return ranks.size();
  }

  List<Image> images() {
    return new ArrayList<>(paths.keySet());
  }

  List<Member> members() {
    final List<Member> members = new ArrayList<>();
    paths.forEach((image, path) -> members.add(Member.of(image, path)));
    return members;
  }
}
