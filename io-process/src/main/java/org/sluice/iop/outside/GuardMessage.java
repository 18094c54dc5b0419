package org.sluice.iop.outside;

import org.sluice.core.libc.NativeStruct;

/**
 * A message between the guard process and the I/O process, as in guard/message.h.
 *
 * @param number number of the open, lease or watch; with {@link #GROUP} its mode
 * @param pid the process that opens a file, if by the shim; else 0
 * @param thread the thread that opens the file; 0 unknown
 * @param device device of the file, {@code major << 32 | minor}
 */
record GuardMessage(int type, int number, int pid, int thread, long device, long inode) {
  static final int GROUP = 1;
  static final int ALLOW = 2;
  static final int LEASE = 3;
  static final int DROP = 4;
  static final int PING = 5;
  static final int ASK = 16;
  static final int BROKEN = 17;
  static final int OPENED = 18;
  static final int LATE = 19;
  static final int PONG = 20;

  /** The mode of a {@link #GROUP} that asks before each open. */
  static final int FANOTIFY = 1;

  /** The mode of a {@link #GROUP} that tells after each open. */
  static final int INOTIFY = 2;

  /** The length of a message in bytes. */
  static final long LENGTH = 32;

  private static final int NUMBER = 4;
  private static final int PID = 8;
  private static final int THREAD = 12;
  private static final int DEVICE = 16;
  private static final int INODE = 24;

  GuardMessage(final int type, final int number) {
    this(type, number, 0, 0, 0, 0);
  }

  static GuardMessage read(final NativeStruct packet) {
    return new GuardMessage(
        packet.getInt(0),
        packet.getInt(NUMBER),
        packet.getInt(PID),
        packet.getInt(THREAD),
        packet.getLong(DEVICE),
        packet.getLong(INODE));
  }

  void write(final NativeStruct packet) {
    packet.putInt(0, type);
    packet.putInt(NUMBER, number);
    packet.putInt(PID, pid);
    packet.putInt(THREAD, thread);
    packet.putLong(DEVICE, device);
    packet.putLong(INODE, inode);
  }
}
