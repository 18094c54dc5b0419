package org.sluice.iop.service;

import java.io.IOException;
import java.util.Optional;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.Creations;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.ImageTable;
import org.sluice.core.segment.Segment;
import org.sluice.core.store.node.PosixStore;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.checkpoint.Decisions;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.MissingException;
import org.sluice.iop.image.Reopening;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Failure;
import org.sluice.iop.measure.Warnings;

/**
 * The intake of files that processes created and entered as images by themselves, without asking.
 * The rings tell of them. An entry counts only if it is the process's own and agrees with the ring.
 * Service thread only.
 */
public final class Entrances {
  private final Decisions decisions;
  private final CapturedFiles files;
  private final Segment segment;
  private final PosixStore store;
  private final Attachments attachments;
  private final Openings openings;
  private final TimedSettling timedSettling;
  private final ImageTable table;
  private final Creations creations;
  private int gone;

  /** A file, open, with its name. */
  private record Found(NativeFile file, String name) {}

  public Entrances(
      final Decisions decisions,
      final CapturedFiles files,
      final Segment segment,
      final PosixStore store,
      final Attachments attachments,
      final Openings openings,
      final TimedSettling timedSettling) {
    this.decisions = decisions;
    this.files = files;
    this.segment = segment;
    this.store = store;
    this.attachments = attachments;
    this.openings = openings;
    this.timedSettling = timedSettling;
    this.table = segment.imageTable();
    this.creations = segment.creations();
  }

  /** Takes an image, unless its process has yet to enter it, or was kept from that. */
  public boolean take(final Attachment opener, final Rings.Open open) throws DamagedException {
    final long began = System.nanoTime();
    if (open.entry() < 0 || open.entry() >= table.count()) {
      throw damage(opener, open, "has no place in the image table");
    }
    if (table.isEntering(open.entry(), opener.index())
        && table.imageId(open.entry()) == open.imageId()) {
      return false;
    }
    final int state = table.state(open.entry());
    if (state != ImageDescriptor.STATE_DIVERTED && state != ImageDescriptor.STATE_DIRECT
        || table.imageId(open.entry()) != open.imageId()
        || table.creator(open.entry()) != opener.index()) {
      // Another process opened the file, and this one asks for it.
      decisions.decide(Backlog.read(opener.index(), open.position()));
      return true;
    }
    if (!files.registry().mayEnter(open.imageId(), open.entry(), opener.index())) {
      throw damage(opener, open, "is another one's");
    }
    enter(opener, open, state);
    attachments.limit();
    openings.took(began);
    return true;
  }

  private static DamagedException damage(
      final Attachment opener, final Rings.Open open, final String reason) {
    return new DamagedException(
        "ring " + opener.index(),
        open.position(),
        "image %d at entry %d %s".formatted(open.imageId(), open.entry(), reason));
  }

  /**
   * Enters an image. A file that cannot be taken fails, and leaves the process's other images
   * alone.
   */
  private void enter(final Attachment opener, final Rings.Open open, final int state)
      throws DamagedException {
    final int entry = open.entry();
    final ImageKey key = new ImageKey(table.device(entry), table.inode(entry));
    IOException failure = null;
    Optional<Found> found = Optional.empty();
    try {
      found = find(opener, open, key);
    } catch (final IOException e) {
      failure = e;
    }
    if (failure == null
        && found.isEmpty()
        && state == ImageDescriptor.STATE_DIRECT
        && table.isDeleted(entry)) {
      forget(opener, open, key);
      return;
    }
    final NativeFile file = found.isPresent() ? found.get().file() : nameless(opener, open);
    decisions.decide(
        new Entry.Entered(
            new Entry.Admitted(
                open.imageId(),
                entry,
                file.device(),
                file.inode(),
                file.born(),
                state,
                isHere(open) ? open.path() : file.opened()),
            opener.index(),
            open.position(),
            failure == null ? "" : Failure.of(failure).reason()));
    final Image image = files.registry().enter(open.imageId(), file);
    creations.taken(opener.index(), entry, key.device(), key.inode());
    if (failure != null) {
      image.fail(failure);
    }
    timedSettling.watch(opener);
    openings.entered(opener, image, found.map(Found::name));
  }

