package org.sluice.iop.check;

import java.io.IOException;
import java.nio.file.Path;
import org.sluice.core.command.ExitStatus;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileName;
import org.sluice.core.posix.Names;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.NativeFile.Flag;
import org.sluice.core.store.directory.StorePlace;

/** What a capture directory offers. */
final class CaptureChecks {
  private final Section section;
  private final String capture;
  private final Path store;
  private final long buffer;

  /**
   * Begins.
   *
   * @param capture the directory, see {@link FileName}
   * @param store the place of the store; null when nothing is said of it
   * @param buffer bytes of a full buffer
   */
  CaptureChecks(final Section section, final String capture, final Path store, final long buffer) {
    this.section = section;
    this.capture = capture;
    this.store = store;
    this.buffer = buffer;
  }

  void make() throws IOException {
    final boolean exists = Names.exists(capture);
    final String place = Names.real(exists ? capture : above(capture));
    if (exists
        && store != null
        && Names.exists(store.toString())
        && FileName.isWithin(place, Names.real(store.toString()))) {
      section.stop(
          "place",
          ExitStatus.USAGE,
          "it lies in the store, where nothing is captured",
          "name a directory outside");
      return;
    }
    try (NativeFile directory = NativeFile.open(place, Flag.DIRECTORY)) {
      section.yes("place", exists ? "a directory" : "a session makes the directory");
      otherNodes(directory);
      new PlaceChecks(section).room(directory, buffer);
      tryOut(FileName.resolve(place, TrialDirectory.name()));
    }
  }

  /** The directory in which a path would be made. */
  private static String above(final String path) {
    final String name = path.replaceAll("/+$", "");
    final int slash = name.lastIndexOf('/');
    return slash < 0 ? "." : slash == 0 ? "/" : name.substring(0, slash);
  }

  private void otherNodes(final NativeFile directory) throws IOException {
    final String mounted = PlaceChecks.mounted(directory);
    if (directory.isShared()) {
      section.yes(
          "other_nodes",
          mounted
              + " may be mounted by others: in a job on several nodes only files are logged whose --group has a"
              + " (?<rank>\\d+)");
    } else {
      section.no("other_nodes", mounted + " is this node's alone", "every file can be logged");
    }
  }

  /** The file has no name but for a moment, so that no program opens it. */
  private void tryOut(final String path) throws IOException {
    try (NativeFile file = NativeFile.open(path, Flag.WRITE, Flag.CREATE, Flag.EXCLUSIVE)) {
      section.yes("writable", "a file can be made");
      try {
        storeLinks(file);
      } finally {
        Names.delete(path);
      }
      final PlaceChecks checks = new PlaceChecks(section);
      checks.holes(file);
      checks.birthTime(file);
      new GuardChecks(section, file).make();
    } catch (final PosixException e) {
      section.stop(
          "writable", ExitStatus.of(e), e.getMessage(), "give a --capture that you may write");
    }
  }

  /** As a commit links files into the store. */
  private void storeLinks(final NativeFile file) throws IOException {
    if (store == null) {
      return;
    }
    final Path link;
    try {
      link = StorePlace.look(store).directory().resolve(TrialDirectory.name());
    } catch (final IOException saidOfTheStore) {
      return;
    }
    final int errno = TrialDirectory.errno(() -> file.linkTo(link));
    Names.delete(link.toString());
    if (errno == 0) {
      section.yes("store_links", "a commit links files into the store");
    } else {
      section.limited(
          "store_links",
          "no link into the store: " + Errno.describe(errno),
          "a commit copies files, and closed ones count as open; put store and capture directory below one mount");
    }
  }
}
