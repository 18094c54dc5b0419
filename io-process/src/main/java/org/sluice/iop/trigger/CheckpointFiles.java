package org.sluice.iop.trigger;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.sluice.core.libc.Errno;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.Quoting;
import org.sluice.core.segment.Header;
import org.sluice.core.store.model.Completion;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.checkpoint.Decisions;
import org.sluice.iop.checkpoint.ExplicitCheckpoint;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageName;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.image.Writer;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Warnings;

/**
 * The files that processes write in the capture directory while they fill a checkpoint made by
 * request. The session and the shim of a process have a slot each, and are known to be of one
 * process by its identity. Service thread only.
 */
public final class CheckpointFiles {
  private static final int NO_IMAGE = 0;

  private static final int MOST_TOLD = 10;

  private final Decisions decisions;
  private final CapturedFiles files;
  private final Header header;

  /** The paths of files of which a line was said that they are in no checkpoint. */
  private final Set<String> told = new HashSet<>();

  /** The paths that are expected, and have a file of which no process has told. */
  private Set<String> untold = Set.of();

  CheckpointFiles(final Decisions decisions, final CapturedFiles files, final Header header) {
    this.decisions = decisions;
    this.files = files;
    this.header = header;
    announce();
  }

  ImageRegistry registry() {
    return files.registry();
  }

  /** Returns the checkpoint that a process fills; empty for none. */
  Optional<Entry.Filling> filledBy(final Writer process) {
    return decisions.state().filledBy(process);
  }

  /**
   * Returns the reason for which a process cannot fill a checkpoint. A process that only makes
   * images by request may have several checkpoints under way.
   */
  Optional<String> obstacle(final long number, final Writer process) {
    final Optional<Entry.Filling> own = filledBy(process);
    if (own.isPresent() && own.get().checkpoint() != number && hasFiles(own.get())) {
      return Optional.of(
          "checkpoint %d cannot begin: this process has checkpoint %d open, with files; complete that first"
              .formatted(number, own.get().checkpoint()));
    }
    final ExplicitCheckpoint known = decisions.state().underWay().get(number);
    return known != null && known.isCompletedBy(process.rank()) && wrote(process, known)
        ? Optional.of(
            "checkpoint %d cannot begin: rank %d has completed it with files; wait until it is committed"
                .formatted(number, process.rank()))
        : Optional.empty();
  }

  private static boolean wrote(final Writer process, final ExplicitCheckpoint checkpoint) {
    return checkpoint.files(process.rank()).stream()
        .anyMatch(file -> process.isSameProcess(file.writer()));
  }

  private boolean hasFiles(final Entry.Filling filling) {
    final ExplicitCheckpoint open = decisions.state().underWay().get(filling.checkpoint());
    return open != null
        && (!open.files(filling.rank()).isEmpty() || open.expected().containsValue(filling.rank()));
  }

  /**
   * Returns the checkpoint of a number where another rank's part is of a process that was killed
   * before this one came; empty where this one or another one of its rank fills it already.
   */
  Optional<ExplicitCheckpoint> outlived(final long number, final Writer process) {
    return Optional.ofNullable(decisions.state().underWay().get(number))
        .filter(its -> its.completion() != Completion.MPI && its.isOutlivedBy(process))
        .filter(its -> fillers(its, process.rank()).noneMatch(this::isAlive));
  }

  /**
   * Has a process fill a checkpoint. Files that its rank has in any that no living process fills
   * are of a process that was killed: they leave it, and so do the images.
   *
   * @return the files and images that are in no checkpoint now
   */
  List<Image> fill(final ExplicitCheckpoint checkpoint, final Writer process) {
    final int rank = process.rank();
    final int slot = process.attached().slot();
    if (fillers(checkpoint, rank).anyMatch(its -> its.slot() == slot)) {
      return List.of();
    }
    final List<Image> earlier = new ArrayList<>();
    decisions.state().underWay().values().stream()
        .filter(its -> its == checkpoint || !its.isHeld() && !its.isCompletedBy(rank))
        .filter(its -> fillers(its, rank).noneMatch(this::isAlive))
        .forEach(its -> earlier.addAll(leave(its, rank)));
    decisions.decide(new Entry.Filling(slot, checkpoint.number(), rank));
    announce();
    return earlier;
  }

  private Stream<Entry.Filling> fillers(final ExplicitCheckpoint checkpoint, final int rank) {
    return decisions.state().filling().values().stream()
        .filter(its -> its.checkpoint() == checkpoint.number() && its.rank() == rank);
  }

