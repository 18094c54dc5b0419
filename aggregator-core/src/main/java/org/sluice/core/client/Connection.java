package org.sluice.core.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.request.Frames;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;

/**
 * The socket to the I/O process. One request is under way at a time, first come, first served; what
 * needs no reply is sent even while another thread waits for one. Thread-safe.
 *
 * <p>An I/O process that was killed may be resumed: whoever needs it then connects anew, says who
 * this process is, and repeats the request that got no reply. Only when none comes, or one of
 * another session, is the connection lost.
 */
public final class Connection implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long LONGEST_NAP_MILLIS = 50;

  private final Path socket;
  private final ReentrantLock turn = new ReentrantLock(true);
  private final ReentrantLock sending = new ReentrantLock();
  private final ByteBuffer out = ByteBuffer.allocateDirect(RequestDescriptor.MAX_LENGTH);
  private final ByteBuffer in = ByteBuffer.allocateDirect(RequestDescriptor.MAX_LENGTH);
  private final UnsafeBuffer outView = new UnsafeBuffer(out);
  private final UnsafeBuffer inView = new UnsafeBuffer(in);

  /** Changed under both locks, read under either. */
  private SteadyChannel channel;

  private volatile LongFunction<Request> greeting;
  private BooleanSupplier mayGreet;
  private long answered;
  private volatile boolean closed;

  private Connection(final Path socket, final SteadyChannel channel) {
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
    try {
      return new Connection(socket, SteadyChannel.connect(socket));
    } catch (final IOException e) {
      throw new IOException(
          "no I/O process answers: %s (%s); start one".formatted(socket, e.getMessage()), e);
    }
  }

  /**
   * From here on the connection is made anew when it breaks.
   *
   * @param request says who this process is, given how many of its requests were answered
   * @param isStillIt whether it is, not one brought back from its dump
   */
  void greetWith(final LongFunction<Request> request, final BooleanSupplier isStillIt) {
    mayGreet = isStillIt;
    greeting = request;
    answered = 0;
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
      final Reply reply = untilAnswered(request);
      answered++;
      if (reply instanceof Reply.Failed failed) {
        throw new RequestFailedException(failed.errno(), failed.message());
      }
      return reply;
    } finally {
      turn.unlock();
    }
  }

  private Reply untilAnswered(final Request request) throws IOException {
    while (true) {
      try {
        return exchange(request);
      } catch (final GoneException e) {
        reconnect(e);
      }
    }
  }

  private Reply exchange(final Request request) throws IOException {
    send(request);
    return Reply.decode(request, inView, 0, receive());
  }

  /** Connects anew, waiting for somebody to listen. The caller has its turn. */
  private void reconnect(final GoneException cause) throws GoneException {
    final long end = System.nanoTime() + patience().toNanos();
    long nap = 1;
    boolean interrupted = Thread.interrupted();
    try {
      while (!tryAgain(cause)) {
        if (System.nanoTime() - end > 0) {
          throw lost(cause);
        }
        LockSupport.parkNanos(Duration.ofMillis(nap).toNanos());
        nap = Math.min(2 * nap, LONGEST_NAP_MILLIS);
        interrupted |= Thread.interrupted(); // or it could neither connect nor nap
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** One attempt: false when nobody listens, or who does dies at once. */
  private boolean tryAgain(final GoneException cause) throws GoneException {
    final LongFunction<Request> greet = greeting;
    if (greet == null || closed || !Files.exists(socket.getParent()) || !mayGreet.getAsBoolean()) {
      throw lost(cause);
    }
    final Reply reply;
    try {
      replace(SteadyChannel.connect(socket));
      reply = exchange(greet.apply(answered));
    } catch (final IOException notYet) {
      return false;
    }
    if (reply instanceof Reply.Failed) {
      throw lost(cause);
    }
    return true;
  }

  private GoneException lost(final GoneException cause) {
    greeting = null;
    return cause;
  }

  private void replace(final SteadyChannel fresh) throws IOException {
    sending.lock();
    try {
      channel.close();
      channel = fresh;
    } finally {
      sending.unlock();
    }
  }

  /** How long to wait for a killed I/O process to come back. */
  static Duration patience() {
    final String seconds = System.getenv("SLUICE_PATIENCE");
    return seconds == null || seconds.isEmpty()
        ? PATIENCE
        : Duration.ofMillis((long) (1000 * Double.parseDouble(seconds)));
  }

  /**
   * Sends a request and does not wait.
   *
   * @param request the request
   * @throws IOException when the I/O process is gone
   */
  public void tell(final Request request) throws IOException {
    try {
      send(request);
    } catch (final GoneException e) {
      turn.lock();
      try {
        tellAgain(request, e);
      } finally {
        turn.unlock();
      }
    }
  }

  /** Another thread may have connected anew meanwhile. */
  private void tellAgain(final Request request, final GoneException cause) throws IOException {
    GoneException last = cause;
    while (true) {
      try {
        send(request);
        return;
      } catch (final GoneException e) {
        last = e;
      }
      reconnect(last);
    }
  }

  /**
   * Sends a request if anybody listens.
   *
   * @param request a request without a reply
   * @throws IOException when the I/O process is gone for good
   */
  void tellWhoListens(final Request request) throws IOException {
    try {
      send(request);
    } catch (final GoneException e) {
      if (turn.tryLock()) {
        try {
          tryAgain(e);
        } finally {
          turn.unlock();
        }
      }
    }
  }

  private void send(final Request request) throws IOException {
    sending.lock();
    try {
      out.clear().limit(request.encode(outView, 0));
      channel.write(out);
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
      channel.read(in);
    } catch (final IOException e) {
      throw gone(e);
    }
  }

  private GoneException gone(final IOException cause) {
    return new GoneException("the I/O process is gone: " + socket, cause);
  }

  /** Nobody is at the other end. */
  private static final class GoneException extends IOException {
    private static final long serialVersionUID = 1L;

    private GoneException(final String message, final IOException cause) {
      super(message, cause);
    }
  }

  @Override
  public void close() throws IOException {
    closed = true;
    channel.close();
  }
}
