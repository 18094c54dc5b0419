package org.sluice.iop.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sluice.bridge.NativeLibraries;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.process.Fanotify;
import org.sluice.core.process.Inotify;
import org.sluice.iop.outside.OpenEvents;

/** By what means programs outside Sluice are seen, where a file lies. */
final class GuardChecks {
  private static final String SHORT =
      "a program outside Sluice may read too little, and what it appends may be lost, ";

  private final Section section;
  private final NativeFile file;

  /**
   * Begins.
   *
   * @param file a file that no other process has open
   */
  GuardChecks(final Section section, final NativeFile file) {
    this.section = section;
    this.file = file;
  }

  void make() throws IOException {
    final boolean leased = lease();
    try (OpenEvents events = OpenEvents.best()) {
      mark(events);
      guard(events, leased);
    } catch (final PosixException e) {
      section.no("fanotify", e.getMessage(), "");
      section.no("guard", "none: " + e.getMessage(), SHORT + "at any time");
    }
  }

  private boolean lease() {
    if (!file.lease((int) ProcessHandle.current().pid())) {
      section.no(
          "leases",
          "the file system grants none, or not to this user",
          "only as root (fanotify) closed files of the container layout are guarded");
      return false;
    }
    file.unlease();
    section.yes("leases", "a program that opens a closed file can be held up");
    return true;
  }

  /** As an image is marked. */
  private void mark(final OpenEvents events) throws PosixException {
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

  private void guard(final OpenEvents events, final boolean leased) throws PosixException {
    final Path program = NativeLibraries.guard();
    if (!Files.isExecutable(program)) {
      section.no("guard", program + " is missing", SHORT + "at any time; run scripts/build");
    } else if (events.asks() && file.isShared()) {
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
