package org.sluice.iop.image;

import java.util.regex.Pattern;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileIdentity;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.FileType;
import org.sluice.core.posix.Names;
import org.sluice.iop.measure.Warnings;

/**
 * The removal of names of images, which programs may give to other files meanwhile. Any thread.
 *
 * <p>A temporary name that Sluice gives says nothing about the file: it is in no group.
 */
public final class ImageName {
  private static final String ASIDE = ".sluice-removed-%016x";
  private static final Pattern OURS = Pattern.compile("\\.sluice-(removed-)?[0-9a-f]{16}");

  private ImageName() {}

  /**
   * Takes a name from an image. A program may give it to another file at any moment, and the kernel
   * removes names whatever they stand for. So the name is moved aside first, and given back if it
   * is another file's by then.
   *
   * @param name a name that it had a moment ago
   */
  public static void remove(final FileIdentity image, final String name) throws PosixException {
    final String aside = aside(image, name);
    try {
      Names.rename(name, aside);
    } catch (final PosixException e) {
      e.throwUnless(Errno.ENOENT); // the program removed the name
      return;
    }
    end(image, aside, name);
  }

  private static String aside(final FileIdentity image, final String name) {
    return FileName.sibling(name, ASIDE.formatted(image.inode()));
  }

  private static void end(final FileIdentity image, final String aside, final String name)
      throws PosixException {
    if (!image.isAt(aside)) {
      giveBack(aside, name);
      return;
    }
    try {
      Fault.at(FaultPoint.NAME_REMOVE, "delete " + aside, () -> Names.delete(aside));
    } catch (final PosixException e) {
      Names.renameToNew(aside, name);
      throw e;
    }
  }

  /** Ends a {@link #remove} in which the I/O process was killed. */
  public static void finish(final FileIdentity image, final String name) throws PosixException {
    final String aside = aside(image, name);
    if (Names.exists(aside)) {
      end(image, aside, name);
    }
  }

  /**
   * Returns whether Sluice gave a file this name for a moment: to remove it, or before it gets its
   * own name.
   */
  public static boolean isOurs(final String path) {
    final String name = path.substring(path.lastIndexOf('/') + 1);
    return name.startsWith(".") && OURS.matcher(name).matches();
  }

  /** Gives a name back, never in place of another file: a link, unlike a rename, fails then. */
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
