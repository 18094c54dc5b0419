package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.sluice.core.posix.Errno;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.core.series.EndNumber;
import org.sluice.core.store.Completion;
import org.sluice.core.store.ImagePath;
import org.sluice.core.store.LeftAsFiles;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageName;
import org.sluice.iop.image.MissingException;
import org.sluice.iop.image.Writer;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Occurrence;
import org.sluice.iop.measure.Warnings;

/**
 * The end of a session in the container layout: images that no checkpoint has are committed if the
 * command succeeded, otherwise they become plain files; committed ones leave the capture directory,
 * where a sparse file could be taken for them. Service thread only.
 */
public final class Leftovers {
  private static final int MOST_LINES = 8;
  private static final String UNGROUPED = "; with --group checkpoints that are whole are committed";

  /** Of these the files are open at once, besides those that are anyway. */
  private static final int AT_ONCE = 32;

  private final Context context;
  private final Groups groups;
  private final Committer committer;
  private final Farewells farewells;
  private final Resting resting;
  private final EndNumbers numbers;

  Leftovers(
      final Context context,
      final Groups groups,
      final Committer committer,
      final Farewells farewells,
      final Resting resting) {
    this.farewells = farewells;
    this.resting = resting;
    this.context = context;
    this.groups = groups;
    this.committer = committer;
    this.numbers = new EndNumbers(context.service());
  }

  /**
   * Takes back what no checkpoint has any more: its program renamed it before another one with its
   * number was committed, or a user removed that.
   *
   * @throws IOException when the store or the capture directory cannot be read
   */
  public void reclaim() throws IOException {
    final Set<ImageKey> named = context.capture().names().keySet();
    final Set<Integer> stored = committer.stored();
    committed().stream()
        .filter(image -> named.contains(image.key()) && !stored.contains(image.id()))
        .filter(image -> !context.state().groups().isSetAside(image))
        .forEach(image -> image.state(image.uncommitted()));
  }

  /**
   * Commits what no checkpoint has, if it can be.
   *
   * @throws IOException when the store or the capture directory cannot be read
   */
  public void commit() throws IOException {
    long free = context.lastNumber() + 1;
    context.capture().search(context.registry().all());
    final Collection<Group> incomplete = groups.incomplete();
    if (context.copies() != null && context.copies().fence().isPresent()) {
      refuse(incomplete, context.copies().fence().get());
      return;
    }
    say(incomplete.stream().filter(group -> !groups.mayEnd(group)).toList(), staysPlain());
    final List<Group> whole = incomplete.stream().filter(groups::mayEnd).toList();
    say(whole, "committed as it is at the end");
    groups.lacks().refuseEmpty();
    free = Math.max(free, groups.lacks().last() + 1);
    for (final Group group : incomplete) {
      free = Math.max(free, group.number() + 1);
    }
    whole.forEach(group -> commit(group.number(), group.isRewritten(), false, group.members()));
    final List<Entry.Part> all = others();
    final List<Entry.Part> others = valid(all);
    refuseTooLong(all);
    if (canCommit(free, others)) {
      agree(free, others);
    }
  }

  /** Nothing is tried that is to fail, and what has failed was said. */
  private void refuse(final Collection<Group> incomplete, final IOException why)
      throws IOException {
    final long unsaid =
        incomplete.stream()
                .filter(group -> !context.state().failed().containsKey(group.number()))
                .count()
            + others().size();
    if (unsaid > 0) {
      final String reason =
          "what no commit has stays plain files in %s: %s"
              .formatted(context.capture().path(), why.getMessage());
      Warnings.warn(reason);
      context.statistics().failed(new Failure(Errno.EIO, reason));
    }
  }

  /** {@return whether what no group took has no number yet, for which storage is asked} */
  public boolean isAsking() {
    return numbers.isAsking();
  }

