package org.sluice.iop.checkpoint;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.sluice.core.posix.FileIdentity;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.PosixException;
import org.sluice.core.store.Commit;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageName;

/**
 * The names that files of a checkpoint have in the capture directory, as that is removed. Last
 * stage.
 */
final class CheckpointNames {
  private static final Pattern DIGITS = Pattern.compile("[0-9]+");

  private final Context context;
  private final Commit commit;

  CheckpointNames(final Context context, final Commit commit) {
    this.context = context;
    this.commit = commit;
  }

  /**
   * Takes all names from a checkpoint's files, or none: returns one that is none of the
   * checkpoint's. A program may rename them at the same time, so whichever has one still is looked
   * for again.
   *
   * @param images those of its images that this session has
   */
  Optional<String> remove(final List<Image> images) throws IOException {
    final List<FileStatus> files = context.store().imageFiles(commit);
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

  /** The end of an earlier run has taken its names away, and left directories. */
  private List<String> ofStored() throws IOException {
    final List<String> names = new ArrayList<>();
    if (context.hasGroups()) {
      context
          .store()
          .images(commit)
          .forEach(image -> names.add(FileName.resolve(context.capture().path(), image.path())));
    }
    return names;
  }

  private Map<String, FileIdentity> of(final List<Image> images, final List<FileStatus> files)
      throws IOException {
    final Map<ImageKey, Long> stored =
        files.stream().collect(groupingBy(CheckpointNames::key, counting()));
    final Map<String, FileIdentity> names = new HashMap<>();
    context
        .capture()
        .names(images, stored)
        .forEach((name, image) -> names.put(name, image.held().identity()));
    images.forEach(image -> stored.remove(image.key()));
    if (!stored.isEmpty()) {
      names.putAll(ofEarlierRun(files, stored));
    }
    return names;
  }

  /** Of files that this session has no images of: a run that was killed left them. */
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
      final Map<ImageKey, List<String>> all = context.capture().names();
      linked.forEach(
          file ->
              all.getOrDefault(key(file), List.of()).stream()
                  .filter(file.identity()::isAt)
                  .forEach(name -> names.put(name, file.identity())));
    }
    return names;
  }

  private static ImageKey key(final FileStatus file) {
    return new ImageKey(file.device(), file.inode());
  }

  private boolean isOf(final String name) {
    return context.hasGroups()
        && context.grouping().number(context.capture().relative(name)).stream()
            .anyMatch(named -> named == commit.number());
  }

  /**
   * Removes what directories of the checkpoint's own are empty by now. One whose name does not tell
   * the checkpoint's number is the program's, which may be about to write the next one there.
   */
  private void removeDirectories(final Collection<String> names) {
    for (final String name : names) {
      final String path = context.capture().relative(name);
      final int own = ownDirectory(path);
      for (int end = path.lastIndexOf('/'); end > own; end = path.lastIndexOf('/', end - 1)) {
        if (!isRemoved(FileName.resolve(context.capture().path(), path.substring(0, end)))) {
          break;
        }
      }
    }
  }

  private static boolean isRemoved(final String directory) {
    try {
      Names.deleteDirectory(directory);
      return true;
    } catch (final PosixException notEmpty) {
      return false;
    }
  }

  /** Where the name begins of the first directory that tells the number; behind all for none. */
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
