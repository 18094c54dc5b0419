package org.sluice.iop.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.iop.crash.InFlight;

class ConnectionTest {
  @TempDir private Path root;
  private Connection connection;

  /** Of a client that goes as soon as it has its reply: the service thread notices at once. */
  private final class Key extends SelectionKey {
    private final SocketChannel channel;
    private final Selector selector;
    private volatile boolean cancelled;

    Key(final SocketChannel channel, final Selector selector) {
      this.channel = channel;
      this.selector = selector;
    }

    @Override
    public SelectableChannel channel() {
      return channel;
    }

    @Override
    public Selector selector() {
      return selector;
    }

    @Override
    public boolean isValid() {
      final boolean valid = !cancelled;
      final Thread service = Thread.ofPlatform().start(connection::close);
      try {
        service.join(500);
      } catch (final InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return valid;
    }

    @Override
    public void cancel() {
      cancelled = true;
    }

    @Override
    public int interestOps() {
      if (cancelled) {
        throw new CancelledKeyException();
      }
      return 0;
    }

    @Override
    public SelectionKey interestOps(final int ops) {
      interestOps();
      return this;
    }

    @Override
    public int readyOps() {
      return 0;
    }
  }

  @Test
  void aClientThatGoesWhileItIsAnsweredIsNoFault() throws IOException {
    final UnixDomainSocketAddress address = UnixDomainSocketAddress.of(root.resolve("socket"));
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        Selector selector = Selector.open();
        InFlight inFlight = InFlight.open(root.resolve("inflight"), 1)) {
      server.bind(address);
      try (SocketChannel client = SocketChannel.open(address)) {
        final SocketChannel accepted = server.accept();
        connection = new Connection(accepted, new Key(accepted, selector), 1, inFlight);
        final ByteBuffer frame = ByteBuffer.allocate(RequestDescriptor.MAX_LENGTH);
        client.write(frame.limit(new Request.Stats().encode(new UnsafeBuffer(frame), 0)));
        connection.read((request, caller) -> caller.answer(new Reply.Done()));
        assertThat(client.read(frame.clear())).isPositive();
      }
    }
  }
}