  private List<Image> leave(final ExplicitCheckpoint checkpoint, final int rank) {
    final List<Image> its =
        Stream.concat(
                checkpoint.files(rank).stream().filter(file -> !file.writer().isAlive()),
                checkpoint.images(rank).stream().filter(CheckpointFiles::isLeft))
            .toList();
    its.forEach(this::remove);
    checkpoint.expected().entrySet().stream()
        .filter(each -> each.getValue() == rank)
        .map(Map.Entry::getKey)
        .toList()
        .forEach(
            path -> decisions.decide(new Entry.Added(NO_IMAGE, Entry.NO_CHECKPOINT, rank, path)));
    return its;
  }

  /**
   * Returns whether the process that made an image was killed. Its end may not be known yet. A
   * process that ended by itself leaves its images to the next one of its rank.
   */
  private static boolean isLeft(final Image image) {
    final boolean unfinished = image.isAbandoned() || !image.openers().isEmpty();
    return !image.writer().isAlive() && (image.writer().wasKilled() || unfinished);
  }

  /**
   * Returns a rank of a bound checkpoint whose process ended before its part was complete; empty
   * when there is none.
   */
  Optional<Integer> orphan(final ExplicitCheckpoint checkpoint) {
    return checkpoint.incomplete().stream()
        .filter(rank -> checkpoint.isBound() && fillers(checkpoint, rank).findAny().isEmpty())
        .findFirst();
  }

  /**
   * Returns whether another living process has begun a rank's part. The first completion would end
   * the parts of both. In a bound checkpoint images tell as well, as their process is done then.
   */
  boolean isTaken(final ExplicitCheckpoint checkpoint, final Writer process) {
    final Stream<Writer> beginners =
        fillers(checkpoint, process.rank())
            .map(filling -> decisions.state().images().writer(filling.slot()));
    final Stream<Writer> writers =
        checkpoint.isBound()
            ? checkpoint.images(process.rank()).stream().map(Image::writer)
            : Stream.empty();
    return Stream.concat(beginners, writers)
        .anyMatch(other -> other.isAlive() && !process.isSameProcess(other));
  }

  /**
   * Returns the checkpoint that a process fills by this slot alone; empty for none, and for one
   * that tells of such ends itself.
   */
  Optional<ExplicitCheckpoint> filledBySlot(final Writer process) {
    final int slot = process.attached().slot();
    return Optional.ofNullable(decisions.state().filling().get(slot))
        .filter(
            its ->
                decisions.state().filling().values().stream()
                    .filter(other -> other.slot() != slot)
                    .map(other -> decisions.state().images().writer(other.slot()))
                    .noneMatch(process::isSameProcess))
        .map(its -> decisions.state().underWay().get(its.checkpoint()))
        .filter(its -> !its.isBound());
  }

  private boolean isAlive(final Entry.Filling filling) {
    return decisions.state().images().writer(filling.slot()).isAlive();
  }

  /** Has processes announce all files, or no more than usual. */
  void announce() {
    header.filled(!decisions.state().filling().isEmpty() || decisions.state().areExpected());
  }

  private void remove(final Image file) {
    decisions.decide(new Entry.Added(file.id(), Entry.NO_CHECKPOINT, 0, ""));
  }

  /**
   * Takes a file that a process has just created or emptied.
   *
   * @return the checkpoint under way that had the file as its rank left it; empty for none
   */
  Optional<ExplicitCheckpoint> take(final Image file, final Writer process) {
    final Optional<Entry.Filling> filling = filledBy(process);
    final Optional<ExplicitCheckpoint> former = underWay(file);
    final boolean whole = former.filter(its -> isWhole(file, its, process)).isPresent();
    if (!find(file) && filling.isPresent()) {
      join(file, filling.get());
      takeBack(file, filling.get());
    } else if (former.isEmpty() && file.added() != null && underWay(file).isEmpty()) {
      remove(file);
    }
    final Optional<ExplicitCheckpoint> now = underWay(file);
    return former.filter(its -> whole || !now.equals(former));
  }

  /** Says of a file that it is in a checkpoint, where a line has said that it is not. */
  private void takeBack(final Image file, final Entry.Filling filling) {
    if (told.remove(file.opened())) {
      Warnings.warn(
          "%s was emptied, and is in checkpoint %d".formatted(name(file), filling.checkpoint()));
    }
  }

  private void join(final Image file, final Entry.Filling filling) {
    if (underWay(file).filter(its -> its.number() == filling.checkpoint()).isEmpty()) {
      decisions.decide(new Entry.Added(file.id(), filling.checkpoint(), filling.rank(), ""));
    }
  }

