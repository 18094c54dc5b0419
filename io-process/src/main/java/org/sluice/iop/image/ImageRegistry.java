package org.sluice.iop.image;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeProcess;
import org.sluice.core.posix.PosixException;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.ImageTable;
import org.sluice.core.segment.Reason;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.Warnings;

/** Every image of the session. Service thread only. */
public final class ImageRegistry {
  /** For clients, containers and commits. */
  private static final int RESERVED = 512;

  /** Each image holds a descriptor of this process. */
  private static final long MOST = NativeProcess.mostOpenFiles() - RESERVED;

  private final ImageTable table;
  private final Images images;
  private final Journal journal;
  private final Protection protection;
  private final Map<ImageKey, Image> byKey = new HashMap<>();

  /**
   * A registry that knows no file yet.
   *
   * @param table the shared table
   * @param images those of a former I/O process, to be resumed first
   * @param journal learns what changes
   * @param protection of images whose own files do not hold everything
   */
  public ImageRegistry(
      final ImageTable table,
      final Images images,
      final Journal journal,
      final Protection protection) {
    this.protection = protection;
    this.table = table;
    this.images = images;
    this.journal = journal;
  }

  /**
   * Sees that files can be captured at all.
   *
   * @throws CommandException when there may be no image
   */
  public static void checkLimit() {
    if (MOST <= 0) {
      throw new CommandException(
          ExitStatus.FEW_DESCRIPTORS,
          ("a limit of %d open files is too low to capture any: it takes more than %d, and one for"
                  + " each file; raise it (ulimit -Hn)")
              .formatted(NativeProcess.mostOpenFiles(), RESERVED));
    }
  }

  /**
   * Finds an image.
   *
   * @param key what identifies it
   * @return null when it is not known
   */
  public Image find(final ImageKey key) {
    return byKey.get(key);
  }

  /**
   * Finds an image.
   *
   * @param id 1 or more
   * @return null when it is not known
   */
  public Image find(final int id) {
    return images.find(id);
  }

  /**
   * All images.
   *
   * @return a copy
   */
  public Collection<Image> all() {
    return images.all();
  }

  /**
   * Enters a file as an image.
   *
   * @param file the file, open for reading and writing; the registry's from here on
   * @param state its first state
   * @return the image
   * @throws NotCapturedException when there is no room for it; the file is closed then
   */
  public Image admit(final NativeFile file, final int state) throws NotCapturedException {
    final ImageKey key = ImageKey.of(file);
    if (byKey.size() >= MOST) {
      close(file);
      throw new NotCapturedException(
          Reason.TOO_MANY,
          "%d files at a time are all that the limit of open files allows; raise it (ulimit -Hn)"
              .formatted(MOST));
    }
    final int id = images.last() + 1;
    final int entry = table.insert(key.device(), key.inode(), id, state, 0);
    if (entry < 0) {
      close(file);
      throw new NotCapturedException(
          Reason.TOO_MANY, "its bucket of the image table is full; there are too many files");
    }
    images.apply(
        journal.write(
            new Entry.Admitted(
                id, entry, key.device(), key.inode(), file.born(), state, file.opened())));
    return bind(images.find(id), file);
  }

  private Image bind(final Image image, final NativeFile file) {
    image.bind(file, table, journal, protection);
    byKey.put(image.key(), image);
    return image;
  }

  /**
   * Gives an image of a former I/O process its file again. A file in the place of one that is gone
   * takes over its entry, whose identity another file may have by now.
   *
   * @param image an image of the session
   * @param file its file, open for reading and writing; the registry's from here on
   */
  public void resume(final Image image, final NativeFile file) {
    bind(image, file);
    table.identify(image.entry(), image.key().device(), image.key().inode());
    image.resumeFailure(table.error(image.entry()));
    image.known();
  }

  /** Makes the shared table say what this registry does, for every process. */
  public void publish() {
    for (int entry = 0; entry < table.count(); entry++) {
      if (table.state(entry) == ImageDescriptor.STATE_FREE) {
        continue;
      }
      final Image image = images.find(table.imageId(entry));
      if (image == null || image.entry() != entry) {
        table.remove(entry);
      }
    }
    images.all().forEach(image -> table.state(image.entry(), image.state()));
  }

  /**
   * Lets an image go; nothing in the pipeline may use it any more.
   *
   * @param image an image of this registry
   */
  public void forget(final Image image) {
    if (images.find(image.id()) == image) {
      byKey.remove(image.key());
      image.state(ImageDescriptor.STATE_FREE);
      images.forget(image);
      close(image.file());
    }
  }

  private static void close(final NativeFile file) {
    try {
      file.close();
    } catch (final PosixException e) {
      Warnings.warn(e.getMessage());
    }
  }
}
