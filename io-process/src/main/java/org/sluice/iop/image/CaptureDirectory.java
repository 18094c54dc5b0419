package org.sluice.iop.image;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.sluice.core.posix.Errno;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.PosixException;
import org.sluice.core.segment.Reason;
import org.sluice.core.store.ImagePath;
import org.sluice.iop.measure.Warnings;

/**
 * The directory whose new files are captured, and where images are in it. A store that lies in it
 * is no part of it: its hard links of image files are not the images' names. Thread-safe.
 */
public final class CaptureDirectory {
  /** A part of its time that the service thread may search, so that all else goes on. */
  private static final int SHARE = 20;

  private final Path directory;
  private final Path store;
  private final LongSupplier clock;

  /** What the last search found; each name is looked at once more before it counts. */
  private volatile Map<ImageKey, Path> found = Map.of();

  /** Before then only what must be known is searched for. */
  private volatile long nextSearch;

  /**
   * A directory.
   *
   * @param directory absolute and resolved; null when nothing is captured by path
   * @param store the store's directory, absolute and resolved
   */
  public CaptureDirectory(final Path directory, final Path store) {
    this(directory, store, System::nanoTime);
  }

  CaptureDirectory(final Path directory, final Path store, final LongSupplier clock) {
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
  public Path path() {
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
    } catch (final IOException e) {
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
    try {
      final NativeFile file = NativeFile.open(Path.of(path), NativeFile.Flag.WRITE);
      if (ImageKey.of(file).equals(key) && file.path().filter(this::contains).isPresent()) {
        return file;
      }
      file.close();
    } catch (final IOException | InvalidPathException e) {
      throw new NotCapturedException(reason(e), String.valueOf(e.getMessage()));
    }
    throw new NotCapturedException(Reason.ELSEWHERE, path + " is not in the capture directory");
  }

  /** Another process may delete or rename it at any moment. */
  private static Reason reason(final Exception failure) {
    return switch (failure) {
      case PosixException posix when posix.errno() == Errno.ENOENT -> Reason.ELSEWHERE;
      case PosixException posix when isWantOfDescriptors(posix.errno()) -> Reason.TOO_MANY;
      default -> Reason.REFUSED;
    };
  }

  private static boolean isWantOfDescriptors(final int errno) {
    return errno == Errno.EMFILE || errno == Errno.ENFILE;
  }

  private boolean contains(final Path path) {
    return directory != null && path.startsWith(directory) && !path.startsWith(store);
  }

  /**
   * Where an image is now, after any renames.
   *
   * @param image an image of the session
   * @return a name of its file; empty when it has none in here any more
   */
  public Optional<Path> find(final Image image) {
    return find(image.file());
  }

  private Optional<Path> find(final NativeFile file) {
    if (directory == null) {
      return Optional.empty();
    }
    try {
      return find(file, file.path());
    } catch (final IOException e) {
      Warnings.warn("the present path of " + file + " is unknown: " + e.getMessage());
      return Optional.empty();
    }
  }

  /** A program may rename it meanwhile, so that neither the old name nor the new one is seen. */
  private Optional<Path> find(final NativeFile file, final Optional<Path> path) throws IOException {
    final ImageKey key = ImageKey.of(file);
    if (path.isPresent() && key.isAt(path.get())) {
      return path.filter(this::contains);
    }
    final Optional<Path> other = file.links() > 0 ? search(key) : Optional.empty();
    final Optional<Path> now = file.path();
    return other.isPresent() || now.equals(path) ? other : find(file, now);
  }

  /**
   * Takes a name from an image. A program may give it to another file at any moment, and the kernel
   * removes names whatever they stand for. So the name is moved aside first, and given back if it
   * is another file's by then.
   *
   * @param key what identifies the image
   * @param name a name that it had a moment ago
   * @throws IOException when that fails
   */
  public static void unlink(final ImageKey key, final Path name) throws IOException {
    final Path aside = name.resolveSibling(".sluice-removed-%016x".formatted(key.inode()));
    try {
      Files.move(name, aside, StandardCopyOption.ATOMIC_MOVE);
    } catch (final NoSuchFileException removedByTheProgram) {
      return;
    }
    if (key.isAt(aside)) {
      Files.delete(aside);
    } else {
      giveBack(aside, name);
    }
  }

  /** Never in place of another file: a link, unlike a rename, fails then. */
  private static void giveBack(final Path aside, final Path name) throws IOException {
    if (Files.isDirectory(aside, LinkOption.NOFOLLOW_LINKS)) {
      Files.move(aside, name);
      return;
    }
    try {
      Files.createLink(name, aside);
      Files.delete(aside);
    } catch (final FileAlreadyExistsException e) {
      Warnings.warn("%s was replaced twice; the first file is now %s".formatted(name, aside));
    }
  }

  /** The kernel only knows that the name it was opened by is gone; another one may be left. */
  private Optional<Path> search(final ImageKey key) {
    final Path known = found.get(key);
    if (known != null && key.isAt(known)) {
      return Optional.of(known);
    }
    final long began = clock.getAsLong();
    try {
      final Map<ImageKey, Path> all = new HashMap<>();
      names().forEach((each, names) -> all.put(each, names.getFirst()));
      found = all;
      return Optional.ofNullable(all.get(key));
    } catch (final IOException e) {
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
      final Optional<Path> path = file.path();
      final boolean told = path.isEmpty() || key.isAt(path.get()) || file.links() == 0;
      if (!told && !found.containsKey(key) && clock.getAsLong() - nextSearch < 0) {
        return false;
      }
    } catch (final IOException e) {
      Warnings.warn("the present path of " + file + " is unknown: " + e.getMessage());
    }
    return find(file).isEmpty();
  }

  /**
   * All names of all files in here: an image may have more than one.
   *
   * @return paths by what they are names of
   * @throws IOException when the directory cannot be searched
   */
  public Map<ImageKey, List<Path>> names() throws IOException {
    final Map<ImageKey, List<Path>> names = new HashMap<>();
    if (directory != null) {
      for (final Path path : files()) {
        try {
          names.computeIfAbsent(ImageKey.of(path), any -> new ArrayList<>()).add(path);
        } catch (final NoSuchFileException renamedOrDeletedMeanwhile) {
          continue;
        }
      }
    }
    return names;
  }

  private List<Path> files() throws IOException {
    final List<Path> files = new ArrayList<>();
    Files.walkFileTree(directory, new Walk(files));
    return files;
  }

  /** Collects the regular files outside the store. */
  private final class Walk extends SimpleFileVisitor<Path> {
    private final List<Path> files;

    private Walk(final List<Path> files) {
      this.files = files;
    }

    @Override
    public FileVisitResult preVisitDirectory(final Path path, final BasicFileAttributes any) {
      return path.equals(store) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(final Path path, final BasicFileAttributes attributes) {
      if (attributes.isRegularFile()) {
        files.add(path);
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(final Path path, final IOException failure)
        throws IOException {
      if (failure instanceof NoSuchFileException) { // renamed or deleted since its name was read
        return FileVisitResult.CONTINUE;
      }
      throw failure;
    }
  }

  /**
   * Where an image is now, as a checkpoint names it.
   *
   * @param image an image of the session
   * @return its path below the directory; empty when it is not in here any more
   */
  public Optional<String> relativePath(final Image image) {
    return find(image).flatMap(this::relative);
  }

  /**
   * What a checkpoint calls a file in here.
   *
   * @param path a path below the directory
   * @return empty for a name that a checkpoint cannot hold
   */
  public Optional<String> relative(final Path path) {
    return Optional.of(directory.relativize(path).toString()).filter(ImagePath::isValid);
  }
}