  /** Takes a file that a checkpoint expects under its name. Returns whether there is one. */
  boolean find(final Image file) {
    if (!decisions.state().areExpected()) {
      return false;
    }
    final String path = path(file);
    return decisions.state().underWay().values().stream()
        .filter(checkpoint -> checkpoint.expected().containsKey(path))
        .findFirst()
        .filter(checkpoint -> add(file, checkpoint, path))
        .isPresent();
  }

  /** Adds a file that is expected, unless it is of another checkpoint. */
  private boolean add(final Image file, final ExplicitCheckpoint checkpoint, final String path) {
    if (file.created() != null
        || file.isCommitted()
        || underWay(file).filter(its -> its != checkpoint).isPresent()) {
      return false;
    }
    final int rank = checkpoint.expected().get(path);
    decisions.decide(new Entry.Added(file.id(), checkpoint.number(), rank, path));
    return true;
  }

  /** Adds a file that a process names; returns the reason for which it cannot. */
  Optional<String> add(final Image file, final long number, final Writer process) {
    final Entry.Added before = file.added();
    if (before != null && before.checkpoint() != number) {
      return Optional.of("it is of checkpoint %d; write it anew".formatted(before.checkpoint()));
    }
    if (file.created() != null || file.isCommitted()) {
      return Optional.of("it is of a committed checkpoint; write it anew");
    }
    decisions.decide(new Entry.Added(file.id(), number, process.rank(), ""));
    return Optional.empty();
  }

  /**
   * Has a checkpoint wait for a file that is yet to be written; returns the other one that waits
   * for it.
   */
  Optional<ExplicitCheckpoint> expect(final String path, final long number, final Writer process) {
    final Optional<ExplicitCheckpoint> other =
        decisions.state().underWay().values().stream()
            .filter(its -> its.number() != number && its.expected().containsKey(path))
            .findFirst();
    if (other.isEmpty()) {
      decisions.decide(new Entry.Added(NO_IMAGE, number, process.rank(), path));
    }
    return other;
  }

  /**
   * Returns whether a file that a process moves to a path becomes one of a checkpoint: the process
   * fills one, or a checkpoint expects a file there.
   */
  boolean takes(final Writer mover, final String path) {
    return filledBy(mover).isPresent() || isExpected(path);
  }

  /** Returns whether a checkpoint expects a file at a path in the capture directory. */
  boolean isExpected(final String path) {
    final String name = files.capture().relative(path);
    return decisions.state().underWay().values().stream()
        .anyMatch(checkpoint -> checkpoint.expected().containsKey(name));
  }

  /**
   * Notes that a process opens a file for writing as it is. The file is not any more as a committed
   * checkpoint has it.
   *
   * @return the checkpoint under way that had the file as its rank left it; empty for none
   */
  Optional<ExplicitCheckpoint> reopened(final Image file, final Writer process) {
    final Optional<ExplicitCheckpoint> open = underWay(file);
    if (open.isEmpty() && file.added() != null) {
      remove(file);
    }
    if (open.isEmpty()) {
      existing(process, file.key(), file.opened());
    }
    return open.filter(its -> isWhole(file, its, process));
  }

  /**
   * Returns whether what a process writes to a file of a checkpoint is of a later one: the rank of
   * the file or of the process has completed it, or the process fills another one.
   */
  private boolean isWhole(
      final Image file, final ExplicitCheckpoint checkpoint, final Writer process) {
    return checkpoint.isWhole(file) || isBehind(process, checkpoint);
  }

  private boolean isBehind(final Writer process, final ExplicitCheckpoint checkpoint) {
    final List<Writer> slots =
        decisions.state().images().writers().stream().filter(process::isSameProcess).toList();
    final List<Long> fills =
        slots.stream()
            .map(slot -> decisions.state().filling().get(slot.attached().slot()))
            .filter(Objects::nonNull)
            .map(Entry.Filling::checkpoint)
            .toList();
    return fills.isEmpty()
        ? slots.stream().anyMatch(slot -> checkpoint.isCompletedBy(slot.rank()))
        : !fills.contains(checkpoint.number());
  }

  /**
   * Says that a file which a process opens for writing is in no checkpoint: it was there before the
   * process began the one that it fills.
   */
  void existing(final Writer process, final ImageKey key, final String path) {
    final Optional<Entry.Filling> filling = filledBy(process);
    if (filling.isEmpty() || told.size() >= MOST_TOLD || told.contains(path)) {
      return;
    }
    final String now =
        ImageName.isOurs(path) || !files.capture().contains(path)
            ? files.capture().find(key).orElse(path)
            : path;
    if (told.add(now)) {
      Warnings.warn(
          "%s was there before checkpoint %d began, and is not in it: sluice_checkpoint_add puts it in%s"
              .formatted(
                  name(now),
                  filling.get().checkpoint(),
                  told.size() < MOST_TOLD ? "" : "; others like it are not named"));
    }
  }

