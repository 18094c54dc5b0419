package org.sluice.iop.retention;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileIdentity;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.Names;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.node.PosixStore;
import org.sluice.iop.checkpoint.Grouping;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageName;

/**
 * The names in the capture directory of a checkpoint's files, when the checkpoint is removed. Last
 * stage.
 */
final class CheckpointNames {
  private static final Pattern DIGITS = Pattern.compile("[0-9]+");

  private final PosixStore store;
  private final CaptureDirectory capture;
  private final Grouping grouping;
  private final Commit commit;
  private final List<CommittedImage> stored;

  /** The names of files in place, which are removed once the checkpoint is gone. */
  private final Map<String, FileIdentity> inPlace = new LinkedHashMap<>();

  CheckpointNames(
      final PosixStore store,
      final CaptureDirectory capture,
      final Grouping grouping,
      final Commit commit,
      final List<CommittedImage> stored) {
    this.store = store;
    this.capture = capture;
    this.grouping = grouping;
    this.commit = commit;
    this.stored = stored;
  }

  /**
   * Removes all names of a checkpoint's files, or none. Returns a name that the program gave to
   * keep a file, if there is one. A program may rename files at the same time, so the names are
   * looked up again until none is left. Names of files in place are only noted.
   */
  Optional<String> remove(final List<Image> images) throws IOException {
    final List<FileStatus> files = store.imageFiles(commit);
    if (stored.stream().anyMatch(CommittedImage::isInPlace)) {
      return noteInPlace(images, files);
    }
    final List<String> removed = images.isEmpty() ? ofStored() : new ArrayList<>();
    while (true) {
      final Map<String, FileIdentity> names = of(images, files);
      final Optional<String> kept =
          names.keySet().stream()
              .filter(name -> !ImageName.isOurs(name) && !isOf(name))
              .findFirst();
      if (kept.isPresent() || names.isEmpty()) {
        removeDirectories(removed);
        return kept;
      }
      for (final Map.Entry<String, FileIdentity> name : names.entrySet()) {
        ImageName.remove(name.getValue(), name.getKey());
        removed.add(name.getKey());
      }
    }
  }

  private Optional<String> noteInPlace(final List<Image> images, final List<FileStatus> files)
      throws IOException {
    final Set<ImageKey> resting =
        images.stream().filter(Image::isAtRest).map(Image::key).collect(Collectors.toSet());
    Optional<String> kept =
        of(images, files).keySet().stream().filter(name -> !isOf(name)).findFirst();
    for (final CommittedImage image : stored) {
      final Optional<FileStatus> file = image.isInPlace() ? inPlace(image) : Optional.empty();
      if (file.isPresent()) {
        final String name = image.sharing().file();
        inPlace.put(name, file.get().identity());
        if (file.get().links() > (resting.contains(key(file.get())) ? 2 : 1)) {
          kept = kept.or(() -> Optional.of(name));
        }
      }
    }
    return kept;
  }

  static boolean isDeleted(final CommittedImage image) {
    return image.isInPlace() && isGone(image.sharing().file());
  }

  /** Returns whether a file is known not to exist. A hidden file counts as existing. */
  private static boolean isGone(final String file) {
    try {
      FileStatus.of(file);
      return false;
    } catch (final PosixException e) {
      return e.errno() == Errno.ENOENT || e.errno() == Errno.ENOTDIR;
    }
  }

  /**
   * Returns the image's file, unless it was deleted or written to since. Then the file is the
   * program's.
   */
  private static Optional<FileStatus> inPlace(final CommittedImage image) {
    try {
      return Optional.of(FileStatus.of(image.sharing().file()))
          .filter(now -> image.sharing().isOf(image.size(), now));
    } catch (final PosixException nothingThere) {
      return Optional.empty();
    }
  }

  /** Removes the checkpoint's files that were in place. Called once the checkpoint is gone. */
  void removeInPlace() throws IOException {
    for (final Map.Entry<String, FileIdentity> name : inPlace.entrySet()) {
      ImageName.remove(name.getValue(), name.getKey());
    }
    removeDirectories(inPlace.keySet());
  }

