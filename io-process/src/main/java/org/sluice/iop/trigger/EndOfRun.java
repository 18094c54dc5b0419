package org.sluice.iop.trigger;

import java.io.IOException;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.sluice.core.libc.Errno;
import org.sluice.core.posix.Quoting;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.core.store.directory.LeftAsFiles;
import org.sluice.iop.checkpoint.CheckpointState;
import org.sluice.iop.checkpoint.Committer;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.checkpoint.Group;
import org.sluice.iop.checkpoint.ImageRelease;
import org.sluice.iop.group.Groups;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageName;
import org.sluice.iop.image.MissingException;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Occurrence;
import org.sluice.iop.measure.Warnings;

/**
 * The end of a session in the container layout. Images that no checkpoint has become plain files.
 * Committed images leave the capture directory, where a sparse file could be taken for them.
 * Service thread only.
 */
public final class EndOfRun {
  private static final int MOST_LINES = 8;
  private static final String UNGROUPED = "; with --group checkpoints that are whole are committed";

  /** The number of images settled at once, whose files need descriptors then. */
  private static final int AT_ONCE = 32;

  private final Context context;
  private final Groups groups;
  private final Committer committer;
  private final ImageRelease releases;
  private final Resting resting;
  private final Replacements replacements;

  EndOfRun(
      final Context context,
      final Groups groups,
      final Committer committer,
      final ImageRelease releases,
      final Resting resting,
      final Replacements replacements) {
    this.replacements = replacements;
    this.releases = releases;
    this.resting = resting;
    this.context = context;
    this.groups = groups;
    this.committer = committer;
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
            .filter(image -> !context.state().groups().isSetAside(image))
            .toList();
    if (!unneeded.isEmpty()) {
      final Set<ImageKey> named = context.capture().names().keySet();
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
    context.capture().search(context.registry().all());
    if (context.publisher().fence().isPresent()) {
      refuse(groups.incomplete(), context.publisher().fence().get());
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
            .formatted(context.capture().path(), count, why));
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
            .formatted(context.grouping().files().pattern(), Quoting.name(path));
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
        incomplete.stream()
                .filter(group -> !context.state().failed().containsKey(group.number()))
                .count()
            + ungrouped().size();
    if (unsaid > 0) {
      final String reason =
          "what no commit has stays plain files in %s: %s"
              .formatted(context.capture().path(), why.getMessage());
      Warnings.warn(reason);
      context.statistics().failed(new Failure(Errno.EIO, reason));
    }
  }

  /** Notes in the store, at the end, the directory with files that no checkpoint has. */
  public void noteFiles() throws IOException {
    final long files =
        groups.areUnneeded() ? context.statistics().count(Occurrence.FILES) : countUncommitted();
    final String directory = context.capture().path();
    if (files > 0 && directory != null) {
      context.store().leftAsFiles(new LeftAsFiles(directory, files));
    }
  }

  private long countUncommitted() throws IOException {
    final List<Image> uncommitted =
        context.registry().all().stream()
            .filter(image -> !image.isCommitted() && !groups.isNamed(image))
            .toList();
    final Set<ImageKey> named =
        uncommitted.isEmpty() ? Set.of() : context.capture().names().keySet();
    return uncommitted.stream().filter(image -> named.contains(image.key())).count();
  }

  private long countUnnamed() {
    return context.registry().all().stream()
        .filter(image -> image.reason() == Reason.NODES && !groups.has(image))
        .count();
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
              .formatted(group.number(), context.capture().path(), groups.obstacle(group)));
    }
    if (unsaid.size() > MOST_LINES) {
      Warnings.warn("so it is with others: checkpoints=%d".formatted(unsaid.size() - MOST_LINES));
    }
    if (!said.isEmpty()) {
      Warnings.warn(
          "not committed, as said above: checkpoints=%d: %s; as far as their files reached storage they stay plain files in %s"
              .formatted(said.size(), numbers(said), context.capture().path()));
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
    final Map<ImageKey, List<String>> names = context.capture().names();
    return context.registry().all().stream()
        .filter(image -> !image.isCommitted() && !groups.has(image))
        .flatMap(image -> CaptureDirectory.of(image, names).stream().limit(1))
        .map(context.capture()::relative)
        .toList();
  }

  /**
   * Makes plain files of the images that are not committed, and brings them to storage. Images are
   * done in batches, as each needs a descriptor.
   *
   * @param next action after all images, run on the service thread
   */
  public void settle(final Runnable next) {
    settle(context.registry().all().iterator(), next);
  }

  private void settle(final Iterator<Image> images, final Runnable next) {
    for (int i = 0; i < AT_ONCE && images.hasNext(); i++) {
      final Image image = images.next();
      if (context.registry().find(image.id())
          == image) { // the image may have been released since the begin
        settle(image);
      }
    }
    resting.afterRest(images.hasNext() ? () -> settle(images, next) : next);
  }

  /**
   * Makes a plain file of an image. An image of an older commit becomes one as well when its
   * checkpoint has changed since.
   */
  private void settle(final Image image) {
    if (image.isCommitted() && groups.hasChanged(image) && !image.isDeleted()) {
      replacements.unshare(
          image,
          () -> makePlain(image),
          failure ->
              Warnings.warn(
                  "%s is in the store alone, as it was committed: %s"
                      .formatted(image.opened(), failure.getMessage())));
    } else {
      makePlain(image);
    }
  }

  private void makePlain(final Image image) {
    if (image.isCommitted() && groups.hasChanged(image)) {
      image.state(image.uncommitted());
    }
    if (!image.isDeleted()) {
      if (image.state() == ImageDescriptor.STATE_DIVERTED) {
        image.state(ImageDescriptor.STATE_DIRECT);
        context.drain().makeDirect(image, new int[0], false);
      }
      if (image.state() == ImageDescriptor.STATE_DIRECT) {
        context
            .drain()
            .sync(image, now -> context.statistics().durable(image.times().first(), now));
      }
    }
  }

  /**
   * Returns the failure of a commit. If the commit was never tried, all bytes are in the program's
   * own files.
   */
  private static Failure failure(final Entry.Ended end) {
    return new Failure(
        end.attempt() == CheckpointState.NO_ATTEMPT ? CheckpointState.REFUSED : end.errno(),
        end.reason());
  }

  /**
   * Reports files that no checkpoint has, checkpoints that could not be committed, and lost bytes.
   * Lost bytes of a deleted file are not reported.
   */
  public void reportLosses() throws IOException {
    context.shared().report(countUnnamed());
    context.state().lost().stream()
        .filter(end -> !groups.isUnasked(end))
        .forEach(end -> context.statistics().failed(failure(end)));
    final Map<ImageKey, Exception> losses = releases.losses();
    if (!losses.isEmpty()) {
      final Set<ImageKey> named = context.capture().names().keySet();
      losses
          .entrySet()
          .removeIf(
              loss ->
                  !named.contains(loss.getKey()) && !(loss.getValue() instanceof MissingException));
      losses.values().forEach(loss -> context.statistics().failed(Failure.of(loss)));
    }
  }

  /** Counts bytes that programs wrote past the shim, where images are plain files anyway. */
  public void countUntold() throws IOException {
    final Untold untold = new Untold(context);
    if (untold.areLikely()) {
      untold.count(context.capture().names());
    }
  }

  /** Removes the names of committed images, which only restore gives back. */
  public void unlinkCommitted() throws IOException {
    final Map<ImageKey, List<String>> names = context.capture().names();
    new Untold(context).count(names);
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
    return context.registry().all().stream().filter(Image::isCommitted).toList();
  }
}
