package org.sluice.core.process;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.sluice.core.libc.Errno;
import org.sluice.core.libc.LibC;
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
      final MemorySegment address = arena.allocate(ADDRESS_LENGTH, Long.BYTES);
      address.set(ValueLayout.JAVA_SHORT, 0, (short) LibC.AF_UNIX);
      final boolean fits = name.length < ADDRESS_LENGTH - PATH_OFFSET;
      if (fits) {
        MemorySegment.copy(name, 0, address, ValueLayout.JAVA_BYTE, PATH_OFFSET, name.length);
      }
      final long result =
          fits
              ? LibC.CONNECT.call(number, address.address(), address.byteSize())
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
  public boolean send(final MemorySegment packet, final AutoCloseable enclosed) {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment header = arena.allocate(HEADER_LENGTH, Long.BYTES);
      final MemorySegment vector = arena.allocate(2 * Long.BYTES, Long.BYTES);
      vector.set(ValueLayout.JAVA_LONG, 0, packet.address());
      vector.set(ValueLayout.JAVA_LONG, Long.BYTES, packet.byteSize());
      header.set(ValueLayout.JAVA_LONG, VECTOR_OFFSET, vector.address());
      header.set(ValueLayout.JAVA_LONG, VECTOR_OFFSET + Long.BYTES, 1);
      if (enclosed != null) {
        final MemorySegment control = arena.allocate(CONTROL_ROOM, Long.BYTES);
        control.set(ValueLayout.JAVA_LONG, 0, CONTROL_LENGTH);
        control.set(ValueLayout.JAVA_INT, Long.BYTES, LibC.SOL_SOCKET);
        control.set(ValueLayout.JAVA_INT, Long.BYTES + Integer.BYTES, LibC.SCM_RIGHTS);
        control.set(ValueLayout.JAVA_INT, 2 * Long.BYTES, numberOf(enclosed));
        header.set(ValueLayout.JAVA_LONG, CONTROL_OFFSET, control.address());
        header.set(ValueLayout.JAVA_LONG, CONTROL_OFFSET + Long.BYTES, CONTROL_ROOM);
      }
      final int flags = LibC.MSG_DONTWAIT | LibC.MSG_NOSIGNAL;
      return LibC.SENDMSG.call(number, header.address(), flags) >= 0;
    }
  }

  private static int numberOf(final AutoCloseable enclosed) {
    return switch (enclosed) {
      case final Descriptor descriptor -> descriptor.number;
      case final HeldInode file -> file.descriptor;
      default -> throw new IllegalArgumentException("no descriptor: " + enclosed);
    };
  }

  /** Waits for a packet; false when the other side has closed its end. */
  public boolean receive(final MemorySegment into) {
    return LibC.RECV.uninterrupted(number, into.address(), into.byteSize(), 0) > 0;
  }
}
