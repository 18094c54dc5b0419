package org.sluice.iop.image;

import org.sluice.core.posix.Errno;
import org.sluice.core.posix.FileIdentity;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.FileType;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.PosixException;
import org.sluice.iop.measure.Warnings;

/** Removes names of images, which programs may give to other files meanwhile. Any thread. */
public final class ImageName {
  private ImageName() {}

  /**
   * Takes a name from an image. A program may give it to another file at any moment, and the kernel
   * removes names whatever they stand for. So the name is moved aside first, and given back if it
   * is another file's by then.
   *
   * @param image what tells the image's file from all others
   * @param name a name that it had a moment ago
   * @throws PosixException when that fails
   */
  public static void remove(final FileIdentity image, final String name) throws PosixException {
    final String aside = FileName.sibling(name, ".sluice-removed-%016x".formatted(image.inode()));
    try {
      Names.rename(name, aside);
    } catch (final PosixException e) {
      e.throwUnless(Errno.ENOENT); // removed by the program
      return;
    }
    if (image.isAt(aside)) {
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
}
