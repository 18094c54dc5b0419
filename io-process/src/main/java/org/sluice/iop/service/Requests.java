package org.sluice.iop.service;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.sluice.core.chunk.Crc32c;
import org.sluice.core.fault.Fault;
import org.sluice.core.fault.FaultPoint;
import org.sluice.core.libc.Errno;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.core.segment.Header;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.segment.Reason;
import org.sluice.iop.checkpoint.Context;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.crash.PoisonException;
import org.sluice.iop.crash.Subject;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Warnings;
import org.sluice.iop.trigger.Checkpoints;
import org.sluice.iop.wave.Waves;

/** The dispatch of requests to the parts that they concern. Service thread only. */
public final class Requests {
  private final UnsafeBuffer encoded =
      new UnsafeBuffer(ByteBuffer.allocateDirect(RequestDescriptor.MAX_LENGTH));
  private final Context context;
  private final Header header;
  private final Checkpoints checkpoints;
  private final Attachments attachments;
  private final Rings rings;
  private final OpenRequests openRequests;
  private final OpenQueue openQueue;
  private final Arrivals arrivals;
  private final Closings closings;
  private final Settling settling;
  private final TimedSettling timedSettling;
  private final Members members;
  private final Preemption preemption;
  private final Supplier<Waves> waves;
  private boolean toldOfSlots;
  private final Lane lane;

  public Requests(
      final Context context,
      final Checkpoints checkpoints,
      final Attachments attachments,
      final Rings rings,
      final OpenRequests openRequests,
      final OpenQueue openQueue,
      final Arrivals arrivals,
      final Closings closings,
      final Settling settling,
      final TimedSettling timedSettling,
      final Members members,
      final Preemption preemption,
      final Supplier<Waves> waves) {
    this.waves = waves;
    this.checkpoints = checkpoints;
    this.context = context;
    this.header = context.segment().header();
    this.lane = context.journal().inFlight().lane(Lane.Role.SERVICE);
    this.attachments = attachments;
    this.rings = rings;
    this.openRequests = openRequests;
    this.openQueue = openQueue;
    this.arrivals = arrivals;
    this.closings = closings;
    this.settling = settling;
    this.timedSettling = timedSettling;
    this.members = members;
    this.preemption = preemption;
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
    switch (request) {
      case Request.Attach attach ->
          greet(attach.version(), caller, () -> attach(connection, attach));
      case Request.Resume resume ->
          greet(resume.version(), caller, () -> resume(connection, resume));
      case Request.Join join ->
          greet(join.version(), caller, () -> members.join(connection, join.store()));
      case Request.Leave leave -> members.leave(connection, leave.exitStatus(), caller);
      case Request.Preempt preempt -> {
        if (context
            .settings()
            .endsWithMembers()) { // others may use a session that serves more than a job
          preempted(preempt);
        }
      }
      case Request.Stats() -> caller.answer(new Reply.Text(context.statistics().json()));
      case Request.Threshold threshold -> caller.answer(threshold(threshold));
      case Request.Wake() -> rung(attachment);
      case Request.ListCheckpoints() -> checkpoints.restarts().list(caller);
      case Request.Restart restart -> checkpoints.restarts().restart(restart, caller);
      case Request.Await await -> {
        attachments.poll();
        final boolean written = checkpoints.groups().hurry(await.checkpoint());
        context.publisher().hurry(await.checkpoint());
        context.waiters().add(await, written, caller);
      }
      default -> {
        if (attachment == null) {
          caller.answer(misplaced("the first request has to be ATTACH or JOIN"));
        } else {
          receive(attachment, request, caller);
        }
      }
    }
  }

  private void preempted(final Request.Preempt request) {
    if (request.grace() == 0) {
      preemption.interrupt();
    } else {
      preemption.begin(TimeUnit.MILLISECONDS.toNanos(request.grace() - 1L));
    }
  }

  private void receive(final Attachment attachment, final Request request, final Caller caller) {
    switch (request) {
      case Request.Open open -> {
        timedSettling.watch(attachment);
        openQueue.open(attachment, open, caller);
      }
      case Request.Renamed renamed -> closings.renamed(renamed);
      case Request.Replace replace -> {
        if ((replace.flags() & RequestDescriptor.REPLACE_HOLD) != 0) {
          attachments.poll();
          openRequests.hold(caller);
        } else if ((replace.flags() & RequestDescriptor.REPLACE_MOVED) != 0) {
          arrivals.moved(attachment, replace, caller);
        } else {
          openRequests.replace(attachment, replace, caller);
        }
      }
      case Request.Settle settle ->
          find(caller, attachment, settle.imageId())
              .ifPresent(image -> settle(image, settle.reason(), caller));
      case Request.Sync sync ->
          find(caller, attachment, sync.imageId()).ifPresent(image -> settling.sync(image, caller));
      case Request.Read read -> checkpoints.restarts().read(read, attachment.process(), caller);
      case Request.Begin begin ->
          caller.answer(checkpoints.explicit().begin(begin, attachment.writer()));
      case Request.Hold hold ->
          caller.answer(checkpoints.explicit().hold(hold, attachment.writer()));
      case Request.Decide decide -> {
        checkpoints.explicit().decide(decide.checkpoint(), decide.commit() != 0);
        caller.answer(new Reply.Done());
      }
      case Request.Create create -> openQueue.create(attachment, create, caller);
      case Request.Reuse reuse ->
          find(caller, attachment, reuse.imageId())
              .ifPresent(image -> caller.answer(checkpoints.explicit().reuse(image, reuse)));
      case Request.Complete complete -> caller.answer(complete(attachment, complete));
      case Request.Wave wave -> caller.answer(waves.get().receive(wave));
      case Request.Orders() -> caller.answer(waves.get().next());
      default -> caller.answer(misplaced("out of place: " + request));
    }
  }

