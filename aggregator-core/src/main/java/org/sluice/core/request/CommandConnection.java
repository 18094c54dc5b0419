package org.sluice.core.request;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.libc.Errno;

/** A command's socket to an I/O process, for requests without an attach. Not thread-safe. */
public final class CommandConnection implements AutoCloseable {
  private final Path socket;
  private final SocketChannel channel;
  private final ByteBuffer bytes = ByteBuffer.allocateDirect(RequestDescriptor.MAX_LENGTH);
  private final UnsafeBuffer view = new UnsafeBuffer(bytes);

  private CommandConnection(final Path socket, final SocketChannel channel) {
    this.socket = socket;
    this.channel = channel;
  }

  public static CommandConnection open(final Path socket) throws IOException {
    final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.connect(UnixDomainSocketAddress.of(socket));
      return new CommandConnection(socket, channel);
    } catch (final IOException e) {
      channel.close();
      throw new IOException(
          "no I/O process answers: %s (%s); start one".formatted(socket, e.getMessage()), e);
    }
  }

  /**
   * Sends a request and waits for the reply.
   *
   * @throws IOException when the I/O process refused, is gone, or talks nonsense
   */
  public Reply call(final Request request) throws IOException {
    final Reply reply = Reply.decode(request, view, 0, exchange(request));
    if (reply instanceof Reply.Failed failed) {
      final String error = Errno.describe(failed.errno());
      throw new IOException(
          failed.message().contains(error)
              ? failed.message()
              : "%s: %s".formatted(failed.message(), error));
    }
    return reply;
  }

  private int exchange(final Request request) throws IOException {
    try {
      bytes.clear().limit(request.encode(view, 0));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      bytes.clear();
      while (Frames.length(view, 0, bytes.position()) == 0) {
        if (channel.read(bytes) < 0) {
          throw new EOFException("it has closed the connection");
        }
      }
      return Frames.length(view, 0, bytes.position());
    } catch (final IOException e) {
      throw new IOException(
          "the I/O process is gone: %s (%s)".formatted(socket, e.getMessage()), e);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
