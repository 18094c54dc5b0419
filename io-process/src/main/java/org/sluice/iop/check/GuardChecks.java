package org.sluice.iop.check;

import java.nio.file.Files;
import java.nio.file.Path;
import org.sluice.bridge.NativeLibraries;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.process.Fanotify;
import org.sluice.core.process.Inotify;
import org.sluice.iop.outside.OpenEvents;

/** The checks of the means by which programs outside Sluice are seen, at the place of a file. */
final class GuardChecks {
  private static final String SHORT =
      "a program outside Sluice may read too little, and what it appends may be lost, ";

  private GuardChecks() {}

  /**
   * Leases and marks a file as an image is.
   *
   * @param file a file that no other process has open
   */
  static void make(final Section section, final NativeFile file) {
    final boolean leased = file.lease((int) ProcessHandle.current().pid());
    if (leased) {
      file.unlease();
      section.yes("leases", "a program that opens a closed file can be held up");
    } else {
      section.no(
          "leases",
          "the file system grants none, or not to this user",
          "only as root (fanotify) closed files of the container layout are guarded");
    }
    try (OpenEvents events = OpenEvents.best()) {
      mark(section, file, events);
      guard(section, events, file.isShared(), leased);
    } catch (final PosixException e) {
      section.no("fanotify", e.getMessage(), "");
      section.no("guard", "none: " + e.getMessage(), SHORT + "at any time");
    }
  }

  private static void mark(final Section section, final NativeFile file, final OpenEvents events)
      throws PosixException {
    if (events.group() instanceof final Fanotify asking) {
      asking.mark(file);
      asking.unmark(file);
      section.yes("fanotify", "a program waits for permission to open a file");
    } else if (events.group() instanceof final Inotify telling) {
      telling.unwatch(telling.watch(file));
      section.no(
          "fanotify",
          "it is not permitted",
          "start the I/O process as root for it, or with CAP_SYS_ADMIN");
    }
  }

  private static void guard(
      final Section section, final OpenEvents events, final boolean shared, final boolean leased) {
    final Path program = NativeLibraries.guard();
    if (!Files.isExecutable(program)) {
      section.no("guard", program + " is missing", SHORT + "at any time; run scripts/build");
    } else if (events.asks() && shared) {
      section.limited(
          "guard",
          events.means(),
          "programs of other nodes are not held up, and read what is on storage so far");
    } else if (events.asks()) {
      section.yes("guard", events.means());
    } else if (leased) {
      section.limited(
          "guard",
          events.means(),
          SHORT + "while a program under Sluice has the file open, or within 100 ms of its close");
    } else {
      section.limited(
          "guard",
          "inotify: neither fanotify nor leases",
          SHORT + "at any time in the container layout; take --layout files, or start as root");
    }
  }
}
