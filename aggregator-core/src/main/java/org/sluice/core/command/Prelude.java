package org.sluice.core.command;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import net.openhft.chronicle.bytes.Bytes;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.process.NativeProcess;

/**
 * The linking of calls that commands make, in a thread of its own, while the command line is set
 * up, which takes as long. Only the time of the first calls changes.
 */
final class Prelude {
  private Prelude() {}

  static void begin(final String command) {
    begin("link system", () -> linkSystem(command));
    begin("link libraries", () -> linkLibraries(command));
  }

  private static void begin(final String name, final Runnable linking) {
    Thread.ofPlatform()
        .daemon()
        .name(name)
        .uncaughtExceptionHandler((thread, failure) -> leave())
        .start(linking);
  }

  /**
   * Leaves a failure to the command's own call. In a JVM that has begun to end, as after a wrong
   * option, Chronicle cannot be linked, and nobody calls it.
   */
  private static void leave() {}

  private static void linkSystem(final String command) {
    NativeProcess.user();
    if (command.equals("serve")) {
      openSocket();
    }
  }

  private static void linkLibraries(final String command) {
    if (command.equals("serve")) {
      new UnsafeBuffer(new byte[Long.BYTES]).putBytes(0, new byte[1]);
      Bytes.allocateDirect(1).releaseLast();
    }
  }

  private static void openSocket() {
    try {
      ServerSocketChannel.open(StandardProtocolFamily.UNIX).close();
    } catch (final IOException e) {
      return; // the command opens one, too, and says what is wrong
    }
  }
}
