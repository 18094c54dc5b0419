package org.sluice.iop.image;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileIdentity;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.FileSource;
import org.sluice.core.posix.FileTree;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.Reason;
import org.sluice.iop.measure.Warnings;

/**
 * The directory whose new files are captured, and the places of images in it. A store that lies in
 * it is no part of it: its hard links of image files are not the images' names. Thread-safe.
 */
public final class CaptureDirectory {
  /**
   * The factor by which pauses between searches are longer than a search, so that the service
   * thread's other work goes on.
   */
  private static final int SHARE = 20;

  /**
   * The most looks of a search. A program may rename a file while its directory is read, so that it
   * is seen nowhere.
   */
  private static final int MOST_LOOKS = 3;

  private final String directory;
  private final String store;
  private final LongSupplier clock;
  private final Set<FileIdentity> lost = ConcurrentHashMap.newKeySet();

  /** The names found by the last search; each is looked at once more before it counts. */
  private volatile Map<ImageKey, String> found = Map.of();

  /** The directory of the last file whose path the kernel does not tell; null for none so far. */
  private volatile String near;

  /** The earliest time of the next search that can wait. */
  private volatile long nextSearch;

  /**
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
   * Returns the absolute and resolved directory whose new files are captured; null when nothing is
   * captured by path.
   */
  public String path() {
    return directory;
  }

  /**
   * Opens a directory below it to synchronise its entries. The kernel tells of entries that it lost
   * once, so such a directory fails for good.
   */
  public FileSource.Loan lend(final String path) throws IOException {
    final NativeFile opened = NativeFile.open(path, NativeFile.Flag.DIRECTORY);
    final FileIdentity identity = opened.identity();
    if (lost.contains(identity)) {
      opened.close();
      throw new PosixException("sync " + path, Errno.EIO);
    }
    return new FileSource.Loan(
        opened,
        () -> {
          if (opened.isLost()) {
            lost.add(identity);
          }
          opened.close();
        });
  }

  /**
   * Returns whether other nodes may use its file system; false also when nothing is captured by
   * path.
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
   * @throws NotCapturedException when it cannot be opened or named, is another file by now, or is
   *     not in here
   * @throws PosixException when there is no descriptor left
   */
  public NativeFile open(final ImageKey key, final String path)
      throws NotCapturedException, PosixException {
    if (FileName.length(path) >= FileName.LONGEST) {
      throw new NotCapturedException(Reason.TOO_DEEP, "its path is longer than 4095 bytes");
    }
    try {
      final NativeFile file = NativeFile.openQuietly(path, NativeFile.Flag.NO_WAIT);
      if (ImageKey.of(file).equals(key) && contains(Names.target(file.procPath()))) {
        return file;
      }
      file.close();
    } catch (final PosixException e) {
      if (e.errno() == Errno.EMFILE || e.errno() == Errno.ENFILE) {
        throw e;
      }
      throw new NotCapturedException(
          e.errno() == Errno.ENOENT ? Reason.ELSEWHERE : Reason.REFUSED, e.getMessage());
    }
    throw new NotCapturedException(Reason.ELSEWHERE, path + " is not in the capture directory");
  }

  /**
   * Returns whether a path is in here, and not in the store; false when nothing is captured by
   * path.
   */
  public boolean contains(final String path) {
    return directory != null
        && FileName.isWithin(path, directory)
        && !FileName.isWithin(path, store);
  }

  /**
   * Returns a present name of an image, after any renames; empty when it has none in here, or is
   * {@link Image#isUnnamed}.
   */
  public Optional<String> find(final Image image) {
    if (!image.held().isNamedByKernel()) {
      return findByName(image);
    }
    if (directory == null) {
      return Optional.empty();
    }
    try {
      final Optional<String> name = find(image, path(image.file()));
      image.unnamed(false);
      return name;
    } catch (final IOException e) {
      Warnings.warn("the present path of " + image + " is unknown: " + e.getMessage());
      image.unnamed(true);
      return Optional.empty();
    }
  }

