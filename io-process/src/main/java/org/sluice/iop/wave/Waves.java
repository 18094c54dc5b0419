package org.sluice.iop.wave;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.Errno;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.segment.Header;
import org.sluice.iop.checkpoint.CheckpointState;
import org.sluice.iop.checkpoint.CheckpointStorage;
import org.sluice.iop.checkpoint.Waiters;
import org.sluice.iop.trigger.ExplicitCheckpoints;
import org.sluice.iop.wave.protocol.Control;

/**
 * Between the ranks of an MPI job and the coordinator of its waves: puts what ranks say together of
 * its pieces. Service thread only.
 */
public final class Waves {
  /**
   * The most bytes of ranks' messages at a time. As objects these are some times as long, and the
   * I/O process must not end for want of memory.
   */
  private static final long MOST = Runtime.getRuntime().maxMemory() / 16;

  private final CheckpointStorage storage;
  private final CheckpointState state;
  private final Executor service;
  private final Waiters waiters;
  private final ExplicitCheckpoints checkpoints;
  private final Orders orders;
  private final Map<Integer, ByteArrayOutputStream> pieces = new HashMap<>();
  private Coordinator coordinator;

  /**
   * A session in which no job has said that it is there.
   *
   * @param checkpoints checkpoints that ranks begin by request, those of waves among others
   */
  public Waves(
      final Header header,
      final CheckpointStorage storage,
      final CheckpointState state,
      final Executor service,
      final Waiters waiters,
      final ExplicitCheckpoints checkpoints) {
    this.storage = storage;
    this.state = state;
    this.service = service;
    this.waiters = waiters;
    this.checkpoints = checkpoints;
    this.orders = new Orders(header);
    checkpoints.atEnd(this::end);
  }

  private void end() {
    if (coordinator != null) {
      coordinator.end();
    }
  }

  public Reply receive(final Request.Wave request) {
    final ByteArrayOutputStream all =
        pieces.computeIfAbsent(request.rank(), rank -> new ByteArrayOutputStream());
    all.writeBytes(Orders.bytes(request.bytes()));
    try {
      if (held() > MOST) {
        pieces.remove(request.rank());
        return tooLong(request);
      }
      if (request.more() == 0) {
        pieces.remove(request.rank());
        hear(request, ByteBuffer.wrap(all.toByteArray()).order(ByteOrder.LITTLE_ENDIAN));
      }
    } catch (final BufferUnderflowException
        | IllegalArgumentException
        | IndexOutOfBoundsException e) {
      return new Reply.Failed(
          Errno.EPROTO, "message %d of rank %d: %s".formatted(request.kind(), request.rank(), e));
    }
    return new Reply.Done();
  }

  /** Returns how many bytes of the ranks' messages are kept. */
  private long held() {
    return (coordinator == null ? 0 : coordinator.kept())
        + pieces.values().stream().mapToLong(ByteArrayOutputStream::size).sum();
  }

  /** The wave is given up, and the ranks go on. */
  private Reply tooLong(final Request.Wave request) {
    final String why =
        "what ranks recorded has more than %d MiB, for which the I/O process has no room: %s"
            .formatted(MOST >> 20, "put spots where fewer messages cross them");
    if (coordinator != null) {
      final ByteBuffer text = ByteBuffer.wrap(why.getBytes(StandardCharsets.UTF_8));
      coordinator.hear(Control.REFUSED, request.rank(), request.wave(), text);
    }
    return new Reply.Failed(Errno.EFBIG, why);
  }

  private void hear(final Request.Wave request, final ByteBuffer bytes) {
    if (request.kind() == Control.HELLO) {
      greet(Job.of(bytes));
    } else if (coordinator != null) { // else this one was resumed, and rank 0 greets it anew
      coordinator.hear(request.kind(), request.rank(), request.wave(), bytes);
    }
  }

  private void greet(final Job job) {
    try {
      Fault.at(
          FaultPoint.MPI_GREET,
          "greet a job",
          () ->
              coordinator =
                  new Coordinator(storage, state, service, waiters, checkpoints, orders, job));
    } catch (final IOException e) {
      throw new IllegalStateException(e); // the point is for kills
    }
  }

  /** Returns what is ordered. */
  public Reply next() {
    return orders.next();
  }

  public void beat() {
    if (coordinator != null) {
      coordinator.beat(System.nanoTime());
    }
  }

  /** Returns how long nothing is due, in milliseconds: from 1 up to the limit. */
  public long patience(final long limit) {
    return coordinator == null ? limit : coordinator.patience(System.nanoTime(), limit);
  }
}
