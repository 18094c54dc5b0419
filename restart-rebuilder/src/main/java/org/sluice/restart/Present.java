package org.sluice.restart;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.FileType;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.process.ParallelReading;
import org.sluice.core.store.model.Commit;
import org.sluice.core.store.model.CommittedImage;
import org.sluice.core.store.model.ImageComparison;
import org.sluice.core.store.model.Rebuilder;
import org.sluice.core.store.node.CheckpointReader;

/** The images that already are at the target of a restore, with their bytes and modes. */
final class Present {
  private static final int PERMISSIONS = 0777;

  private final String directory;

  /** The paths of images that are missing or differ; the field below has their files. */
  private final Set<String> lackingPaths = ConcurrentHashMap.newKeySet();

  private final Set<Integer> lackingFiles = ConcurrentHashMap.newKeySet();

  private Present(final String directory) {
    this.directory = directory;
  }

  /** Returns the images to restore. Names of one file, and ranks with one path, stay together. */
  static List<CommittedImage> lacking(
      final CheckpointReader store,
      final Commit commit,
      final List<CommittedImage> images,
      final String target)
      throws IOException {
    final Present present = new Present(Names.absolute(target));
    new ParallelReading<>(
            several -> store.rebuilder(commit, several),
            images,
            ParallelReading.MOST,
            present::look)
        .run();
    return images.stream().filter(present::lacks).toList();
  }

  private boolean lacks(final CommittedImage image) {
    return lackingPaths.contains(image.path()) || lackingFiles.contains(image.imageId());
  }

  private void look(final Rebuilder rebuilder, final CommittedImage image) throws IOException {
    if (!isWhole(rebuilder, image)) {
      lackingPaths.add(image.path());
      lackingFiles.add(image.imageId());
    }
  }

  private boolean isWhole(final Rebuilder rebuilder, final CommittedImage image)
      throws IOException {
    final String path = FileName.resolve(directory, image.path());
    if (!looksWhole(path, image)) {
      return false;
    }
    try (NativeFile file = NativeFile.open(path, Flag.NO_FOLLOW, Flag.NO_WAIT)) {
      return ImageComparison.isWhole(rebuilder, image, file);
    }
  }

  private static boolean looksWhole(final String path, final CommittedImage image) {
    try {
      final FileStatus status = FileStatus.of(path);
      return status.type() == FileType.REGULAR
          && status.size() == image.size()
          && (status.mode() & PERMISSIONS) == (image.attributes().mode() & PERMISSIONS);
    } catch (final PosixException nothingThere) {
      return false;
    }
  }
}