  /**
   * Returns a present name of a file whose path the kernel does not tell; empty when it has none in
   * here.
   */
  public Optional<String> find(final ImageKey key) {
    if (directory == null) {
      return Optional.empty();
    }
    try {
      Optional<String> name = searchNear(key);
      name = name.isPresent() ? name : search(key);
      name.ifPresent(path -> near = FileName.sibling(path, ""));
      return name;
    } catch (final PosixException e) {
      Warnings.warn(e.getMessage());
      return Optional.empty();
    }
  }

  /**
   * Searches the directory of the last such file. A search of everything for each of many files
   * would take all of the thread's time.
   */
  private Optional<String> searchNear(final ImageKey key) {
    try {
      return near == null ? Optional.empty() : FileTree.find(near, key.device(), key.inode());
    } catch (final PosixException renamedOrDeletedMeanwhile) {
      return Optional.empty();
    }
  }

  /** A path longer than the kernel tells is empty as well: then the file is searched for. */
  private static Optional<String> path(final NativeFile file) throws PosixException {
    try {
      return file.path();
    } catch (final PosixException e) {
      e.throwUnless(Errno.ENAMETOOLONG);
      return Optional.empty();
    }
  }

  /**
   * Returns the last name of an image that the kernel tells no name of. Any other name has to be
   * searched for.
   */
  private Optional<String> findByName(final Image image) {
    final String name = image.name();
    if (image.held().identity().isAt(name) && isWithoutLinks(name)) {
      image.held().found();
      image.unnamed(false);
      return Optional.of(name).filter(this::contains);
    }
    image.unnamed(!image.held().isGone() && !image.isDeleted());
    return Optional.empty();
  }

  /**
   * Searches, once for all of them, for images that came to rest and were given another name since.
   * An image neither found nor proven to be deleted is {@link Image#isUnnamed} from then on, and
   * taken to be gone once a checkpoint has it.
   */
  public void search(final Collection<Image> images) {
    List<Image> astray = astray(images);
    try {
      for (int look = 0; look < MOST_LOOKS && !astray.isEmpty(); look++) {
        final Map<ImageKey, String> all = walk();
        for (final Image image : astray) {
          Optional.ofNullable(all.get(image.key())).ifPresent(image::name);
        }
        astray = astray(astray);
      }
      astray.forEach(image -> image.held().notFound());
    } catch (final PosixException e) {
      Warnings.warn("files that were renamed are not found: " + e.getMessage());
    }
  }

  /**
   * Returns whether only a search tells the present name of an image; false while the kernel tells
   * it.
   */
  public boolean mustSearch(final Image image) {
    return !image.held().isNamedByKernel() && findByName(image).isEmpty() && image.isUnnamed();
  }

  /**
   * Returns whether there is time for a search that can wait, as there is none right after a long
   * one.
   */
  public boolean maySearch() {
    return clock.getAsLong() - nextSearch >= 0;
  }

  private List<Image> astray(final Collection<Image> images) {
    return images.stream().filter(this::mustSearch).toList();
  }

  /**
   * Returns the name of an image near a told path. A program may rename the file meanwhile, so that
   * neither the old name nor the new one is seen.
   */
  private Optional<String> find(final Image image, final Optional<String> path) throws IOException {
    final ImageKey key = image.key();
    if (path.isPresent() && key.isAt(path.get())) {
      return path.filter(this::contains);
    }
    final Optional<String> other = image.isDeleted() ? Optional.empty() : search(key);
    final Optional<String> now = path(image.file());
    return other.isPresent() || now.equals(path) ? other : find(image, now);
  }

  /**
   * Searches for another name of a file. The kernel only knows that the name it was opened by is
   * gone.
   */
  private Optional<String> search(final ImageKey key) throws PosixException {
    final String known = found.get(key);
    if (known != null && key.isAt(known)) {
      return Optional.of(known);
    }
    return Optional.ofNullable(walk().get(key));
  }

