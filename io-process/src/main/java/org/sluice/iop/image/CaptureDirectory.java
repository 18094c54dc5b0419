package org.sluice.iop.image;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.sluice.core.posix.Errno;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.FileTree;
import org.sluice.core.posix.FileType;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.PosixException;
import org.sluice.core.segment.Reason;
import org.sluice.iop.measure.Warnings;

/**
 * The directory whose new files are captured, and where images are in it. A store that lies in it
 * is no part of it: its hard links of image files are not the images' names. Thread-safe.
 */
public final class CaptureDirectory {
  /** A part of its time that the service thread may search, so that all else goes on. */
  private static final int SHARE = 20;

  private final String directory;
  private final String store;
  private final LongSupplier clock;

  /** What the last search found; each name is looked at once more before it counts. */
  private volatile Map<ImageKey, String> found = Map.of();

  /** Before then only what must be known is searched for. */
  private volatile long nextSearch;

  /**
   * A directory.
   *
   * @param directory absolute and resolved; null when nothing is captured by path
   * @param store the store's directory, absolute and resolved
   */
  public CaptureDirectory(final String directory, final String store) {
    this(directory, store, System::nanoTime);
  }

  CaptureDirectory(final String directory, final String store, final LongSupplier clock) {
    this.directory = directory;
    this.store = store;
    this.clock = clock;
    nextSearch = clock.getAsLong();
  }

  /**
   * The directory whose new files are captured.
   *
   * @return absolute and resolved; null when nothing is captured by path
   */
  public String path() {
    return directory;
  }

  /**
   * Whether other nodes may use its file system.
   *
   * @return false also when nothing is captured by path
   */
  public boolean isShared() {
    if (directory == null) {
      return false;
    }
    try (NativeFile opened = NativeFile.open(directory, NativeFile.Flag.DIRECTORY)) {
      return opened.isShared();
    } catch (final PosixException e) {
      Warnings.warn("whether other nodes may use " + directory + " is unknown: " + e.getMessage());
      return true;
    }
  }

  /**
   * Opens a file that is to become an image.
   *
   * @param key what identifies it
   * @param path what it is called
   * @return open for reading and writing
   * @throws NotCapturedException when it cannot be opened or named, is another file by now, or is
   *     not in here
   */
  public NativeFile open(final ImageKey key, final String path) throws NotCapturedException {
    if (FileName.length(path) >= FileName.LONGEST) {
      throw new NotCapturedException(Reason.TOO_DEEP, "its path is longer than 4095 bytes");
    }
    try {
      final NativeFile file = NativeFile.open(path, NativeFile.Flag.WRITE);
      if (ImageKey.of(file).equals(key) && file.path().filter(this::contains).isPresent()) {
        return file;
      }
      file.close();
    } catch (final PosixException e) {
      throw new NotCapturedException(reason(e), e.getMessage());
    }
    throw new NotCapturedException(Reason.ELSEWHERE, path + " is not in the capture directory");
  }

  /** Another process may delete or rename it at any moment. */
  private static Reason reason(final PosixException failure) {
    return switch (failure.errno()) {
      case Errno.ENOENT -> Reason.ELSEWHERE;
      case Errno.EMFILE, Errno.ENFILE -> Reason.TOO_MANY;
      default -> Reason.REFUSED;
    };
  }

  /**
   * Whether a path is in here, and not in the store.
   *
   * @param path absolute and resolved
   * @return false when nothing is captured by path
   */
  public boolean contains(final String path) {
    return directory != null
        && FileName.isWithin(path, directory)
        && !FileName.isWithin(path, store);
  }

  /**
   * Where an image is now, after any renames.
   *
   * @param image an image of the session
   * @return a name of its file; empty when it has none in here any more
   */
  public Optional<String> find(final Image image) {
    return find(image.file());
  }

  /**
   * Where a file is whose path the kernel does not tell.
   *
   * @param key what identifies it
   * @return a name of it; empty when it has none in here
   */
  public Optional<String> find(final ImageKey key) {
    return directory == null ? Optional.empty() : search(key);
  }

  private Optional<String> find(final NativeFile file) {
    if (directory == null) {
      return Optional.empty();
    }
    try {
      return find(file, path(file));
    } catch (final PosixException e) {
      Warnings.warn("the present path of " + file + " is unknown: " + e.getMessage());
      return Optional.empty();
    }
  }

  /** Empty also where it is longer than the kernel tells: then it is searched for. */
  private static Optional<String> path(final NativeFile file) throws PosixException {
    try {
      return file.path();
    } catch (final PosixException e) {
      e.throwUnless(Errno.ENAMETOOLONG);
      return Optional.empty();
    }
  }

  /** A program may rename it meanwhile, so that neither the old name nor the new one is seen. */
  private Optional<String> find(final NativeFile file, final Optional<String> path)
      throws PosixException {
    final ImageKey key = ImageKey.of(file);
    if (path.isPresent() && key.isAt(path.get())) {
      return path.filter(this::contains);
    }
    final Optional<String> other = file.links() > 0 ? search(key) : Optional.empty();
    final Optional<String> now = path(file);
    return other.isPresent() || now.equals(path) ? other : find(file, now);
  }

