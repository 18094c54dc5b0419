package org.sluice.iop.outside;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.sluice.core.libc.NativeStruct;
import org.sluice.core.process.PacketSocket;

/**
 * The native process that answers the kernel, and the socket to it. The guard process survives a
 * stopped I/O process. A pipe tells it when the I/O process exits.
 */
final class GuardProcess implements AutoCloseable {
  private static final String READY = "ready";

  private final Process process;
  private final PacketSocket socket;

  GuardProcess(final GuardPlace place) throws IOException {
    process =
        new ProcessBuilder(
                place.program().toString(),
                place.socket().toString(),
                place.segment().toString(),
                place.store().toString(),
                Long.toString(ProcessHandle.current().pid()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      final String said =
          new BufferedReader(
                  new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))
              .readLine();
      if (!READY.equals(said)) {
        throw new IOException("it ended at once");
      }
      socket = new PacketSocket(place.socket());
    } catch (final IOException e) {
      kill();
      throw e;
    }
  }

  int pid() {
    return (int) process.pid();
  }

  /**
   * Returns whether a process is ready to run, so that only a lack of processors keeps it from
   * answering.
   */
  static boolean isStarved(final int pid) {
    try {
      final String status = Files.readString(Path.of("/proc/%d/stat".formatted(pid)));
      return status.startsWith(") R", status.lastIndexOf(')'));
    } catch (final IOException gone) {
      return false;
    }
  }

  /** Returns whether it was sent; a guard that takes none is of no use. Any thread. */
  boolean send(final GuardMessage message, final AutoCloseable enclosed) {
    try (Arena arena = Arena.ofConfined()) {
      final NativeStruct packet = new NativeStruct(arena, GuardMessage.LENGTH);
      message.write(packet);
      return socket.send(packet, enclosed);
    }
  }

  /**
   * Receives the guard process's messages until it ends.
   *
   * @param ended action at the end; both run on a thread of their own
   */
  void listen(final Consumer<GuardMessage> taker, final Runnable ended) {
    Thread.ofPlatform()
        .daemon()
        .name("guard")
        .start(
            () -> {
              try (Arena arena = Arena.ofConfined()) {
                final NativeStruct packet = new NativeStruct(arena, GuardMessage.LENGTH);
                while (socket.receive(packet)) {
                  taker.accept(GuardMessage.read(packet));
                }
              }
              ended.run();
              socket.close();
            });
  }

  /** Kills the guard process; the kernel then lets all waiting programs go on. */
  void kill() {
    process.destroyForcibly();
  }

  @Override
  public void close() {
    kill();
    try {
      process.waitFor();
    } catch (final InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
