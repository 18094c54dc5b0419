package org.sluice.iop.trigger;

import java.util.List;
import java.util.Optional;
import org.sluice.core.libc.Errno;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.Quoting;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.checkpoint.Decisions;
import org.sluice.iop.checkpoint.ExplicitCheckpoint;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageName;
import org.sluice.iop.image.Writer;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;

/**
 * The files that processes write in the capture directory while they fill a checkpoint made by
 * request. The session and the shim of a process have a slot each, and are known to be of one
 * process by its identity. Service thread only.
 */
public final class CheckpointFiles {
  private static final int NO_IMAGE = 0;

  private final Decisions decisions;
  private final CapturedFiles files;

  CheckpointFiles(final Decisions decisions, final CapturedFiles files) {
    this.decisions = decisions;
    this.files = files;
  }

  /** Returns the checkpoint that a process fills; empty for none. */
  Optional<Entry.Filling> filledBy(final Writer process) {
    return decisions.state().filling().values().stream()
        .filter(each -> isSame(decisions.state().images().writer(each.slot()), process))
        .findFirst();
  }

  private static boolean isSame(final Writer one, final Writer other) {
    return one.attached().pid() == other.attached().pid()
        && one.attached().startTime() == other.attached().startTime();
  }

  /**
   * Returns the reason for which a process cannot fill a checkpoint: another one has files of its
   * rank, or another process of its rank fills this one. A process that only makes images by
   * request may have several checkpoints under way.
   */
  Optional<String> obstacle(final long number, final Writer process) {
    final Optional<Entry.Filling> own = filledBy(process);
    if (own.isPresent() && own.get().checkpoint() != number && hasFiles(own.get())) {
      return Optional.of(
          "checkpoint %d cannot begin: this process has checkpoint %d open, with files; complete that first"
              .formatted(number, own.get().checkpoint()));
    }
    return decisions.state().filling().values().stream()
        .filter(each -> each.checkpoint() == number && each.rank() == process.rank())
        .map(each -> decisions.state().images().writer(each.slot()))
        .filter(filler -> !isSame(filler, process) && filler.isAlive())
        .findFirst()
        .map(
            filler ->
                "checkpoint %d cannot begin: process %d fills it as rank %d, too"
                    .formatted(number, filler.attached().pid(), process.rank()));
  }

  private boolean hasFiles(final Entry.Filling filling) {
    final ExplicitCheckpoint open = decisions.state().underWay().get(filling.checkpoint());
    return open != null && !open.files(filling.rank()).isEmpty();
  }

  /**
   * Has a process fill a checkpoint. The files that its rank had in that are of a process that was
   * killed, or of an earlier attempt: they leave it.
   *
   * @return the files that are in no checkpoint now
   */
  List<Image> fill(final ExplicitCheckpoint checkpoint, final Writer process) {
    final int slot = process.attached().slot();
    final Entry.Filling before = decisions.state().filling().get(slot);
    if (before != null && before.checkpoint() == checkpoint.number()) {
      return List.of();
    }
    final List<Image> earlier = checkpoint.files(process.rank());
    earlier.forEach(this::remove);
    decisions.decide(new Entry.Filling(slot, checkpoint.number(), process.rank()));
    return earlier;
  }

  private void remove(final Image file) {
    decisions.decide(new Entry.Added(file.id(), Entry.NO_CHECKPOINT, 0, ""));
  }

  /**
   * Takes a file that a process has just created or emptied.
   *
   * @return the other checkpoint under way that had the file
   */
  Optional<ExplicitCheckpoint> take(final Image file, final Writer process) {
    final Optional<Entry.Filling> filling = filledBy(process);
    final Optional<ExplicitCheckpoint> former = underWay(file);
    if (find(file)) {
      return Optional.empty();
    }
    if (filling.isPresent()) {
      final long number = filling.get().checkpoint();
      decisions.decide(new Entry.Added(file.id(), number, filling.get().rank(), ""));
      return former.filter(other -> other.number() != number);
    }
    if (file.added() != null && former.isEmpty()) {
      remove(file);
    }
    return Optional.empty();
  }

  /** Takes a file that a checkpoint expects under its name. Returns whether there is one. */
  boolean find(final Image file) {
    final Optional<ExplicitCheckpoint> waiting =
        decisions.state().underWay().values().stream()
            .filter(checkpoint -> !checkpoint.expected().isEmpty())
            .filter(checkpoint -> checkpoint.expected().containsKey(path(file)))
            .findFirst();
    waiting.ifPresent(checkpoint -> add(file, checkpoint, path(file)));
    return waiting.isPresent();
  }

  private void add(final Image file, final ExplicitCheckpoint checkpoint, final String path) {
    final int rank = checkpoint.expected().get(path);
    decisions.decide(new Entry.Added(file.id(), checkpoint.number(), rank, path));
  }

  /** Adds a file that a process names; returns the reason for which it cannot. */
  Optional<String> add(final Image file, final long number, final Writer process) {
    final Entry.Added before = file.added();
    if (file.created() != null || file.isCommitted()) {
      return Optional.of("it is of a committed checkpoint; write it anew");
    }
    if (before != null && before.checkpoint() != number) {
      return Optional.of("it is of checkpoint %d".formatted(before.checkpoint()));
    }
    decisions.decide(new Entry.Added(file.id(), number, process.rank(), ""));
    return Optional.empty();
  }

  /** Has a checkpoint wait for a file that is yet to be written. */
  void expect(final String path, final long number, final Writer process) {
    decisions.decide(new Entry.Added(NO_IMAGE, number, process.rank(), path));
  }

  private Optional<ExplicitCheckpoint> underWay(final Image file) {
    return Optional.ofNullable(file.added())
        .map(added -> decisions.state().underWay().get(added.checkpoint()))
        .filter(checkpoint -> checkpoint.files().contains(file));
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
    return checkpoint.expected().isEmpty()
        && checkpoint.files().stream().allMatch(file -> file.openers().isEmpty());
  }

  /**
   * Lets files leave a checkpoint that were deleted. Returns the reason for which the checkpoint
   * cannot have one of the others.
   */
  Optional<Failure> look(final ExplicitCheckpoint checkpoint) {
    files.capture().search(checkpoint.files());
    checkpoint.files().stream().filter(Image::isDeleted).forEach(this::remove);
    return checkpoint.files().stream().flatMap(file -> lack(file).stream()).findFirst();
  }

  private Optional<Failure> lack(final Image file) {
    if (file.isAbandoned()) {
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
    final String opened = file.opened();
    return Quoting.name(
        files.capture().contains(opened) ? files.capture().relative(opened) : opened);
  }

  /** Returns the present path of a file in the capture directory. */
  String path(final Image file) {
    return files.capture().relativePath(file).orElseGet(() -> name(file));
  }
}