  /**
   * Forgets a file that was direct, closed and deleted before it was taken: no byte of it is lost.
   */
  private void forget(final Attachment opener, final Rings.Open open, final ImageKey key) {
    table.remove(open.entry());
    decisions.decide(Backlog.read(opener.index(), open.position()));
    creations.taken(opener.index(), open.entry(), key.device(), key.inode());
    openings.deletedUntaken(opener, open.path());
  }

  /**
   * Finds a file by its name, through the process, or by another name that it has by now; empty
   * when it is gone. A later image has its inode number only if it was deleted.
   */
  private Optional<Found> find(final Attachment opener, final Rings.Open open, final ImageKey key)
      throws IOException {
    final int born = table.born(open.entry());
    final Image other = files.registry().find(key);
    final boolean deleted = other != null && born != 0 && (int) other.admitted().born() != born;
    if (other != null && !deleted) {
      throw new IOException("its file was an image before");
    }
    if (!isHere(open)) {
      throw new IOException(open.path() + " is not in the capture directory");
    }
    if (deleted) {
      return Optional.empty();
    }
    final String descriptor = "/proc/%d/fd/%d".formatted(opener.process().pid(), open.descriptor());
    Optional<Found> file = open(open.path(), key, born);
    file = file.isPresent() ? file : open(descriptor, key, born);
    if (file.isPresent() || table.isDeleted(open.entry())) {
      return file;
    }
    final Optional<String> name = files.capture().find(key);
    file = name.isPresent() ? open(name.get(), key, born) : file;
    if (file.isEmpty()) {
      notFound(opener, open);
    }
    return file;
  }

  private boolean isHere(final Rings.Open open) {
    return files.capture().contains(open.path());
  }

  /**
   * Opens a file. No word of a process makes this one write a file outside the capture directory.
   */
  private Optional<Found> open(final String way, final ImageKey key, final int born)
      throws IOException {
    final Optional<NativeFile> file = Reopening.created(way, key, born);
    if (file.isEmpty()) {
      return Optional.empty();
    }
    final String name = Names.target(file.get().procPath());
    if (!files.capture().contains(name)) {
      file.get().close();
      throw new IOException("its file is not in the capture directory");
    }
    return Optional.of(new Found(file.get(), name));
  }

  /**
   * Reports a file that is not found. Its process has closed it, or has paths of its own. A deleted
   * file is missed by nobody, so of all but the first only the number is reported.
   */
  private void notFound(final Attachment opener, final Rings.Open open) throws MissingException {
    if (opener.process().isAlive() && !opener.process().hasSamePaths()) {
      throw new MissingException(
          open.path(), "its process has other mounts by now, or another root; write it again");
    }
    if (gone++ == 0) {
      Warnings.warn(
          open.path()
              + " was deleted by a program outside Sluice as soon as it was created, or moved away,"
              + " and then lacks what was written to it");
    }
  }

  /** Returns a file in the place of one that is gone; chunks may have records of the image. */
  private NativeFile nameless(final Attachment opener, final Rings.Open open)
      throws DamagedException {
    try {
      final NativeFile file = create();
      Names.delete(file.opened());
      return file;
    } catch (final IOException e) {
      throw damage(opener, open, "cannot be taken: " + e.getMessage());
    }
  }

  /** Makes a file: beside the segment, in memory, where the store has no room. */
  private NativeFile create() throws IOException {
    try {
      return store.createImageFile();
    } catch (final IOException e) {
      return NativeFile.open(
          segment.file().resolveSibling("nameless"),
          NativeFile.Flag.WRITE,
          NativeFile.Flag.CREATE,
          NativeFile.Flag.EXCLUSIVE);
    }
  }

  /** Makes all processes ask from here on, and takes the files of those that did not. */
  public void end() {
    attachments.ask();
    creations.end();
    attachments.poll();
    if (gone > 1) {
      Warnings.warn("so it was with others: files=%d".formatted(gone - 1));
    }
  }
}