  /** Whether there is anything, and all of it is as it was written. Says what is lost. */
  private boolean canCommit(final long number, final List<Entry.Part> others) throws IOException {
    final Optional<Failure> lack = groups.lacks().ofUngrouped();
    if (!others.isEmpty() && lack.isPresent()) {
      Warnings.warn("checkpoint %d is %s: %s".formatted(number, staysPlain(), lack.get().reason()));
      context.statistics().failed(lack.get());
      return false;
    }
    if (others.stream().anyMatch(part -> find(part).errno() != 0) || isMissing()) {
      Warnings.warn("checkpoint %d is not committed: an image of it is lost".formatted(number));
      return false;
    }
    return !others.isEmpty();
  }

  /** Under a number that this node has not used; among nodes the first one says it. */
  private void agree(final long free, final List<Entry.Part> others) {
    final SeriesCommits nodes = nodes(others);
    if (nodes == null) {
      commit(free, false, groups.exist(), others);
    } else {
      numbers.ask(
          () -> nodes.endNumber(free), agreed -> commitUngrouped(free, agreed), this::stayPlain);
    }
  }

  private void stayPlain(final IOException why) {
    Warnings.warn("files without a checkpoint stay plain files: " + why.getMessage());
    context.statistics().failed(Failure.of(why));
  }

  /** What became of the files while storage was asked is looked at anew. */
  private void commitUngrouped(final long free, final EndNumber agreed) throws IOException {
    final List<Entry.Part> others = valid(others());
    if (agreed.number() < free) {
      final String reason =
          "what no group has is not committed: node %s calls it checkpoint %d, and this node has numbers up to %d; it stays plain files in %s"
              .formatted(agreed.node(), agreed.number(), free - 1, context.capture().path());
      Warnings.warn(reason);
      context.statistics().failed(new Failure(Errno.EEXIST, reason));
    } else if (canCommit(agreed.number(), others)) {
      commit(agreed.number(), false, groups.exist(), others);
    }
  }

  /**
   * Who agree on a number; null for this node alone. Before a bucket, which may be out of reach,
   * nobody is asked for a job on one node.
   */
  private SeriesCommits nodes(final List<Entry.Part> others) {
    if (context.series() != null) {
      return context.series();
    }
    return context.copies() != null
            && others.stream().anyMatch(part -> find(part).writer().isOfSeveralNodes())
        ? context.copies().series()
        : null;
  }

  private static List<Entry.Part> valid(final List<Entry.Part> parts) {
    return parts.stream().filter(part -> ImagePath.isValid(part.path())).toList();
  }

  /** Only those files fail whose paths no checkpoint can hold. */
  private void refuseTooLong(final List<Entry.Part> others) {
    final List<Entry.Part> refused = new ArrayList<>(others);
    refused.removeAll(valid(others));
    if (!refused.isEmpty()) {
      final String reason =
          "%s is not committed, since its path is longer than 4095 bytes; it stays a plain file: files=%d"
              .formatted(refused.getFirst().path(), refused.size());
      Warnings.warn(reason);
      context.statistics().failed(new Failure(Errno.ENAMETOOLONG, reason));
    }
  }

  /**
   * Says what stays uncommitted, so that nobody expects it in the store.
   *
   * @throws IOException when the capture directory cannot be searched
   */
  public void reportUncommitted() throws IOException {
    final Predicate<Group> isStored = group -> group.images().stream().allMatch(Image::isCommitted);
    say(groups.incomplete().stream().filter(isStored.negate()).toList(), staysPlain());
    final int others = others().size();
    if (others > 0) {
      Warnings.warn(
          "what is in no checkpoint stays plain files in %s: files=%d%s"
              .formatted(context.capture().path(), others, groups.exist() ? "" : UNGROUPED));
    }
  }

  /**
   * Tells the store, at the end, where files are that no checkpoint has.
   *
   * @throws IOException when that, or searching the capture directory, fails
   */
  public void noteFiles() throws IOException {
    final long files =
        context.drain().isInPlace()
            ? context.statistics().count(Occurrence.FILES)
            : countUncommitted();
    final String directory = context.capture().path();
    if (files > 0 && directory != null) {
      context.store().leftAsFiles(new LeftAsFiles(directory, files));
    }
  }

