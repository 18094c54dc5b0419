package org.sluice.core.command;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.process.NativeProcess;

/**
 * The linking of calls that commands make, in a thread of its own, while the command line is set
 * up, which takes as long. Only the time of the first calls changes.
 */
final class Prelude {
  private Prelude() {}

  static void begin(final String command) {
    Thread.ofPlatform()
        .daemon()
        .name("link")
        .uncaughtExceptionHandler((thread, failure) -> leave())
        .start(() -> link(command));
  }

  /** Leaves a failure to the command's own call. */
  private static void leave() {}

  private static void link(final String command) {
    NativeProcess.user();
    if (command.equals("serve")) {
      openSocket();
      new UnsafeBuffer(new byte[Long.BYTES]).putBytes(0, new byte[1]);
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
