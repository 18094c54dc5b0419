package org.sluice.iop.service;

import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.Errno;
import org.sluice.core.request.Frames;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.iop.crash.InFlight;
import org.sluice.iop.drain.Caller;

/**
 * The socket of one client. The service thread reads requests; any thread answers, and never waits
 * for a client that does not read. Bytes that the socket does not take are kept until it is
 * writable. They are one reply at most, since a client that asks again before it has the last reply
 * is cut off.
 */
public final class Connection {
  private static final int INITIAL_LENGTH = 4096;

  private final SocketChannel channel;
  private final SelectionKey key;
  private final long ordinal;
  private final InFlight inFlight;
  private final Queue<ByteBuffer> unsent = new ArrayDeque<>();
  private ByteBuffer received = ByteBuffer.allocate(INITIAL_LENGTH);
  private Attachment attachment;
  private boolean member;

  /** True while a request has not been answered in full. Guarded by this. */
  private boolean underWay;

  public Connection(
      final SocketChannel channel,
      final SelectionKey key,
      final long ordinal,
      final InFlight inFlight) {
    this.inFlight = inFlight;
    this.channel = channel;
    this.key = key;
    this.ordinal = ordinal;
  }

  /** Returns the number of clients that connected up to this one. */
  public long ordinal() {
    return ordinal;
  }

  /** Returns the slot this client took; null before it attached. */
  public Attachment attachment() {
    return attachment;
  }

  void attached(final Attachment slot) {
    attachment = slot;
  }

  /** Returns whether nothing is lost with this client. */
  public boolean isPassing() {
    return attachment == null && !member;
  }

  boolean isMember() {
    return member;
  }

  void member(final boolean joined) {
    member = joined;
  }

  /**
   * Reads the bytes that are there and passes on the complete requests.
   *
   * @param receiver receiver that answers each request with a reply exactly once
   * @return false at the end of the stream
   */
  public boolean read(final BiConsumer<Request, Caller> receiver) throws IOException {
    final int count = channel.read(received);
    final UnsafeBuffer frames = new UnsafeBuffer(received);
    int position = 0;
    int length;
    while ((length = Frames.length(frames, position, received.position() - position)) > 0) {
      final Request request = Request.decode(frames, position, length);
      receiver.accept(request, begin(request));
      position += length;
    }
    received.flip().position(position);
    received.compact();
    if (!received.hasRemaining()) {
      received.flip();
      received = ByteBuffer.allocate(RequestDescriptor.MAX_LENGTH).put(received);
    }
    return count >= 0;
  }

  private synchronized Caller begin(final Request request) throws ProtocolException {
    if (!request.hasReply()) {
      return this::answerNobody;
    }
    if (underWay) {
      throw new ProtocolException("a request came before the reply to the last one was read");
    }
    underWay = true;
    return new Answer(attachment != null);
  }

  private void answerNobody(final Reply refusal) {
    refuse(refusal.toString());
  }

  /**
   * The reply to one request. A second reply would pass for the reply to the next request. The code
   * that gives it has lost count, and the I/O process does not go on with that.
   */
  private final class Answer implements Caller {
    private final AtomicBoolean given = new AtomicBoolean();
    private final boolean counts;

    /**
     * @param counts true if it counts as progress, which a new connection does not
     */
    Answer(final boolean counts) {
      this.counts = counts;
    }

    @Override
    public void answer(final Reply reply) {
      if (!given.compareAndSet(false, true)) {
        throw new IllegalStateException("a second reply to one request: " + reply);
      }
      Connection.this.answer(reply);
      if (counts) {
        inFlight.progress();
      }
    }
  }

  private synchronized void answer(final Reply reply) {
    try {
      final ByteBuffer frame = encode(reply);
      Fault.at(FaultPoint.REPLY, "answer", () -> send(frame));
    } catch (final IOException clientIsGone) {
      unsent.clear();
    }
  }

  private void send(final ByteBuffer frame) throws IOException {
    unsent.add(frame);
    flush();
  }

  /**
   * A reply too long for a frame is replaced by an error: a client that hears nothing waits for
   * ever.
   */
  private static ByteBuffer encode(final Reply reply) throws IOException {
    final ByteBuffer frame = ByteBuffer.allocate(RequestDescriptor.MAX_LENGTH);
    final UnsafeBuffer target = new UnsafeBuffer(frame);
    try {
      return frame.limit(reply.encode(target, 0));
    } catch (final ProtocolException tooLong) {
      final Reply refusal = new Reply.Failed(Errno.EIO, "the reply: " + tooLong.getMessage());
      return frame.limit(refusal.encode(target, 0));
    }
  }

  /** Sends as much as it can, and asks the selector to call again for the rest. */
  public synchronized void flush() throws IOException {
    while (!unsent.isEmpty()) {
      channel.write(unsent.peek());
      if (unsent.peek().hasRemaining()) {
        key.interestOpsOr(SelectionKey.OP_WRITE);
        key.selector().wakeup();
        return;
      }
      unsent.remove();
    }
    underWay = false;
    if (key.isValid()) {
      key.interestOpsAnd(~SelectionKey.OP_WRITE);
    }
  }

  /**
   * Tells a client that breaks the protocol why it is cut off, in place of a reply if one is due.
   */
  public void refuse(final String message) {
    answer(new Reply.Failed(Errno.EPROTO, message));
  }

  /**
   * Closes the socket, not between a look at the key and its change, as another thread may just be
   * answering.
   */
  public synchronized void close() {
    try {
      key.cancel();
      channel.close();
    } catch (final IOException alreadyBroken) {
      // The other side is gone; there is nobody to tell.
    }
  }
}
