package org.sluice.iop.service;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.sluice.core.chunk.DamagedException;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.Creations;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.ImageTable;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.Reopening;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Timed;
import org.sluice.iop.measure.Warnings;

/**
 * Takes the files that processes created and entered as images by themselves, without asking. The
 * rings tell of them; an entry counts only if it is the process's own and agrees with that. Service
 * thread only.
 */
final class Entrances {
  private final Context context;
  private final Attachments attachments;
  private final OpenRequests openRequests;
  private final TimedSettling timedSettling;
  private final ImageTable table;
  private final Creations creations;

  Entrances(
      final Context context,
      final Attachments attachments,
      final OpenRequests openRequests,
      final TimedSettling timedSettling) {
    this.context = context;
    this.attachments = attachments;
    this.openRequests = openRequests;
    this.timedSettling = timedSettling;
    this.table = context.segment().imageTable();
    this.creations = context.segment().creations();
  }

  /** Takes an image, unless its process has yet to enter it, or was kept from that. */
  boolean take(final Attachment opener, final Rings.Open open) throws DamagedException {
    final long began = System.nanoTime();
    if (open.entry() < 0 || open.entry() >= table.count()) {
      throw damage(opener, open, "has no place in the image table");
    }
    if (table.isEntering(open.entry(), opener.index())) {
      return false;
    }
    if (table.state(open.entry()) != ImageDescriptor.STATE_DIVERTED
        || table.imageId(open.entry()) != open.imageId()
        || table.creator(open.entry()) != opener.index()) {
      // Another process opened the file, and this one asks for it.
      context.decide(Backlog.read(opener.index(), open.position()));
      return true;
    }
    check(opener, open);
    enter(opener, open);
    attachments.limit();
    context.statistics().took(Timed.OPEN, began);
    return true;
  }

  private void check(final Attachment opener, final Rings.Open open) throws DamagedException {
    if (!context.registry().mayEnter(open.imageId(), open.entry(), opener.index())) {
      throw damage(opener, open, "is another one's");
    }
    if (context.registry().find(key(open)) != null) {
      throw damage(opener, open, "was known before");
    }
    if (!context.capture().contains(open.path()) || open.path().indexOf('\0') >= 0) {
      throw damage(opener, open, "is not in the capture directory");
    }
  }

  private static DamagedException damage(
      final Attachment opener, final Rings.Open open, final String reason) {
    return new DamagedException(
        "ring " + opener.index(),
        open.position(),
        "image %d at entry %d %s".formatted(open.imageId(), open.entry(), reason));
  }

  private ImageKey key(final Rings.Open open) {
    return new ImageKey(table.device(open.entry()), table.inode(open.entry()));
  }

  private void enter(final Attachment opener, final Rings.Open open) throws DamagedException {
    final ImageKey key = key(open);
    IOException failure = null;
    Optional<NativeFile> file = Optional.empty();
    try {
      file = find(opener, open, key);
    } catch (final IOException e) {
      failure = e;
    }
    final NativeFile held = file.isPresent() ? file.get() : nameless(opener, open);
    context.decide(
        new Entry.Entered(
            new Entry.Admitted(
                open.imageId(),
                open.entry(),
                held.device(),
                held.inode(),
                held.born(),
                ImageDescriptor.STATE_DIVERTED,
                open.path()),
            opener.index(),
            open.position()));
    final Image image = context.registry().enter(open.imageId(), held);
    creations.taken(opener.index(), open.entry(), key.device(), key.inode());
    if (failure != null) {
      image.fail(failure);
    } else if (file.isEmpty()) {
      Warnings.warn(
          "%s was deleted or moved away, by a program outside Sluice, as soon as it was created; what"
                  .formatted(open.path())
              + " was written to it is not kept");
    }
    timedSettling.watch(opener);
    openRequests.entered(opener, image);
  }

  /** By its name, by way of the process, or by another name that it has by now. */
  private Optional<NativeFile> find(
      final Attachment opener, final Rings.Open open, final ImageKey key) throws IOException {
    final int born = table.born(open.entry());
    final String descriptor = "/proc/%d/fd/%d".formatted(opener.process().pid(), open.descriptor());
    for (final String name : List.of(open.path(), descriptor)) {
      final Optional<NativeFile> file = Reopening.created(name, key, born);
      if (file.isPresent()) {
        return file;
      }
    }
    final Optional<String> name = context.capture().find(key);
    return name.isPresent() ? Reopening.created(name.get(), key, born) : Optional.empty();
  }

  /** A file in the place of one that is gone; chunks may have records of the image. */
  private NativeFile nameless(final Attachment opener, final Rings.Open open)
      throws DamagedException {
    try {
      final NativeFile file = context.store().createImageFile();
      Names.delete(file.opened());
      return file;
    } catch (final IOException e) {
      throw damage(opener, open, "cannot be taken: " + e.getMessage());
    }
  }

  /** Has all processes ask from here on, of which those are taken that did not. */
  void end() {
    attachments.ask();
    creations.end();
    attachments.poll();
  }
}