  /**
   * Returns the names of an earlier run's files. The end of that run has removed the names, and
   * left directories.
   */
  private List<String> ofStored() {
    final List<String> names = new ArrayList<>();
    if (grouping.exists()) {
      stored.forEach(image -> names.add(FileName.resolve(capture.path(), image.path())));
    }
    return names;
  }

  private Map<String, FileIdentity> of(final List<Image> images, final List<FileStatus> files)
      throws IOException {
    final Map<ImageKey, Long> stored =
        files.stream().collect(groupingBy(CheckpointNames::key, counting()));
    final Map<String, FileIdentity> names = new HashMap<>();
    capture
        .names(images, stored)
        .forEach((name, image) -> names.put(name, image.held().identity()));
    images.forEach(image -> stored.remove(image.key()));
    if (!stored.isEmpty()) {
      names.putAll(ofEarlierRun(files, stored));
    }
    return names;
  }

  /**
   * Returns the names of files that this session has no images of, since a killed run left them.
   */
  private Map<String, FileIdentity> ofEarlierRun(
      final List<FileStatus> files, final Map<ImageKey, Long> stored) throws IOException {
    final Map<String, FileIdentity> names = new HashMap<>();
    final List<FileStatus> linked = new ArrayList<>();
    for (final FileStatus file : files) {
      if (file.links() > stored.getOrDefault(key(file), (long) file.links())) {
        linked.add(file);
      }
    }
    if (!linked.isEmpty()) {
      final Map<ImageKey, List<String>> all = capture.names();
      linked.forEach(
          file ->
              all.getOrDefault(key(file), List.of()).stream()
                  .filter(file.identity()::isAt)
                  .forEach(name -> names.put(name, file.identity())));
    }
    return names;
  }

  private static ImageKey key(final FileStatus file) {
    return new ImageKey(file.identity().device(), file.identity().inode());
  }

  /**
   * Returns whether a name is none by which a program keeps the file: it tells the number, or is
   * the one that the checkpoint has.
   */
  private boolean isOf(final String name) {
    final String path = capture.relative(name);
    return stored.stream().anyMatch(image -> image.path().equals(path))
        || grouping.exists() && tells(path);
  }

  private boolean tells(final String path) {
    return grouping.number(path).stream().anyMatch(named -> named == commit.number());
  }

  /**
   * Removes those of the checkpoint's own directories that are empty by now. A directory whose name
   * does not tell the checkpoint's number is the program's, which may be about to write the next
   * checkpoint there.
   */
  private void removeDirectories(final Collection<String> names) {
    names.stream()
        .filter(capture::contains) // an earlier run may have captured another directory
        .flatMap(name -> ownDirectories(capture.relative(name)))
        .distinct()
        .sorted(Comparator.reverseOrder()) // from below
        .forEach(directory -> removeIfEmpty(FileName.resolve(capture.path(), directory)));
  }

  private static void removeIfEmpty(final String directory) {
    try {
      Names.deleteDirectory(directory);
    } catch (final PosixException notEmpty) {
      return;
    }
  }

  /** Returns the directories above a path, up to the first one whose name tells the number. */
  private Stream<String> ownDirectories(final String path) {
    final int own = ownDirectory(path);
    return IntStream.iterate(
            path.lastIndexOf('/'), end -> end > own, end -> path.lastIndexOf('/', end - 1))
        .mapToObj(end -> path.substring(0, end));
  }

  /**
   * Returns the index at which the first directory name begins that tells the number; the length of
   * the path for none.
   */
  private int ownDirectory(final String path) {
    int begin = 0;
    for (int end = path.indexOf('/'); end >= 0; end = path.indexOf('/', begin)) {
      final boolean tells =
          DIGITS
              .matcher(path.substring(begin, end))
              .results()
              .map(digits -> digits.group().replaceFirst("^0+(?=.)", ""))
              .anyMatch(Long.toUnsignedString(commit.number())::equals);
      if (tells) {
        return begin;
      }
      begin = end + 1;
    }
    return path.length();
  }
}
