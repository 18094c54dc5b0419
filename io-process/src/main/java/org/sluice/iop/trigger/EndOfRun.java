package org.sluice.iop.trigger;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.sluice.core.libc.Errno;
import org.sluice.core.posix.Quoting;
import org.sluice.core.store.directory.LeftAsFiles;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.checkpoint.CheckpointState;
import org.sluice.iop.checkpoint.CheckpointStorage;
import org.sluice.iop.checkpoint.Committer;
import org.sluice.iop.checkpoint.Group;
import org.sluice.iop.group.Groups;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageName;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Occurrence;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;

/**
 * The end of a session in the container layout. Images that no checkpoint has become plain files.
 * Committed images leave the capture directory, where a sparse file could be taken for them.
 * Service thread only.
 */
public final class EndOfRun {
  private static final int MOST_LINES = 8;
  private static final String UNGROUPED = "; with --group checkpoints that are whole are committed";

  private final CheckpointState state;
  private final CheckpointStorage storage;
  private final CapturedFiles files;
  private final Statistics statistics;
  private final Groups groups;
  private final Committer committer;
  private final Untold untold;

  EndOfRun(
      final CheckpointState state,
      final CheckpointStorage storage,
      final CapturedFiles files,
      final Statistics statistics,
      final Groups groups,
      final Committer committer,
      final Untold untold) {
    this.state = state;
    this.storage = storage;
    this.files = files;
    this.statistics = statistics;
    this.groups = groups;
    this.committer = committer;
    this.untold = untold;
  }

  /**
   * Takes back images that no stored checkpoint has any more. The program renamed them before
   * another checkpoint with the number was committed, or a user removed the checkpoint.
   */
  public void reclaim() throws IOException {
    if (groups.areUnneeded()) {
      return;
    }
    final Set<Integer> stored = committer.stored();
    final List<Image> unneeded =
        committed().stream()
            .filter(image -> !stored.contains(image.id()))
            .filter(image -> !state.groups().isSetAside(image))
            .toList();
    if (!unneeded.isEmpty()) {
      final Set<ImageKey> named = files.capture().names().keySet();
      unneeded.stream()
          .filter(image -> named.contains(image.key()))
          .forEach(image -> image.state(image.uncommitted()));
    }
  }

  /**
   * Commits the checkpoints that are whole, and reports the fate of all other files.
   *
   * @throws IOException when the store or the capture directory cannot be read, and the user asked
   *     for checkpoints
   */
  public void commit(final boolean succeeded) throws IOException {
    try {
      commitWhole(succeeded);
    } catch (final IOException e) {
      groups.giveUp(e);
    }
  }

  private void commitWhole(final boolean succeeded) throws IOException {
    if (groups.areUnneeded()) {
      groups.nearly().ifPresent(why -> sayPlain("", because(why)));
      return;
    }
    files.capture().search(files.registry().all());
    if (storage.publisher().fence().isPresent()) {
      refuse(groups.incomplete(), storage.publisher().fence().get());
      return;
    }
    groups.end(succeeded);
    final Collection<Group> incomplete = groups.incomplete();
    say(incomplete.stream().filter(group -> !isStored(group)).toList());
    groups.uncaptured().refuseEmpty();
    final List<String> plain = ungrouped();
    if (!plain.isEmpty() && !groups.areOver()) {
      sayPlain(": files=" + plain.size(), why(plain.getFirst()));
    }
  }

  private void sayPlain(final String count, final String why) {
    Warnings.warn(
        "what is in no checkpoint stays plain files in %s%s%s"
            .formatted(files.capture().path(), count, why));
  }

  private String why(final String path) {
    if (!groups.exist()) {
      return UNGROUPED;
    }
    if (groups.unknown().isPresent()) {
      return because(groups.unknown().get());
    }
    return groups.names().parts() > 0
        ? ""
        : "; --group '%s' matches none of them, such as %s"
            .formatted(groups.pattern(), Quoting.name(path));
  }

  private static String because(final String why) {
    return "; they are in no checkpoint, as %s; say by --group which are, or --group none"
        .formatted(why);
  }

  private static boolean isStored(final Group group) {
    return group.images().stream().allMatch(Image::isCommitted);
  }

