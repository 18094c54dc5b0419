package org.sluice.core.posix;

import java.lang.foreign.Arena;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.NativeStruct;
import org.sluice.core.libc.PosixException;

/**
 * The maker of descriptors whose writes and close are hidden from watchers. For the reader of an
 * event of fanotify, the kernel makes such a descriptor of the event's file. So this process marks
 * the file, opens it to read, and reads that event. Thread-safe.
 */
final class QuietOpener extends Descriptor {
  private static final int EVENTS_LENGTH = 4096;
  private static final int EVENT_FD = 16; // in struct fanotify_event_metadata
  private static final int NO_DESCRIPTOR = -1;

  /** The only opener; null where the kernel refuses such events to this process. */
  private static final QuietOpener ONLY = make();

  private QuietOpener() throws PosixException {
    super(
        "ask the kernel to tell of opens",
        LibC.FANOTIFY_INIT.call(
            LibC.FAN_CLOEXEC
                | LibC.FAN_NONBLOCK
                | LibC.FAN_UNLIMITED_QUEUE
                | LibC.FAN_UNLIMITED_MARKS,
            LibC.O_RDWR | LibC.O_NONBLOCK | LibC.O_CLOEXEC));
  }

  private static QuietOpener make() {
    try {
      return new QuietOpener();
    } catch (final PosixException notAllowed) {
      return null;
    }
  }

  /** The opener; null for none. */
  static QuietOpener get() {
    return ONLY;
  }

  /** Replaces a file's descriptor by a quiet one. False when there is none to be had. */
  synchronized boolean reopen(final HeldInode file) throws PosixException {
    final int quiet = open(file);
    final boolean done = quiet >= 0 && LibC.DUP3.call(quiet, file.descriptor, LibC.O_CLOEXEC) >= 0;
    close(quiet);
    return done;
  }

  private int open(final HeldInode file) throws PosixException {
    if (LibC.FANOTIFY_MARK.call(number, LibC.FAN_MARK_ADD, LibC.FAN_OPEN, file.descriptor) < 0) {
      return NO_DESCRIPTOR;
    }
    try (Arena arena = Arena.ofConfined()) {
      final long path = FileName.inC(arena, file.procPath());
      final int flags = LibC.O_NONBLOCK | LibC.O_CLOEXEC;
      final int opened = (int) LibC.OPENAT.uninterrupted(LibC.AT_FDCWD, path, flags, 0);
      final int quiet = take(new NativeStruct(arena, EVENTS_LENGTH));
      close(opened < 0 ? quiet : opened);
      return opened < 0 ? NO_DESCRIPTOR : quiet;
    } finally {
      LibC.FANOTIFY_MARK.call(number, LibC.FAN_MARK_REMOVE, LibC.FAN_OPEN, file.descriptor);
    }
  }

  /**
   * Takes the descriptor of the last event, which is of that file if it was opened. Other processes
   * may have opened it, too, and a former file before its mark was removed.
   */
  private int take(final NativeStruct events) {
    int taken = NO_DESCRIPTOR;
    for (long length; (length = LibC.READ.call(number, events.address(), EVENTS_LENGTH)) > 0; ) {
      for (int at = 0; at < length; at += events.getInt(at)) {
        final int descriptor = events.getInt(at + EVENT_FD);
        close(taken);
        taken = descriptor;
      }
    }
    return taken;
  }

  private static void close(final int descriptor) {
    if (descriptor >= 0) {
      LibC.CLOSE.call(descriptor);
    }
  }
}
