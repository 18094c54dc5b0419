package org.sluice.core.process;

import java.lang.foreign.Arena;
import java.lang.reflect.Method;
import java.nio.channels.SocketChannel;
import org.sluice.core.libc.LibC;
import org.sluice.core.libc.NativeStruct;
import org.sluice.core.libc.PosixException;

/**
 * The process at the other end of a Unix-domain socket. The JDK tells its user by name, which it
 * looks up in the user database: files for each client, or a server on the network.
 */
public final class SocketPeer {
  private static final int SOL_SOCKET = 1;
  private static final int SO_PEERCRED = 17;

  /** Three integers: process, user and group ({@code struct ucred}). */
  private static final int LENGTH = 12;

  private static final int USER_OFFSET = 4;
  private static final Method DESCRIPTOR = descriptorMethod();

  private SocketPeer() {}

  private static Method descriptorMethod() {
    try {
      return Class.forName("sun.nio.ch.SelChImpl").getMethod("getFDVal");
    } catch (final ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Returns the number of the user as whom the process connected. */
  public static int user(final SocketChannel socket) throws PosixException {
    try (Arena arena = Arena.ofConfined()) {
      final NativeStruct credentials = new NativeStruct(arena, LENGTH);
      final NativeStruct length = new NativeStruct(arena, Integer.BYTES).putInt(0, LENGTH);
      LibC.check(
          LibC.SYSCALL.call(
              LibC.SYS_GETSOCKOPT,
              (int) DESCRIPTOR.invoke(socket),
              SOL_SOCKET,
              SO_PEERCRED,
              credentials.address(),
              length.address()),
          "ask for the user of a client");
      return credentials.getInt(USER_OFFSET);
    } catch (final ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