  private Map<ImageKey, String> walk() throws PosixException {
    final long began = clock.getAsLong();
    try {
      final Map<ImageKey, String> all = new HashMap<>();
      names().forEach((each, names) -> all.put(each, names.getFirst()));
      found = all;
      return all;
    } finally {
      final long now = clock.getAsLong();
      nextSearch = now + SHARE * (now - began);
    }
  }

  /**
   * Returns whether an image is known to have no name in here any more. A program that links each
   * of many files to another name would cause a search for each. So an image that the last search
   * did not find is taken to be here until there is time for another search.
   *
   * @return false also when that is not known
   */
  public boolean hasLost(final Image image) {
    if (!image.held().isNamedByKernel()) {
      return findByName(image).isEmpty() && !image.isUnnamed();
    }
    try {
      final Optional<String> told = path(image.file()).filter(image.key()::isAt);
      final boolean known = told.isPresent() || image.isDeleted() || found.containsKey(image.key());
      if (told.isPresent() || !known && !maySearch()) {
        return told.filter(name -> !contains(name)).isPresent();
      }
    } catch (final IOException e) {
      Warnings.warn("the present path of " + image + " is unknown: " + e.getMessage());
    }
    return find(image).isEmpty() && !image.isUnnamed();
  }

  /**
   * Returns the names of an image among all names.
   *
   * @return none also when the file of that inode number is another one
   */
  public static List<String> of(final Image image, final Map<ImageKey, List<String>> names) {
    final List<String> its = names.getOrDefault(image.key(), List.of());
    return image.isAtRest() ? its.stream().filter(image.held().identity()::isAt).toList() : its;
  }

  /** Returns all names of all files in here: an image may have several. */
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
   * Returns all names of some images in here. The kernel tells the number of a file's names, and
   * one of them. The directory is searched only when a file may have another.
   *
   * @param stored number of each image's names in the store
   */
  public Map<String, Image> names(final Collection<Image> images, final Map<ImageKey, Long> stored)
      throws IOException {
    final Map<String, Image> names = new LinkedHashMap<>();
    for (final Image image : images) {
      final long others = image.held().links() - stored.getOrDefault(image.key(), 0L);
      final Optional<String> name = told(image).filter(image.held().identity()::isAt);
      if (others > 1 || others == 1 && name.filter(this::contains).isEmpty()) {
        return searched(images);
      }
      name.filter(any -> others == 1).ifPresent(only -> names.put(only, image));
    }
    return names;
  }

  /**
   * Returns the name by which the kernel knows an open file, or else the last one that is known.
   */
  static Optional<String> told(final Image image) throws IOException {
    return image.held().isNamedByKernel()
        ? path(image.file())
        : Optional.of(image.name()).filter(CaptureDirectory::isWithoutLinks);
  }

  /**
   * Returns whether no symbolic link leads to a name. A program that moves a directory may leave a
   * link in its place, and a checkpoint names each file by its own path.
   */
  private static boolean isWithoutLinks(final String name) {
    final String parent = FileName.sibling(name, "");
    try (NativeFile above =
        NativeFile.open(parent, NativeFile.Flag.DIRECTORY, NativeFile.Flag.LET_GO)) {
      return path(above).filter(path -> parent.equals(path + "/")).isPresent();
    } catch (final PosixException goneOrOutOfReach) {
      return false;
    }
  }

  private Map<String, Image> searched(final Collection<Image> images) throws PosixException {
    final Map<ImageKey, List<String>> all = names();
    final Map<String, Image> names = new LinkedHashMap<>();
    for (final Image image : images) {
      of(image, all).forEach(name -> names.put(name, image));
    }
    return names;
  }

  /**
   * Returns the present path of an image below the directory, as a checkpoint has it; empty when it
   * is not in here any more.
   */
  public Optional<String> relativePath(final Image image) {
    return find(image).map(this::relative);
  }

  /**
   * Returns the path of a file below the directory, as a checkpoint has it; no checkpoint can hold
   * one of more than 4095 bytes.
   */
  public String relative(final String path) {
    return FileName.relative(path, directory);
  }
}