  /**
   * Reports checkpoints that cannot be committed, without trying. Failures that were reported are
   * not repeated.
   */
  private void refuse(final Collection<Group> incomplete, final IOException why)
      throws IOException {
    final long unsaid =
        incomplete.stream().filter(group -> !state.failed().containsKey(group.number())).count()
            + ungrouped().size();
    if (unsaid > 0) {
      final String reason =
          "what no commit has stays plain files in %s: %s"
              .formatted(files.capture().path(), why.getMessage());
      Warnings.warn(reason);
      statistics.failed(new Failure(Errno.EIO, reason));
    }
  }

  /** Notes in the store, at the end, the directory with files that no checkpoint has. */
  public void noteFiles() throws IOException {
    final long count =
        groups.areUnneeded() ? statistics.count(Occurrence.FILES) : countUncommitted();
    final String directory = files.capture().path();
    if (count > 0 && directory != null) {
      storage.store().leftAsFiles(new LeftAsFiles(directory, count));
    }
  }

  private long countUncommitted() throws IOException {
    final List<Image> uncommitted =
        files.registry().all().stream()
            .filter(image -> !image.isCommitted() && !groups.isNamed(image))
            .filter(image -> image.added() == null)
            .toList();
    final Set<ImageKey> named = uncommitted.isEmpty() ? Set.of() : files.capture().names().keySet();
    return uncommitted.stream().filter(image -> named.contains(image.key())).count();
  }

  /**
   * Reports each checkpoint that is not committed on one line, with a limit. Checkpoints reported
   * before share one line.
   */
  private void say(final Collection<Group> incomplete) {
    final List<Group> said = incomplete.stream().filter(this::isSaid).toList();
    final List<Group> unsaid = incomplete.stream().filter(group -> !isSaid(group)).toList();
    for (final Group group : unsaid.stream().limit(MOST_LINES).toList()) {
      Warnings.warn(
          "checkpoint %d is not committed, its files stay plain files in %s: %s"
              .formatted(group.number(), files.capture().path(), groups.obstacle(group)));
    }
    if (unsaid.size() > MOST_LINES) {
      Warnings.warn("so it is with others: checkpoints=%d".formatted(unsaid.size() - MOST_LINES));
    }
    if (!said.isEmpty()) {
      Warnings.warn(
          "not committed, as said above: checkpoints=%d: %s; as far as their files reached storage they stay plain files in %s"
              .formatted(said.size(), numbers(said), files.capture().path()));
    }
  }

  private static String numbers(final List<Group> groups) {
    return groups.stream()
        .limit(MOST_LINES)
        .map(group -> String.valueOf(group.number()))
        .collect(Collectors.joining(", ", "", groups.size() > MOST_LINES ? ", ..." : ""));
  }

  private boolean isSaid(final Group group) {
    return group.refusal().isSaid();
  }

  /** Returns a name of each image that has a name and no group. */
  private List<String> ungrouped() throws IOException {
    final Map<ImageKey, List<String>> names = files.capture().names();
    return files.registry().all().stream()
        .filter(image -> !image.isCommitted() && !groups.has(image) && image.added() == null)
        .flatMap(image -> CaptureDirectory.of(image, names).stream().limit(1))
        .map(files.capture()::relative)
        .toList();
  }

  /** Counts bytes that programs wrote past the shim, where images are plain files anyway. */
  public void countUntold() throws IOException {
    if (untold.areLikely()) {
      untold.count(files.capture().names());
    }
  }

  /** Removes the names of committed images, which only restore gives back. */
  public void unlinkCommitted() throws IOException {
    final Map<ImageKey, List<String>> names = files.capture().names();
    untold.count(names);
    for (final Image image : committed()) {
      if (image.isOpenOutside()) {
        continue; // the file is whole, and a program may still write it
      }
      CaptureDirectory.of(image, names).forEach(name -> unlink(image, name));
    }
  }

  private static void unlink(final Image image, final String name) {
    try {
      ImageName.remove(image.held().identity(), name);
    } catch (final IOException e) {
      Warnings.warn(
          "%s stays, though only sluice restore gives back all of it: %s"
              .formatted(name, e.getMessage()));
    }
  }

  private Collection<Image> committed() {
    return files.registry().all().stream().filter(Image::isCommitted).toList();
  }
}