  private void settle(final Image image, final int reason, final Caller caller) {
    if ((reason & RequestDescriptor.SETTLE_LET_GO) != 0) {
      settling.letGo(image, Reason.of(reason & ~RequestDescriptor.SETTLE_LET_GO), caller);
    } else {
      settling.settle(image, Reason.of(reason), caller);
    }
  }

  private void rung(final Attachment attachment) {
    if (attachment != null) {
      timedSettling.rung(attachment);
    }
  }

  private static Reply misplaced(final String message) {
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
    return attachment != null && context.journal().inFlight().isCutOff(attachment.index());
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
          case Request.Open open ->
              context.registry().find(new ImageKey(open.device(), open.inode()));
          case Request.Settle settle -> context.registry().find(settle.imageId());
          case Request.Sync sync -> context.registry().find(sync.imageId());
          default -> null;
        };
    return Optional.ofNullable(image)
        .filter(known -> attachment != null && known.openers().has(attachment.index()));
  }

  private Reply attach(final Connection connection, final Request.Attach request) {
    if (connection.attachment() != null) {
      return misplaced("attached already");
    }
    final ProcessIdentity process = new ProcessIdentity(request.pid(), request.startTime());
    if (!process.isAlive()) {
      return new Reply.Failed(
          Errno.EINVAL,
          "no process %d started at %d".formatted(process.pid(), process.startTime()));
    }
    if (request.early() != 0 && attachments.areShort()) {
      return new Reply.Failed(Errno.EAGAIN, "slots are kept for processes that open files");
    }
    final Attachment attachment = attachments.attach(process, request);
    if (attachment == null) {
      return new Reply.Failed(Errno.EAGAIN, noSlot(process));
    }
    connect(connection, attachment);
    return new Reply.Attached(attachment.index(), context.sessionId());
  }

  /**
   * Returns the refusal for lack of a slot. Standard error gets it once, as each process may come
   * again and again.
   */
  private String noSlot(final ProcessIdentity process) {
    final String message = "all slots for processes are taken";
    if (!toldOfSlots) {
      toldOfSlots = true;
      Warnings.warn(
          "process %d is not captured, nor are others like it: %s"
              .formatted(process.pid(), message));
    }
    return message;
  }

  private static void connect(final Connection connection, final Attachment attachment) {
    connection.attached(attachment);
    attachment.connected(connection);
  }

  /** Takes a new connection of a process that has a slot of this I/O process or a former one. */
  private Reply resume(final Connection connection, final Request.Resume request) {
    if (connection.attachment() != null) {
      return misplaced("attached already");
    }
    final Attachment attachment =
        request.sessionId() == context.sessionId() ? attachments.find(request.slot()) : null;
    if (attachment == null || attachment.writer().attached().generation() != request.generation()) {
      return new Reply.Failed(
          Errno.ESTALE, "slot %d is no longer this process's".formatted(request.slot()));
    }
    connect(connection, attachment);
    timedSettling.watch(attachment);
    rings.poll(attachment);
    final Entry.Opened unanswered = attachment.resume(request.answered());
    if (unanswered != null) {
      openRequests.undo(attachment, unanswered);
    }
    return new Reply.Done();
  }

  /** Completes a checkpoint. A request carried out by a former I/O process is answered now. */
  private Reply complete(final Attachment attachment, final Request.Complete request) {
    return attachment.wasCompleted()
        ? new Reply.Done()
        : checkpoints.explicit().complete(request, attachment.index(), attachment.request());
  }

  /** Answers the greeting of a client, which may come if it is of this release. */
  private static void greet(final int version, final Caller caller, final Supplier<Reply> reply) {
    if (version != HeaderDescriptor.VERSION) {
      caller.answer(
          new Reply.Failed(
              Errno.EPROTONOSUPPORT,
              "the client speaks version %d, this I/O process version %d; use one release of Sluice"
                  .formatted(version, HeaderDescriptor.VERSION)));
    } else {
      caller.answer(reply.get());
    }
  }

  /** Sets the threshold; processes notice it at their next write. */
  private Reply threshold(final Request.Threshold request) {
    if (request.policy() < 0
        || request.policy() > HeaderDescriptor.POLICY_AUTO
        || request.bytes() < 0) {
      return new Reply.Failed(Errno.EINVAL, "no such threshold: " + request);
    }
    if (request.policy() != 0) {
      header.threshold(request.bytes());
      header.policy(request.policy());
    }
    return new Reply.Threshold(
        header.policy(), header.chunkCount(), header.effectiveThreshold(), header.unusedChunks());
  }

  private Optional<Image> find(
      final Caller caller, final Attachment attachment, final int imageId) {
    final Image image = context.registry().find(imageId);
    if (image == null || !image.openers().has(attachment.index())) {
      caller.answer(
          new Reply.Failed(Errno.EINVAL, "%s has no image %d open".formatted(attachment, imageId)));
      return Optional.empty();
    }
    return Optional.of(image);
  }
}
