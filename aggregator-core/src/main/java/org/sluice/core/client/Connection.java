package org.sluice.core.client;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.request.Frames;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;

/**
 * The socket to the I/O process. One request is under way at a time, first come, first served; what
 * needs no reply is sent even while another thread waits for one. Thread-safe.
 */
public final class Connection implements AutoCloseable {
  private final Path socket;
  private final SocketChannel channel;
  private final ReentrantLock turn = new ReentrantLock(true);
  private final ReentrantLock sending = new ReentrantLock();
  private final ByteBuffer out = ByteBuffer.allocateDirect(RequestDescriptor.MAX_LENGTH);
  private final ByteBuffer in = ByteBuffer.allocateDirect(RequestDescriptor.MAX_LENGTH);
  private final UnsafeBuffer outView = new UnsafeBuffer(out);
  private final UnsafeBuffer inView = new UnsafeBuffer(in);

  private Connection(final Path socket, final SocketChannel channel) {
    this.socket = socket;
    this.channel = channel;
  }

  /**
   * Connects to an I/O process. The first request decides what for; an attached process is a {@link
   * CheckpointClient}.
   *
   * @param socket the socket in its runtime directory
   * @return the connection
   * @throws IOException when nobody answers
   */
  public static Connection open(final Path socket) throws IOException {
    final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.connect(UnixDomainSocketAddress.of(socket));
      return new Connection(socket, channel);
    } catch (final IOException e) {
      channel.close();
      throw new IOException(
          "no I/O process answers: %s (%s); start one".formatted(socket, e.getMessage()), e);
    }
  }

  /**
   * Sends a request and waits for the reply.
   *
   * @param request one that has a reply
   * @return the reply, not a failure
   * @throws RequestFailedException when the I/O process refused
   * @throws IOException when it is gone or talks nonsense
   */
  public Reply call(final Request request) throws IOException {
    turn.lock();
    try {
      tell(request);
      final Reply reply = Reply.decode(request, inView, 0, receive());
      if (reply instanceof Reply.Failed failed) {
        throw new RequestFailedException(failed.errno(), failed.message());
      }
      return reply;
    } finally {
      turn.unlock();
    }
  }

  /**
   * Sends a request and does not wait.
   *
   * @param request the request
   * @throws IOException when the I/O process is gone
   */
  public void tell(final Request request) throws IOException {
    sending.lock();
    try {
      out.clear().limit(request.encode(outView, 0));
      while (out.hasRemaining()) {
        channel.write(out);
      }
    } catch (final IOException e) {
      throw gone(e);
    } finally {
      sending.unlock();
    }
  }

  private int receive() throws IOException {
    in.clear();
    int length = 0;
    while (length == 0) {
      readMore();
      length = Frames.length(inView, 0, in.position());
    }
    return length;
  }

  private void readMore() throws IOException {
    try {
      if (channel.read(in) < 0) {
        throw new EOFException();
      }
    } catch (final IOException e) {
      throw gone(e);
    }
  }

  private IOException gone(final IOException cause) {
    return new IOException("the I/O process is gone: " + socket, cause);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
