package org.sluice.iop.image;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.collections.Int2ObjectHashMap;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.PosixException;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.ImageTable;
import org.sluice.core.segment.Reason;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.ImageFacts;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.Warnings;

/** Every image of the session. Service thread only. */
public final class ImageRegistry {
  private final ImageTable table;
  private final boolean inPlace;
  private final Journal journal;
  private final Protection protection;
  private final Map<ImageKey, Image> byKey = new HashMap<>();
  private final Int2ObjectHashMap<Image> byId = new Int2ObjectHashMap<>();
  private final long most = DescriptorLimit.mostImages();
  private int lastId;

  /**
   * An empty registry.
   *
   * @param table the shared table
   * @param inPlace whether drained extents go to the images' own files
   * @param journal learns what changes
   * @param protection of images whose own files do not hold everything
   */
  public ImageRegistry(
      final ImageTable table,
      final boolean inPlace,
      final Journal journal,
      final Protection protection) {
    this.protection = protection;
    this.table = table;
    this.inPlace = inPlace;
    this.journal = journal;
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
   * @param id its id
   * @return null when it is not known
   */
  public Image find(final int id) {
    return byId.get(id);
  }

  /**
   * All images.
   *
   * @return a copy
   */
  public Collection<Image> all() {
    return List.copyOf(byKey.values());
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
    if (byKey.size() >= most) {
      close(file);
      throw new NotCapturedException(
          Reason.TOO_MANY,
          "%d files at a time are all that the limit of open files allows; raise it (ulimit -Hn)"
              .formatted(most));
    }
    final int entry = table.insert(key.device(), key.inode(), lastId + 1, state, 0);
    if (entry < 0) {
      close(file);
      throw new NotCapturedException(
          Reason.TOO_MANY, "its bucket of the image table is full; there are too many files");
    }
    final Image image =
        new Image(++lastId, key, file, table, entry, state, inPlace, journal, protection);
    journal.write(
        new Entry.Admitted(
            image.id(),
            entry,
            key.device(),
            key.inode(),
            file.born(),
            state,
            file.opened().toString()));
    add(image);
    return image;
  }

  private void add(final Image image) {
    byKey.put(image.key(), image);
    byId.put(image.id(), image);
  }

  /**
   * Enters an image of a former I/O process again. A file in the place of one that is gone takes
   * over its entry, whose identity another file may have by now.
   *
   * @param facts what is known of it
   * @param file its file, open for reading and writing; the registry's from here on
   * @return the image, in the state that the facts tell
   */
  public Image resume(final ImageFacts facts, final NativeFile file) {
    final Entry.Admitted admitted = facts.admitted();
    final Image image =
        new Image(
            admitted.image(),
            ImageKey.of(file),
            file,
            table,
            admitted.entry(),
            facts.state(),
            inPlace,
            journal,
            protection);
    table.identify(image.entry(), image.key().device(), image.key().inode());
    image.resumeFailure(table.error(image.entry()));
    image.known();
    add(image);
    return image;
  }

  /**
   * Makes the shared table say what this registry does, for every process.
   *
   * @param highestId the highest id there ever was
   */
  public void publish(final int highestId) {
    lastId = highestId;
    for (int entry = 0; entry < table.count(); entry++) {
      if (table.state(entry) == ImageDescriptor.STATE_FREE) {
        continue;
      }
      final Image image = byId.get(table.imageId(entry));
      if (image == null || image.entry() != entry) {
        table.remove(entry);
      }
    }
    byId.values().forEach(image -> table.state(image.entry(), image.state()));
  }

  /**
   * Lets an image go; nothing in the pipeline may use it any more.
   *
   * @param image an image of this registry
   */
  public void forget(final Image image) {
    if (byId.remove(image.id()) != null) {
      byKey.remove(image.key());
      image.state(ImageDescriptor.STATE_FREE);
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