  private long countUncommitted() throws IOException {
    final List<Image> uncommitted =
        context.registry().all().stream().filter(image -> !image.isCommitted()).toList();
    final Set<ImageKey> named =
        uncommitted.isEmpty() ? Set.of() : context.capture().names().keySet();
    return uncommitted.stream().filter(image -> named.contains(image.key())).count();
  }

  private long countUnnamed() {
    return context.registry().all().stream()
        .filter(image -> image.reason() == Reason.NODES && !groups.has(image))
        .count();
  }

  private String staysPlain() {
    return "not committed as it is, what no commit has stays plain files in "
        + context.capture().path();
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
  private List<Entry.Part> others() throws IOException {
    final Map<ImageKey, List<String>> names = context.capture().names();
    final List<Entry.Part> others = new ArrayList<>();
    for (final Image image : context.registry().all()) {
      if (image.isCommitted() && !groups.has(image)) {
        continue; // by a former I/O process that was killed at this point
      }
      for (final String name : CaptureDirectory.of(image, names)) {
        final String path = context.capture().relative(name);
        if (!groups.has(image, path) && !context.shared().has(image, path)) {
          others.add(Committer.part(image, path));
        }
      }
    }
    return others;
  }

  /** One that is not found has no name to be among the others. */
  private boolean isMissing() {
    return context.registry().all().stream()
        .filter(image -> !image.isCommitted() && !groups.has(image))
        .anyMatch(image -> image.failure().filter(MissingException.class::isInstance).isPresent());
  }

  private Image find(final Entry.Part part) {
    return context.registry().find(part.image());
  }

  /** The user did not say how many ranks write these images, so none is missing. */
  private void commit(
      final long number,
      final boolean anew,
      final boolean ungrouped,
      final List<Entry.Part> members) {
    final List<Writer> writers = members.stream().map(part -> find(part).writer()).toList();
    committer.commit(
        number,
        anew,
        CommitRanks.of(writers, 0),
        ungrouped,
        Completion.END,
        members,
        committed -> {});
  }

  /**
   * Makes plain files of the images that are not committed, and brings them to storage; a part of
   * them at a time, as each needs a descriptor.
   *
   * @param next what comes when that is done, on the service thread
   */
  public void settle(final Runnable next) {
    settle(context.registry().all().iterator(), next);
  }

  private void settle(final Iterator<Image> images, final Runnable next) {
    for (int i = 0; i < AT_ONCE && images.hasNext(); i++) {
      final Image image = images.next();
      if (context.registry().find(image.id()) == image) { // and not let go of since it began
        settle(image);
      }
    }
    resting.afterRest(images.hasNext() ? () -> settle(images, next) : next);
  }

  private void settle(final Image image) {
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
   * Tells of files that no checkpoint has, of checkpoints that could not be committed, and of lost
   * bytes; those of a file that its program has deleted nobody misses.
   *
   * @throws IOException when the capture directory cannot be searched for them
   */
  public void reportLosses() throws IOException {
    context.shared().report(countUnnamed());
    context
        .state()
        .lost()
        .forEach(end -> context.statistics().failed(new Failure(end.errno(), end.reason())));
    final Map<ImageKey, Exception> losses = farewells.losses();
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

  /**
   * Counts what programs wrote past the shim, where images are plain files anyway.
   *
   * @throws IOException when the capture directory cannot be searched
   */
  public void countUntold() throws IOException {
    final Untold untold = new Untold(context);
    if (untold.areLikely()) {
      untold.count(context.capture().names());
    }
  }

  /**
   * Removes the names of committed images, which only restore gives back.
   *
   * @throws IOException when the capture directory cannot be searched
   */
  public void unlinkCommitted() throws IOException {
    final Map<ImageKey, List<String>> names = context.capture().names();
    new Untold(context).count(names);
    for (final Image image : committed()) {
      if (image.isOpenOutside()) {
        continue; // it is whole, and a program may still write it
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
