package org.sluice.iop.image;

import java.io.IOException;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import org.sluice.core.command.CommandException;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.fault.Fault;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileIdentity;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.process.NativeProcess;
import org.sluice.core.segment.Geometry;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.ImageTable;
import org.sluice.core.segment.Reason;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.Warnings;

/** The registry of the session's images. Service thread only. */
public final class ImageRegistry {
  /**
   * The descriptors for the JVM, the session's own files, a commit and a restart. Clients and
   * containers are counted besides.
   */
  private static final int RESERVED = 128;

  /** The fewest descriptors with which a session is of use. */
  private static final int FEWEST = 64;

  private static final int MOST_GONE = 1 << 16;

  private final ImageTable table;
  private final Images images;
  private final Journal journal;
  private final OutsideReaders protection;
  private final Descriptors descriptors;
  private final Map<ImageKey, Image> byKey = new HashMap<>();
  private final Set<ImageKey> gone = new HashSet<>();

  private final BitSet used = new BitSet();

  /**
   * @param images images of a former I/O process, to be resumed first
   * @param protection protection of images whose own files do not hold everything
   * @param descriptors count of the images that have a descriptor
   */
  public ImageRegistry(
      final ImageTable table,
      final Images images,
      final Journal journal,
      final OutsideReaders protection,
      final Descriptors descriptors) {
    this.protection = protection;
    this.descriptors = descriptors;
    this.table = table;
    this.images = images;
    this.journal = journal;
  }

  /** Checks that files can be captured at all. */
  public static void checkLimit() {
    if (mostDescriptors() < FEWEST) {
      throw new CommandException(
          ExitStatus.FEW_DESCRIPTORS,
          ("a limit of %d open files is too low to capture any: it takes %d at least; raise it"
                  + " (ulimit -Hn)")
              .formatted(NativeProcess.mostOpenFiles(), RESERVED + FEWEST));
    }
  }

  /** Returns the number of descriptors that clients, containers and images may have. */
  public static long mostDescriptors() {
    return NativeProcess.mostOpenFiles() - RESERVED;
  }

  /**
   * Checks that one more image may have a descriptor.
   *
   * @param obstacle reason why no other one gives its own up; empty when all are open
   */
  public void checkRoom(final String obstacle) throws NotCapturedException {
    if (descriptors.count() >= descriptors.bound()) {
      throw new NotCapturedException(
          Reason.TOO_MANY,
          "%d files open at a time are all that the limit of open files allows%s; raise it (ulimit -Hn)"
              .formatted(descriptors.bound(), obstacle));
    }
  }

  public Descriptors descriptors() {
    return descriptors;
  }

  /** Finds an image; null when it is not known. */
  public Image find(final ImageKey key) {
    return byKey.get(key);
  }

  /** Finds an image; null when it is not known. */
  public Image find(final int id) {
    return images.find(id);
  }

  /** Returns a copy. */
  public Collection<Image> all() {
    return images.all();
  }

  /** Makes every file plain for processes that outlive the session, which ask nobody any more. */
  public void forgetAll() {
    all().forEach(image -> table.remove(image.entry()));
  }

  /**
   * Enters a file as an image.
   *
   * @param file the file, open for reading and writing; the registry's from here on
   * @throws NotCapturedException when there is no room for it; the file is closed then
   */
  public Image admit(final NativeFile file, final int state) throws NotCapturedException {
    final ImageKey key = ImageKey.of(file);
    final int id = nextId();
    final int entry = table.insert(key.device(), key.inode(), id, state, 0);
    if (entry < 0) {
      close(file::close);
      throw new NotCapturedException(
          Reason.NO_ENTRY,
          "the session has %d files, those of the checkpoints that stay included, and no room for more; say --max-files %d"
              .formatted(byKey.size(), Math.min(Geometry.MAX_FILES, 10L * byKey.size())));
    }
    images.apply(
        journal.write(
            new Entry.Admitted(
                id, entry, key.device(), key.inode(), file.born(), state, file.opened())));
    return bind(images.find(id), file);
  }

  /** Processes take ids from the same word, which may hold anything. */
  private int nextId() {
    int id = table.nextId();
    while (id < 1 || images.find(id) != null) {
      if (id < images.last()) {
        table.lastId(images.last());
      }
      id = table.nextId();
    }
    return id;
  }

