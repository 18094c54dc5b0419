package org.sluice.core.client;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * A socket that an interrupt of the thread which waits for it does not close: to the I/O process a
 * closed socket is the end of its client. The thread finds itself interrupted afterwards. One
 * thread may read while another writes.
 */
final class SteadyChannel implements AutoCloseable {
  private final SocketChannel channel;

  private SteadyChannel(final SocketChannel channel) {
    this.channel = channel;
  }

  /**
   * Connects.
   *
   * @param socket the path of a socket
   * @return the connected channel
   * @throws IOException when nobody listens
   */
  static SteadyChannel connect(final Path socket) throws IOException {
    final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.connect(UnixDomainSocketAddress.of(socket));
      channel.configureBlocking(false); // only a call that blocks lets an interrupt close it
      return new SteadyChannel(channel);
    } catch (final IOException e) {
      channel.close();
      throw e;
    }
  }

  /** Writes all of it. */
  void write(final ByteBuffer bytes) throws IOException {
    channel.write(bytes);
    while (bytes.hasRemaining()) {
      await(SelectionKey.OP_WRITE);
      channel.write(bytes);
    }
  }

  /** Reads at least a byte. */
  void read(final ByteBuffer bytes) throws IOException {
    int count = channel.read(bytes);
    while (count == 0) {
      await(SelectionKey.OP_READ);
      count = channel.read(bytes);
    }
    if (count < 0) {
      throw new EOFException();
    }
  }

  private void await(final int operation) throws IOException {
    boolean interrupted = false;
    try (Selector selector = Selector.open()) {
      channel.register(selector, operation);
      while (selector.select() == 0) {
        interrupted |= Thread.interrupted();
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Whoever waits to read or write is told that the other end is gone. */
  @Override
  public void close() throws IOException {
    if (channel.isOpen()) {
      channel.shutdownInput();
      channel.shutdownOutput();
    }
    channel.close();
  }
}
