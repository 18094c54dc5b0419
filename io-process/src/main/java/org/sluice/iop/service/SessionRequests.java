package org.sluice.iop.service;

import java.util.function.Supplier;
import org.sluice.core.libc.Errno;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.segment.Header;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;

/** The requests that come, go, or concern the session as a whole. Service thread only. */
public final class SessionRequests {
  private final Header header;
  private final long sessionId;
  private final Statistics statistics;
  private final Attachments attachments;
  private final TimedSettling timedSettling;
  private final Openings openings;
  private final Members members;
  private final Preemption preemption;
  private boolean toldOfSlots;

  public SessionRequests(
      final Header header,
      final Statistics statistics,
      final Attachments attachments,
      final TimedSettling timedSettling,
      final Openings openings,
      final Members members,
      final Preemption preemption) {
    this.header = header;
    this.sessionId = header.sessionId();
    this.statistics = statistics;
    this.attachments = attachments;
    this.timedSettling = timedSettling;
    this.openings = openings;
    this.members = members;
    this.preemption = preemption;
  }

  /** Takes a request of any process; returns false for one that does not concern the session. */
  boolean receive(final Connection connection, final Request request, final Caller caller) {
    switch (request) {
      case Request.Attach attach ->
          greet(attach.version(), caller, () -> attach(connection, attach));
      case Request.Resume resume ->
          greet(resume.version(), caller, () -> resume(connection, resume));
      case Request.Join join ->
          greet(join.version(), caller, () -> members.join(connection, join.store()));
      case Request.Leave leave -> members.leave(connection, leave.exitStatus(), caller);
      case Request.Preempt preempt -> preemption.requested(preempt);
      case Request.Stats() -> caller.answer(new Reply.Text(statistics.json()));
      case Request.Threshold threshold -> caller.answer(threshold(threshold));
      case Request.Wake() -> rung(connection.attachment());
      default -> {
        return false;
      }
    }
    return true;
  }

  private void rung(final Attachment attachment) {
    if (attachment != null) {
      timedSettling.rung(attachment);
    }
  }

  private Reply attach(final Connection connection, final Request.Attach request) {
    if (connection.attachment() != null) {
      return Requests.misplaced("attached already");
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
    return new Reply.Attached(attachment.index(), sessionId);
  }

  /**
   * Returns the refusal for lack of a slot. Standard error gets it once, as each process may come
   * again and again.
   */
  private String noSlot(final ProcessIdentity process) {
    if (attachments.areClosed()) {
      return "the session ends";
    }
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
      return Requests.misplaced("attached already");
    }
    final Attachment attachment =
        request.sessionId() == sessionId ? attachments.find(request.slot()) : null;
    if (attachment == null || attachment.writer().attached().generation() != request.generation()) {
      return new Reply.Failed(
          Errno.ESTALE, "slot %d is no longer this process's".formatted(request.slot()));
    }
    connect(connection, attachment);
    timedSettling.watch(attachment);
    attachments.poll(attachment);
    final Entry.Opened unanswered = attachment.resume(request.answered());
    if (unanswered != null) {
      openings.undo(attachment, unanswered);
    }
    return new Reply.Done();
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
}