  /**
   * Returns whether a process may have entered an image by this id at this place; false for an id
   * or entry of another image, and for nonsense.
   */
  public boolean mayEnter(final int id, final int entry, final int slot) {
    return id > 0
        && id <= table.lastId()
        && images.find(id) == null
        && !used.get(entry)
        && table.imageId(entry) == id
        && table.creator(entry) == slot;
  }

  /**
   * Takes an image that a process has entered, and that the journal knows.
   *
   * @param file its file, or another one if that is gone, open for reading and writing; the
   *     registry's from here on
   */
  public Image enter(final int id, final NativeFile file) {
    final Image image = bind(images.find(id), file);
    table.identify(image.entry(), image.key().device(), image.key().inode());
    table.taken(image.entry());
    return image;
  }

  private Image bind(final Image image, final NativeFile file) {
    return bind(image, HeldFile.open(image, file, descriptors));
  }

  private Image bind(final Image image, final HeldFile held) {
    image.bind(held, table, journal, protection);
    byKey.put(image.key(), image);
    used.set(image.entry());
    return image;
  }

  /**
   * Gives an image of a former I/O process its file again. A file in the place of one that is gone
   * takes over its entry, whose identity another file may have by now.
   *
   * @param file its file, open for reading and writing; the registry's from here on
   */
  public void resume(final Image image, final NativeFile file) {
    bind(image, file);
    table.identify(image.entry(), image.key().device(), image.key().inode());
    image.resumeFailure(table.error(image.entry()));
    image.known();
  }

  /** Takes over an image that was at rest in a former I/O process, and stays so. */
  public void resumeAtRest(final Image image) {
    bind(image, HeldFile.atRest(image, descriptors));
    table.identify(image.entry(), image.key().device(), image.key().inode());
    image.resumeFailure(table.error(image.entry()));
    image.known();
  }

  /**
   * Brings an image to rest.
   *
   * @param image image that no process has open, and no work in the pipeline is about
   */
  public void rest(final Image image, final String name) {
    images.apply(journal.write(new Entry.Rested(image.id(), name)));
    protection.rest(image);
    close(image.held()::rest);
  }

  /** Finds the image whose file has a name now; empty also where nothing is there. */
  public Optional<Image> at(final String path) {
    try {
      final FileIdentity there = FileStatus.of(path).identity();
      return Optional.ofNullable(find(new ImageKey(there.device(), there.inode())));
    } catch (final PosixException nothingThere) {
      return Optional.empty();
    }
  }

  /** Hides an image from searches by its file, which is another image's by now. */
  public void displace(final Image image) {
    byKey.remove(image.key(), image);
    table.identify(image.entry(), 0, 0);
  }

  /**
   * Publishes this registry in the shared table, for every process. Entries that a ring has yet to
   * tell of stay as they are.
   */
  public void publish() {
    removeWhere(creator -> images.writer(creator) == null);
    for (final Image image : images.all()) {
      table.state(image.entry(), image.state());
      table.taken(image.entry());
    }
  }

  /** Frees the entries of images that a process entered, and nobody is going to take. */
  public void removeUntaken(final int slot) {
    removeWhere(creator -> creator == slot);
  }

  private void removeWhere(final IntPredicate whose) {
    for (int entry = 0; entry < table.count(); entry++) {
      if (!used.get(entry)) {
        table.removeOf(entry, whose);
      }
    }
  }

  /**
   * Releases an image; no work in the pipeline may use it any more. Its file is closed before
   * others see that it is no image: the kernel runs no program whose file is open for writing.
   */
  public void forget(final Image image) {
    if (images.find(image.id()) == image) {
      byKey.remove(image.key(), image);
      descriptors.busy(image);
      protection.release(image);
      close(image.held()::release);
      image.state(ImageDescriptor.STATE_FREE);
      images.forget(image);
      used.clear(image.entry());
      if (gone.size() < MOST_GONE) {
        gone.add(image.key());
      }
    }
  }

  /**
   * Returns whether a file may have been an image that was released. The memory of these is
   * bounded: after very many of them the answer is always true.
   *
   * @return false only when it was none
   */
  public boolean mayHaveHad(final ImageKey key) {
    return gone.size() == MOST_GONE || gone.contains(key);
  }

  private static void close(final Fault.Step<IOException> closing) {
    try {
      closing.run();
    } catch (final IOException e) {
      Warnings.warn(e.getMessage());
    }
  }
}
