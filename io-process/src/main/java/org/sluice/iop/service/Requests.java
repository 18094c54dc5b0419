package org.sluice.iop.service;

import java.util.Optional;
import org.sluice.core.posix.Errno;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.core.segment.Header;
import org.sluice.core.segment.HeaderDescriptor;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.segment.Reason;
import org.sluice.iop.checkpoint.Checkpoints;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;

/** Passes each request on to whom it concerns. Service thread only. */
final class Requests {
  private final Header header;
  private final Attachments attachments;
  private final Rings rings;
  private final ImageRegistry registry;
  private final Openings openings;
  private final Settling settling;
  private final TimedSettling timedSettling;
  private final Checkpoints checkpoints;
  private final Members members;
  private final Statistics statistics;
  private boolean toldOfSlots;

  Requests(
      final Header header,
      final Attachments attachments,
      final Rings rings,
      final ImageRegistry registry,
      final Openings openings,
      final Settling settling,
      final TimedSettling timedSettling,
      final Checkpoints checkpoints,
      final Members members,
      final Statistics statistics) {
    this.header = header;
    this.attachments = attachments;
    this.rings = rings;
    this.registry = registry;
    this.openings = openings;
    this.settling = settling;
    this.timedSettling = timedSettling;
    this.checkpoints = checkpoints;
    this.members = members;
    this.statistics = statistics;
  }

  /** Chunks that the process published before its request are taken first: program order. */
  void receive(final Connection connection, final Request request) {
    final Attachment attachment = connection.attachment();
    if (attachment != null) {
      rings.poll(attachment);
      attachment.count(request);
    }
    switch (request) {
      case Request.Attach attach -> attach(connection, attach);
      case Request.Resume resume -> resume(connection, resume);
      case Request.Join join -> join(connection, join);
      case Request.Leave leave -> members.leave(connection, leave.exitStatus());
      case Request.Stats() -> connection.answer(new Reply.Text(statistics.json()));
      case Request.Threshold threshold -> connection.answer(threshold(threshold));
      case Request.Wake() -> rung(attachment);
      case Request.ListCheckpoints() -> checkpoints.list(connection);
      case Request.Restart restart -> checkpoints.restart(restart, connection);
      case Request.Await await -> checkpoints.await(await, connection);
      default -> {
        if (attachment == null) {
          connection.refuse("the first request has to be ATTACH or JOIN");
        } else {
          receive(connection, attachment, request);
        }
      }
    }
  }

  private void receive(
      final Connection connection, final Attachment attachment, final Request request) {
    switch (request) {
      case Request.Open open -> {
        timedSettling.watch(attachment);
        openings.open(attachment, open, connection);
      }
      case Request.Renamed renamed -> openings.renamed(renamed);
      case Request.Replace replace -> openings.replace(replace, connection);
      case Request.Settle settle ->
          find(connection, attachment, settle.imageId())
              .ifPresent(image -> settle(image, settle.reason(), connection));
      case Request.Sync sync ->
          find(connection, attachment, sync.imageId())
              .ifPresent(image -> settling.sync(image, connection));
      case Request.Begin begin -> connection.answer(checkpoints.begin(begin, attachment.writer()));
      case Request.Create create -> create(connection, attachment, create);
      case Request.Complete complete -> connection.answer(complete(attachment, complete));
      default -> connection.refuse("out of place: " + request);
    }
  }

  private void settle(final Image image, final int reason, final Connection connection) {
    if ((reason & RequestDescriptor.SETTLE_LET_GO) != 0) {
      settling.letGo(image, Reason.of(reason & ~RequestDescriptor.SETTLE_LET_GO), connection);
    } else {
      settling.settle(image, Reason.of(reason), connection);
    }
  }

  private void rung(final Attachment attachment) {
    if (attachment != null) {
      timedSettling.rung(attachment);
    }
  }

  private void attach(final Connection connection, final Request.Attach request) {
    if (connection.attachment() != null) {
      connection.refuse("attached already");
    } else if (isKnown(connection, request.version())) {
      final ProcessIdentity process = new ProcessIdentity(request.pid(), request.startTime());
      if (!process.isAlive()) {
        final String message =
            "no process %d started at %d".formatted(process.pid(), process.startTime());
        connection.answer(new Reply.Failed(Errno.EINVAL, message));
        return;
      }
      final Optional<Attachment> attachment =
          attachments.attach(
              process, request.rank(), request.ranks(), request.localRanks(), request.token());
      attachment.ifPresent(
          slot -> {
            connect(connection, slot);
            checkpoints.attached(slot.writer());
          });
      connection.answer(
          attachment
              .<Reply>map(slot -> new Reply.Attached(slot.index(), header.sessionId()))
              .orElseGet(() -> new Reply.Failed(Errno.EAGAIN, noSlot(process))));
    }
  }

  /** Once on standard error, as each may come again and again. */
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

  /** A process that this I/O process or a former one has given a slot connects anew. */
  private void resume(final Connection connection, final Request.Resume request) {
    if (connection.attachment() != null) {
      connection.refuse("attached already");
    } else if (isKnown(connection, request.version())) {
      final Attachment attachment =
          request.sessionId() == header.sessionId() ? attachments.find(request.slot()) : null;
      if (attachment == null || attachment.generation() != request.generation()) {
        final String message = "slot %d is no longer this process's".formatted(request.slot());
        connection.answer(new Reply.Failed(Errno.ESTALE, message));
        return;
      }
      connect(connection, attachment);
      timedSettling.watch(attachment);
      rings.poll(attachment);
      final Entry.Opened unanswered = attachment.resume(request.answered());
      if (unanswered != null) {
        openings.undo(attachment, unanswered);
      }
      connection.answer(new Reply.Done());
    }
  }

  /** One that was carried out by a former I/O process is answered now. */
  private Reply complete(final Attachment attachment, final Request.Complete request) {
    return attachment.wasCompleted()
        ? new Reply.Done()
        : checkpoints.complete(request, attachment.index(), attachment.request());
  }

  private void join(final Connection connection, final Request.Join request) {
    if (isKnown(connection, request.version())) {
      members.join(connection);
    }
  }

  private static boolean isKnown(final Connection connection, final int version) {
    final boolean known = version == HeaderDescriptor.VERSION;
    if (!known) {
      connection.refuse(
          "the client speaks version %d, this I/O process version %d; use one release of Sluice"
              .formatted(version, HeaderDescriptor.VERSION));
    }
    return known;
  }

  /** Processes notice at their next write. */
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
        header.policy(), header.effectiveThreshold(), header.freeChunks(), header.chunkCount());
  }

  private void create(
      final Connection connection, final Attachment attachment, final Request.Create request) {
    checkpoints
        .create(request, image -> connection.answer(created(attachment, image)))
        .ifPresent(connection::answer);
  }

  private Reply created(final Attachment attachment, final Image image) {
    final Reply.Opened opened = (Reply.Opened) openings.admitted(attachment, image);
    return new Reply.Created(opened, image.file().opened().toString());
  }

  private Optional<Image> find(
      final Connection connection, final Attachment attachment, final int imageId) {
    final Image image = registry.find(imageId);
    if (image == null || !image.openers().has(attachment.index())) {
      connection.answer(
          new Reply.Failed(Errno.EINVAL, "%s has no image %d open".formatted(attachment, imageId)));
      return Optional.empty();
    }
    return Optional.of(image);
  }
}
