package org.sluice.core.process;

import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.NativeStruct;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.Descriptor;
import org.sluice.core.posix.HeldInode;

/** A Unix-domain socket for packets, which can send descriptors to another process. Any thread. */
public final class PacketSocket extends Descriptor {
  private static final int ADDRESS_LENGTH = 110;
  private static final int PATH_OFFSET = 2;
  private static final int HEADER_LENGTH = 56;
  private static final int VECTOR_OFFSET = 16;
  private static final int CONTROL_OFFSET = 32;
  private static final int CONTROL_LENGTH = 20;
  private static final int CONTROL_ROOM = 24;

  public PacketSocket(final Path path) throws PosixException {
    super(
        "make a socket",
        LibC.SOCKET.call(LibC.AF_UNIX, LibC.SOCK_SEQPACKET | LibC.SOCK_CLOEXEC, 0));
    try (Arena arena = Arena.ofConfined()) {
      final byte[] name = path.toString().getBytes(StandardCharsets.UTF_8);
      final NativeStruct address = new NativeStruct(arena, ADDRESS_LENGTH);
      address.putShort(0, (short) LibC.AF_UNIX);
      final boolean fits = name.length < ADDRESS_LENGTH - PATH_OFFSET;
      if (fits) {
        address.putBytes(PATH_OFFSET, name);
      }
      final long result =
          fits
              ? LibC.CONNECT.call(number, address.address(), address.length())
              : -Errno.ENAMETOOLONG;
      if (result < 0) {
        close();
        throw new PosixException("connect to " + path, (int) -result);
      }
    }
  }

  /**
   * Sends a packet, unless the other side leaves too many unread.
   *
   * @param enclosed a descriptor that the other process gets a copy of; null for none
   * @return false when it was not sent
   */
  public boolean send(final NativeStruct packet, final AutoCloseable enclosed) {
    try (Arena arena = Arena.ofConfined()) {
      final NativeStruct header = new NativeStruct(arena, HEADER_LENGTH);
      final NativeStruct vector = new NativeStruct(arena, 2 * Long.BYTES);
      vector.putLong(0, packet.address());
      vector.putLong(Long.BYTES, packet.length());
      header.putLong(VECTOR_OFFSET, vector.address());
      header.putLong(VECTOR_OFFSET + Long.BYTES, 1);
      if (enclosed != null) {
        final NativeStruct control = new NativeStruct(arena, CONTROL_ROOM);
        control.putLong(0, CONTROL_LENGTH);
        control.putInt(Long.BYTES, LibC.SOL_SOCKET);
        control.putInt(Long.BYTES + Integer.BYTES, LibC.SCM_RIGHTS);
        control.putInt(2 * Long.BYTES, numberOf(enclosed));
        header.putLong(CONTROL_OFFSET, control.address());
        header.putLong(CONTROL_OFFSET + Long.BYTES, CONTROL_ROOM);
      }
      final int flags = LibC.MSG_DONTWAIT | LibC.MSG_NOSIGNAL;
      return LibC.SENDMSG.call(number, header.address(), flags) >= 0;
    }
  }

  private static int numberOf(final AutoCloseable enclosed) {
    if (enclosed instanceof final Descriptor descriptor) {
      return descriptor.number;
    }
    return ((HeldInode) enclosed).descriptor;
  }

  /** Waits for a packet; false when the other side has closed its end. */
  public boolean receive(final NativeStruct into) {
    return LibC.RECV.uninterrupted(number, into.address(), into.length(), 0) > 0;
  }
}
