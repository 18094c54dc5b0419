package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.store.LeftAsFiles;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.image.Writer;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;

/**
 * The end of a session in the container layout: images that no checkpoint has are committed if the
 * command succeeded, otherwise they become plain files; committed ones leave the capture directory,
 * where a sparse file could be taken for them. Service thread only.
 */
final class Leftovers {
  private static final int MOST_LINES = 8;

  private final ImageRegistry registry;
  private final Groups groups;
  private final CaptureDirectory capture;
  private final Committer committer;
  private final Drain drain;
  private final Statistics statistics;
  private final SharedFiles shared;

  /** Why images lack bytes that could not be stored, also of those that were let go of. */
  private final Map<ImageKey, Exception> losses = new LinkedHashMap<>();

  Leftovers(
      final ImageRegistry registry,
      final Groups groups,
      final CaptureDirectory capture,
      final Committer committer,
      final Drain drain,
      final Statistics statistics,
      final SharedFiles shared) {
    this.shared = shared;
    this.registry = registry;
    this.groups = groups;
    this.capture = capture;
    this.committer = committer;
    this.drain = drain;
    this.statistics = statistics;
  }

  /**
   * Takes back what no checkpoint has any more: its program renamed it before another one with its
   * number was committed, or somebody removed that.
   */
  void reclaim() throws IOException {
    final Set<ImageKey> named = capture.names().keySet();
    final Set<Integer> stored = committer.stored();
    committed().stream()
        .filter(image -> named.contains(image.key()) && !stored.contains(image.id()))
        .forEach(committer::reclaim);
  }

  /**
   * Commits what can be.
   *
   * @param next the number for images outside every group
   * @param grouped whether the run has groups
   */
  void commit(final long next, final boolean grouped) throws IOException {
    long free = next;
    final Collection<Group> incomplete = groups.incomplete();
    say(incomplete.stream().filter(Group::isTorn).toList(), staysPlain());
    final List<Group> whole = incomplete.stream().filter(group -> !group.isTorn()).toList();
    say(whole, "committed as it is at the end");
    for (final Group group : incomplete) {
      free = Math.max(free, group.number() + 1);
    }
    whole.forEach(group -> commit(group.number(), false, group.members()));
    final List<Member> others = others();
    if (others.stream().anyMatch(member -> member.image().errno() != 0)) {
      Warnings.warn("checkpoint %d is not committed: an image of it is lost".formatted(free));
    } else if (!others.isEmpty()) {
      commit(free, grouped, others);
    }
  }

  /** Says what stays uncommitted, so that nobody expects it in the store. */
  void reportUncommitted() throws IOException {
    say(groups.incomplete().stream().filter(this::hasUncommitted).toList(), staysPlain());
    final int others = others().size();
    if (others > 0) {
      Warnings.warn(
          "what is in no checkpoint stays plain files in %s: files=%d"
              .formatted(capture.path(), others));
    }
  }

  /** Tells the store, at the end, where files are that no checkpoint has. */
  void noteFiles() throws IOException {
    final long files = drain.isInPlace() ? statistics.files() : countUncommitted();
    if (files > 0 && capture.path() != null) {
      committer.leftAsFiles(new LeftAsFiles(capture.path(), files));
    }
  }

  private long countUncommitted() throws IOException {
    final List<Image> uncommitted =
        registry.all().stream().filter(image -> !committer.hasCommitted(image)).toList();
    final Set<ImageKey> named = uncommitted.isEmpty() ? Set.of() : capture.names().keySet();
    return uncommitted.stream().filter(image -> named.contains(image.key())).count();
  }

  private String staysPlain() {
    return "not committed as it is, what no commit has stays plain files in " + capture.path();
  }

  private boolean hasUncommitted(final Group group) {
    return !group.images().stream().allMatch(committer::hasCommitted);
  }

  /** A line for each checkpoint, but no flood. */
  private void say(final Collection<Group> incomplete, final String outcome) {
    for (final Group group : incomplete.stream().limit(MOST_LINES).toList()) {
      Warnings.warn(
          "checkpoint %d is %s: %s".formatted(group.number(), outcome, groups.obstacle(group)));
    }
    if (incomplete.size() > MOST_LINES) {
      Warnings.warn(
          "so it is with others: checkpoints=%d".formatted(incomplete.size() - MOST_LINES));
    }
  }

  /** Every name that no group has: a file with two names is two images of a checkpoint. */
  private List<Member> others() throws IOException {
    final Map<ImageKey, List<Path>> names = capture.names();
    final List<Member> others = new ArrayList<>();
    for (final Image image : registry.all()) {
      if (committer.hasCommitted(image) && !groups.has(image)) {
        continue; // by a former I/O process that was killed at this point
      }
      for (final Path name : names.getOrDefault(image.key(), List.of())) {
        capture
            .relative(name)
            .filter(path -> !groups.has(image, path) && !shared.has(image, path))
            .ifPresent(path -> others.add(Member.of(image, path)));
      }
    }
    return others;
  }

  /** Nobody said how many ranks write these, so none is missing. */
  private void commit(final long number, final boolean ungrouped, final List<Member> members) {
    final List<Writer> writers = members.stream().map(member -> member.image().writer()).toList();
    committer.commit(number, CommitRanks.of(writers, 0), ungrouped, members, committed -> {});
  }

  /** Makes plain files of the images that are not committed, and brings them to storage. */
  void settle() {
    for (final Image image : registry.all()) {
      if (isDeleted(image)) {
        continue;
      }
      if (image.state() == ImageDescriptor.STATE_DIVERTED) {
        image.state(ImageDescriptor.STATE_DIRECT);
        drain.makeDirect(image, new int[0], false);
      }
      if (image.state() == ImageDescriptor.STATE_DIRECT) {
        drain.sync(image, now -> statistics.durable(image.times().first(), now));
      }
    }
  }

  private static boolean isDeleted(final Image image) {
    try {
      return image.file().links() == 0;
    } catch (final IOException e) {
      return false;
    }
  }

  /** Keeps in mind that an image lacks bytes that could not be stored, if it does. */
  void noteLoss(final Image image) {
    image.failure().ifPresent(failure -> losses.putIfAbsent(image.key(), failure));
  }

  /** The file was emptied, or is another one with the number of one that is gone. */
  void rewritten(final Image image) {
    losses.remove(image.key());
  }

  /** Tells of lost bytes; those of a file that its program has deleted are missed by nobody. */
  void reportLosses() throws IOException {
    registry.all().forEach(this::noteLoss);
    if (!losses.isEmpty()) {
      losses.keySet().retainAll(capture.names().keySet());
      losses.values().forEach(loss -> statistics.failed(Failure.of(loss)));
    }
  }

  /** Removes the names of committed images, which only restore gives back. */
  void unlinkCommitted() throws IOException {
    final Map<ImageKey, List<Path>> names = capture.names();
    for (final Image image : committed()) {
      if (image.isOpenOutside()) {
        continue; // it is whole, and a program may still write it
      }
      names.getOrDefault(image.key(), List.of()).forEach(name -> unlink(image, name));
    }
  }

  private static void unlink(final Image image, final Path name) {
    try {
      CaptureDirectory.unlink(image.key(), name);
    } catch (final IOException e) {
      Warnings.warn(
          "%s stays, though only sluice restore gives back all of it: %s"
              .formatted(name, e.getMessage()));
    }
  }

  private Collection<Image> committed() {
    return registry.all().stream().filter(committer::hasCommitted).toList();
  }
}
