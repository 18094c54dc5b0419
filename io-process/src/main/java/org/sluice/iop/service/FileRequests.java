package org.sluice.iop.service;

import java.util.Optional;
import org.sluice.core.libc.Errno;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageRegistry;

/** The requests of processes about files. Service thread only. */
public final class FileRequests {
  private final ImageRegistry registry;
  private final OpenQueue openQueue;
  private final ReplaceRequests replaceRequests;
  private final Arrivals arrivals;
  private final Closings closings;
  private final Settling settling;
  private final TimedSettling timedSettling;

  public FileRequests(
      final ImageRegistry registry,
      final OpenQueue openQueue,
      final ReplaceRequests replaceRequests,
      final Arrivals arrivals,
      final Closings closings,
      final Settling settling,
      final TimedSettling timedSettling) {
    this.registry = registry;
    this.openQueue = openQueue;
    this.replaceRequests = replaceRequests;
    this.arrivals = arrivals;
    this.closings = closings;
    this.settling = settling;
    this.timedSettling = timedSettling;
  }

  /** Takes a request of an attached process; returns false for one that is about no file. */
  boolean receive(final Attachment attachment, final Request request, final Caller caller) {
    switch (request) {
      case Request.Open open -> {
        timedSettling.watch(attachment);
        openQueue.open(attachment, open, caller);
      }
      case Request.Create create -> openQueue.create(attachment, create, caller);
      case Request.Add add -> arrivals.add(attachment, add, caller);
      case Request.Renamed renamed -> closings.renamed(renamed);
      case Request.Replace replace -> replace(attachment, replace, caller);
      case Request.Settle settle ->
          find(caller, attachment, settle.imageId())
              .ifPresent(image -> settle(image, settle.reason(), caller));
      case Request.Sync sync ->
          find(caller, attachment, sync.imageId()).ifPresent(image -> settling.sync(image, caller));
      default -> {
        return false;
      }
    }
    return true;
  }

  private void replace(
      final Attachment attachment, final Request.Replace request, final Caller caller) {
    if ((request.flags() & RequestDescriptor.REPLACE_HOLD) != 0) {
      replaceRequests.hold(caller);
    } else if ((request.flags() & RequestDescriptor.REPLACE_MOVED) != 0) {
      arrivals.moved(attachment, request, caller);
    } else {
      replaceRequests.replace(attachment, request, caller);
    }
  }

  private void settle(final Image image, final int reason, final Caller caller) {
    if ((reason & RequestDescriptor.SETTLE_LET_GO) != 0) {
      settling.letGo(image, Reason.of(reason & ~RequestDescriptor.SETTLE_LET_GO), caller);
    } else {
      settling.settle(image, Reason.of(reason), caller);
    }
  }

  /** Finds an image that a process has open; answers the caller if it has not. */
  Optional<Image> find(final Caller caller, final Attachment attachment, final int imageId) {
    final Image image = registry.find(imageId);
    if (image == null || !image.openers().has(attachment.index())) {
      caller.answer(
          new Reply.Failed(Errno.EINVAL, "%s has no image %d open".formatted(attachment, imageId)));
      return Optional.empty();
    }
    return Optional.of(image);
  }
}