  /**
   * Takes a name from an image. A program may give it to another file at any moment, and the kernel
   * removes names whatever they stand for. So the name is moved aside first, and given back if it
   * is another file's by then.
   *
   * @param key what identifies the image
   * @param name a name that it had a moment ago
   * @throws PosixException when that fails
   */
  public static void unlink(final ImageKey key, final String name) throws PosixException {
    final String aside = FileName.sibling(name, ".sluice-removed-%016x".formatted(key.inode()));
    try {
      Names.rename(name, aside);
    } catch (final PosixException e) {
      e.throwUnless(Errno.ENOENT); // removed by the program
      return;
    }
    if (key.isAt(aside)) {
      Names.delete(aside);
    } else {
      giveBack(aside, name);
    }
  }

  /** Never in place of another file: a link, unlike a rename, fails then. */
  private static void giveBack(final String aside, final String name) throws PosixException {
    if (FileStatus.of(aside).type() == FileType.DIRECTORY) {
      Names.renameToNew(aside, name);
      return;
    }
    try {
      Names.link(aside, name);
      Names.delete(aside);
    } catch (final PosixException e) {
      e.throwUnless(Errno.EEXIST);
      Warnings.warn("%s was replaced twice; the first file is now %s".formatted(name, aside));
    }
  }

  /** The kernel only knows that the name it was opened by is gone; another one may be left. */
  private Optional<String> search(final ImageKey key) {
    final String known = found.get(key);
    if (known != null && key.isAt(known)) {
      return Optional.of(known);
    }
    final long began = clock.getAsLong();
    try {
      final Map<ImageKey, String> all = new HashMap<>();
      names().forEach((each, names) -> all.put(each, names.getFirst()));
      found = all;
      return Optional.ofNullable(all.get(key));
    } catch (final PosixException e) {
      Warnings.warn("cannot search " + directory + ": " + e.getMessage());
      return Optional.empty();
    } finally {
      final long now = clock.getAsLong();
      nextSearch = now + SHARE * (now - began);
    }
  }

  /**
   * Whether an image is known to have no name in here any more. A program that gives each of many
   * files another name by a link would have the directory searched for each. So what was not found
   * by the last search is taken to be here until there is time for another one.
   *
   * @param file the image's file
   * @return false also when that is not known
   */
  public boolean hasLost(final NativeFile file) {
    try {
      final ImageKey key = ImageKey.of(file);
      final Optional<String> path = path(file);
      final boolean told = file.links() == 0 || path.filter(key::isAt).isPresent();
      if (!told && !found.containsKey(key) && clock.getAsLong() - nextSearch < 0) {
        return false;
      }
    } catch (final PosixException e) {
      Warnings.warn("the present path of " + file + " is unknown: " + e.getMessage());
    }
    return find(file).isEmpty();
  }

  /**
   * All names of all files in here: an image may have more than one.
   *
   * @return paths by what they are names of
   * @throws PosixException when the directory cannot be searched
   */
  public Map<ImageKey, List<String>> names() throws PosixException {
    final Map<ImageKey, List<String>> names = new HashMap<>();
    if (directory != null) {
      FileTree.walk(
          directory,
          below -> !below.equals(store),
          (path, device, inode) ->
              names
                  .computeIfAbsent(new ImageKey(device, inode), any -> new ArrayList<>(1))
                  .add(path));
    }
    return names;
  }

  /**
   * All names of some images in here. The kernel tells how many names a file has, and one of them:
   * the directory is searched only when one may have another.
   *
   * @param images the images
   * @param stored how many names each has in the store
   * @return what each name is a name of
   * @throws PosixException when the kernel does not tell, or the directory cannot be searched
   */
  public Map<String, ImageKey> names(
      final Collection<Image> images, final Map<ImageKey, Long> stored) throws PosixException {
    final Map<String, ImageKey> names = new LinkedHashMap<>();
    for (final Image image : images) {
      final long others = image.file().links() - stored.getOrDefault(image.key(), 0L);
      final Optional<String> name = path(image.file()).filter(image.key()::isAt);
      if (others > 1 || others == 1 && name.filter(this::contains).isEmpty()) {
        return searched(images);
      }
      name.filter(any -> others == 1).ifPresent(only -> names.put(only, image.key()));
    }
    return names;
  }

  private Map<String, ImageKey> searched(final Collection<Image> images) throws PosixException {
    final Map<ImageKey, List<String>> all = names();
    final Map<String, ImageKey> names = new LinkedHashMap<>();
    for (final Image image : images) {
      all.getOrDefault(image.key(), List.of()).forEach(name -> names.put(name, image.key()));
    }
    return names;
  }

  /**
   * Where an image is now, as a checkpoint names it.
   *
   * @param image an image of the session
   * @return its path below the directory; empty when it is not in here any more
   */
  public Optional<String> relativePath(final Image image) {
    return find(image).map(this::relative);
  }

  /**
   * What a checkpoint calls a file in here.
   *
   * @param path a path below the directory
   * @return its path below the directory; one of more than 4095 bytes no checkpoint can hold
   */
  public String relative(final String path) {
    return FileName.relative(path, directory);
  }
}