  /**
   * Returns the path of a file that a complete checkpoint expects, and that a program has written
   * of whose writes nobody tells. Between two calls a process under the shim tells of a file that
   * it has created.
   */
  Optional<String> untold(final ExplicitCheckpoint checkpoint) {
    return checkpoint.expected().keySet().stream().filter(untold::contains).findFirst();
  }

  /** Looks for expected files of which no process has told. */
  void look() {
    final Set<String> found = new HashSet<>();
    decisions.state().underWay().values().stream()
        .filter(ExplicitCheckpoint::isComplete)
        .flatMap(checkpoint -> checkpoint.expected().keySet().stream())
        .filter(path -> Names.exists(FileName.resolve(files.capture().path(), path)))
        .forEach(found::add);
    untold = found;
  }

  private Optional<ExplicitCheckpoint> underWay(final Image file) {
    return Optional.ofNullable(file.added())
        .map(added -> decisions.state().underWay().get(added.checkpoint()))
        .filter(checkpoint -> checkpoint.has(file));
  }

  /** Returns whether all files of a checkpoint are there, and no process has one open. */
  boolean areClosed(final ExplicitCheckpoint checkpoint) {
    List.copyOf(checkpoint.expected().keySet())
        .forEach(
            path ->
                files
                    .registry()
                    .at(FileName.resolve(files.capture().path(), path))
                    .ifPresent(file -> add(file, checkpoint, path)));
    return checkpoint.expected().isEmpty() && checkpoint.files().stream().noneMatch(Image::isOpen);
  }

  /** Lets files of a rank leave a checkpoint that the rank has deleted before it completes. */
  void complete(final ExplicitCheckpoint checkpoint, final int rank) {
    final List<Image> its = checkpoint.files(rank);
    files.capture().search(its);
    its.stream().filter(Image::isDeleted).forEach(this::remove);
  }

  /** Returns the reason for which a complete checkpoint cannot have one of its files. */
  Optional<Failure> look(final ExplicitCheckpoint checkpoint) {
    files.capture().search(checkpoint.files());
    return Stream.concat(
            checkpoint.images().stream()
                .filter(image -> checkpoint.completion() != Completion.MPI && image.isAbandoned())
                .map(CheckpointFiles::leftOpen),
            checkpoint.files().stream().flatMap(file -> lack(file).stream()))
        .findFirst();
  }

  private static Failure leftOpen(final Image image) {
    return new Failure(
        Errno.EIO,
        "image %s of rank %d was left open by a process that ended"
            .formatted(Quoting.name(image.created().name()), image.created().rank()));
  }

  private Optional<Failure> lack(final Image file) {
    if (file.isDeleted()) {
      return Optional.of(
          new Failure(
              Errno.ENOENT,
              "%s was deleted or replaced before the commit; leave it there until that"
                  .formatted(name(file))));
    }
    if (file.isLeftOpen()) {
      return Optional.of(
          new Failure(Errno.EIO, "%s was left open by a process that ended".formatted(name(file))));
    }
    if (files.capture().find(file).filter(name -> !ImageName.isOurs(name)).isEmpty()) {
      return Optional.of(
          new Failure(
              Errno.ENOENT,
              "%s is not in the capture directory any more; leave it there until the commit"
                  .formatted(name(file))));
    }
    return Optional.empty();
  }

  private String name(final Image file) {
    return name(file.opened());
  }

  private String name(final String path) {
    return Quoting.name(files.capture().contains(path) ? files.capture().relative(path) : path);
  }

  /** Returns the files of a checkpoint by their present paths: each link is one. */
  Map<String, Image> paths(final ExplicitCheckpoint checkpoint) {
    final Map<String, Image> paths = new LinkedHashMap<>();
    checkpoint.files().forEach(file -> paths.put(path(file), file));
    try {
      files.capture().names(checkpoint.files(), Map.of()).entrySet().stream()
          .filter(each -> !ImageName.isOurs(each.getKey()))
          .forEach(each -> paths.put(files.capture().relative(each.getKey()), each.getValue()));
    } catch (final IOException e) {
      Warnings.warn(
          "checkpoint %d has each file by one name, as others cannot be looked for: %s"
              .formatted(checkpoint.number(), e.getMessage()));
    }
    return paths;
  }

  /** Returns the present path of a file in the capture directory. */
  String path(final Image file) {
    return files.capture().relativePath(file).orElseGet(() -> name(file));
  }
}
