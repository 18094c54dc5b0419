package org.sluice.iop.session;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileIdentity;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.Reopening;
import org.sluice.iop.journal.Entry;

/**
 * The search for the files of images that a killed I/O process had open. Programs go on renaming,
 * replacing and deleting them meanwhile. For a single thread.
 */
public final class ImageFiles {
  private static final int MOST_LOOKS = 10;

  /**
   * A walk that returns all names of all files in the capture directory, as {@link
   * CaptureDirectory#names} does.
   */
  @FunctionalInterface
  public interface Walk {
    Map<ImageKey, List<String>> names() throws PosixException;
  }

  private final Walk capture;
  private final IntFunction<Path> links;
  private Map<ImageKey, List<String>> names;

  /**
   * The number of searches for files without a name. A search costs a walk through the capture
   * directory, and most such files were deleted.
   */
  private int looksForNameless = 4;

  public ImageFiles(final Walk capture, final IntFunction<Path> links) {
    this.capture = capture;
    this.links = links;
  }

  /**
   * Opens a captured file by the name it had, through a process that has it open, or by a name it
   * has now.
   *
   * @return empty when no name and no descriptor leads to it any more
   * @throws IOException when one does, or may do, but it cannot be opened
   */
  public Optional<NativeFile> find(
      final Entry.Admitted image, final Collection<ProcessIdentity> openers) throws IOException {
    Optional<NativeFile> file = open(image.path(), image);
    IOException unseen = null;
    for (final ProcessIdentity opener : openers) {
      try {
        file = file.isPresent() ? file : openAsOpenedBy(opener, image);
      } catch (final IOException e) {
        unseen = opener.isAlive() ? e : unseen;
      }
    }
    file = file.isPresent() ? file : findByName(image);
    file = file.isPresent() ? file : open(links.apply(image.image()).toString(), image);
    if (file.isEmpty() && unseen != null) {
      throw unseen;
    }
    return file;
  }

  /** Opens a file that only I/O processes rename or delete. */
  public NativeFile get(final Entry.Admitted image) throws IOException {
    return open(image.path(), image)
        .orElseThrow(() -> new IOException("there is no " + image.path() + " any more"));
  }

  /**
   * Finds a file by its present name. A name may be old, and a file may have been in no directory
   * at the moment it was read.
   */
  private Optional<NativeFile> findByName(final Entry.Admitted image) throws IOException {
    final ImageKey key = key(image);
    for (int look = 0; look < MOST_LOOKS; look++) {
      if (names == null || look > 0) {
        names = capture.names();
      }
      final List<String> its = names.getOrDefault(key, List.of());
      for (final String name : its) {
        final Optional<NativeFile> file = open(name, image);
        if (file.isPresent()) {
          return file;
        }
      }
      if (its.isEmpty() ? looksForNameless-- <= 0 : its.stream().anyMatch(key::isAt)) {
        break;
      }
    }
    return Optional.empty();
  }

  private static ImageKey key(final Entry.Admitted image) {
    return new ImageKey(image.device(), image.inode());
  }

  private static FileIdentity identity(final Entry.Admitted image) {
    return new FileIdentity(image.device(), image.inode(), image.born());
  }

  /** Opens a path; empty when it leads to nothing, or to something else. */
  private static Optional<NativeFile> open(final String path, final Entry.Admitted image)
      throws IOException {
    try {
      final NativeFile file = Reopening.forWriting(path, identity(image));
      if (isOf(file, image)) {
        return Optional.of(file);
      }
      file.close();
    } catch (final PosixException e) {
      if (leadsTo(path, image)) {
        throw e;
      }
    }
    return Optional.empty();
  }

  /**
   * Returns whether a file is the image's. Nobody held the file meanwhile, so that another one may
   * have its inode number.
   */
  private static boolean isOf(final NativeFile file, final Entry.Admitted image) {
    return file.identity().equals(identity(image));
  }

  private static boolean leadsTo(final String path, final Entry.Admitted image) {
    try {
      return ImageKey.behind(path).equals(key(image));
    } catch (final IOException nothingThere) {
      return false;
    }
  }

  /**
   * Opens a file through a descriptor of a process that has it open, whatever became of its name.
   */
  private static Optional<NativeFile> openAsOpenedBy(
      final ProcessIdentity opener, final Entry.Admitted image) throws IOException {
    final Path descriptors = Path.of("/proc/%d/fd".formatted(opener.pid()));
    for (final Path descriptor : Names.in(descriptors)) {
      if (leadsTo(descriptor.toString(), image)) {
        final Optional<NativeFile> file = open(descriptor.toString(), image);
        if (file.isPresent()) {
          return file;
        }
      }
    }
    return Optional.empty();
  }
}
