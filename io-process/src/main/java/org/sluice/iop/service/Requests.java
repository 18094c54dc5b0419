package org.sluice.iop.service;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.chunk.Crc32c;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.Errno;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.iop.crash.InFlight;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.crash.PoisonException;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.measure.Warnings;

/** The dispatch of requests to the parts that they concern. Service thread only. */
public final class Requests {
  private final UnsafeBuffer encoded =
      new UnsafeBuffer(ByteBuffer.allocateDirect(RequestDescriptor.MAX_LENGTH));
  private final InFlight inFlight;
  private final Lane lane;
  private final ImageRegistry registry;
  private final Rings rings;
  private final SessionRequests session;
  private final FileRequests files;
  private final CheckpointRequests checkpoints;

  public Requests(
      final InFlight inFlight,
      final ImageRegistry registry,
      final Rings rings,
      final SessionRequests session,
      final FileRequests files,
      final CheckpointRequests checkpoints) {
    this.inFlight = inFlight;
    this.lane = inFlight.lane(Lane.Role.SERVICE);
    this.registry = registry;
    this.rings = rings;
    this.session = session;
    this.files = files;
    this.checkpoints = checkpoints;
  }

  /**
   * Takes a request. Chunks that the process published before its request are taken first: program
   * order.
   *
   * @param caller answered exactly once, if the request has a reply
   */
  public void receive(final Connection connection, final Request request, final Caller caller) {
    final Attachment attachment = connection.attachment();
    if (attachment != null) {
      rings.poll(attachment);
      attachment.count(request);
    }
    final long id = idOf(request, attachment);
    final int slot = attachment == null ? Lane.NO_SLOT : attachment.index();
    if (!lane.begin(Subject.REQUEST, id, slot, Lane.NO_IMAGE) || isCutOff(attachment)) {
      refuse(attachment, request, caller);
    } else {
      Fault.strike(FaultPoint.SERVICE);
      receive(connection, attachment, request, caller);
      lane.passed(Subject.REQUEST, id);
    }
    lane.end();
  }

  private void receive(
      final Connection connection,
      final Attachment attachment,
      final Request request,
      final Caller caller) {
    if (session.receive(connection, request, caller)
        || checkpoints.receive(Optional.ofNullable(attachment), request, caller)) {
      return;
    }
    if (attachment == null) {
      caller.answer(misplaced("the first request has to be ATTACH or JOIN"));
    } else if (!files.receive(attachment, request, caller)
        && !checkpoints.receive(attachment, request, caller)) {
      caller.answer(misplaced("out of place: " + request));
    }
  }

  static Reply misplaced(final String message) {
    return new Reply.Failed(Errno.EPROTO, message);
  }

  /**
   * Returns the number that tells requests apart. A request made again after a resumption has the
   * same number. The number is that of the bytes, as the JVM links the hash of a record anew at
   * each start, for each kind.
   */
  private long idOf(final Request request, final Attachment attachment) {
    final long process = attachment == null ? 0 : attachment.writer().process() * 31;
    if (attachment == null && !(request instanceof Request.Attach)) {
      return request.getClass().getSimpleName().hashCode();
    }
    try {
      return process + Crc32c.of(encoded, 0, request.encode(encoded, 0));
    } catch (final ProtocolException e) {
      throw new IllegalStateException(e); // the request came as a frame
    }
  }

  private boolean isCutOff(final Attachment attachment) {
    return attachment != null && inFlight.isCutOff(attachment.index());
  }

  /**
   * Refuses a request at which two I/O processes in a row failed, or many at requests of this
   * process.
   */
  private void refuse(final Attachment attachment, final Request request, final Caller caller) {
    final PoisonException reason = new PoisonException(Subject.REQUEST);
    Warnings.warn("%s is refused: %s".formatted(request, reason.getMessage()));
    concerned(attachment, request).ifPresent(image -> image.fail(reason));
    if (request.hasReply()) {
      caller.answer(new Reply.Failed(Errno.EIO, reason.getMessage()));
    }
  }

  private Optional<Image> concerned(final Attachment attachment, final Request request) {
    final Image image =
        switch (request) {
          case Request.Open open -> registry.find(new ImageKey(open.device(), open.inode()));
          case Request.Settle settle -> registry.find(settle.imageId());
          case Request.Sync sync -> registry.find(sync.imageId());
          default -> null;
        };
    return Optional.ofNullable(image)
        .filter(known -> attachment != null && known.openers().has(attachment.index()));
  }
}
