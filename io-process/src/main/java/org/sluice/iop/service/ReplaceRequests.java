package org.sluice.iop.service;

import java.util.List;
import org.sluice.core.request.Reply;
import org.sluice.core.request.Request;
import org.sluice.core.request.RequestDescriptor;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.iop.checkpoint.CapturedFiles;
import org.sluice.iop.drain.Caller;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.outside.Leases;
import org.sluice.iop.trigger.Checkpoints;

/**
 * The answers to processes that are about to change files by their names, or to end beside programs
 * past the shim. Service thread only.
 */
public final class ReplaceRequests {
  private final CapturedFiles files;
  private final Drain drain;
  private final Checkpoints checkpoints;
  private final Attachments attachments;
  private final Settling settling;
  private final Leases leases;
  private final Admissions admissions;
  private final EarlierFiles earlier;

  public ReplaceRequests(
      final CapturedFiles files,
      final Drain drain,
      final Checkpoints checkpoints,
      final Attachments attachments,
      final Settling settling,
      final Leases leases,
      final Admissions admissions) {
    this.files = files;
    this.drain = drain;
    this.checkpoints = checkpoints;
    this.attachments = attachments;
    this.settling = settling;
    this.leases = leases;
    this.admissions = admissions;
    this.earlier = new EarlierFiles(files);
  }

  /**
   * Holds closed files. A program that opens a closed file past the shim finds it whole from here
   * on, or waits. A file that its process has not closed yet, as it ends, no lease can hold.
   */
  void hold(final Caller caller) {
    attachments.poll();
    final List<Image> open = leases.hold(image -> !checkpoints.explicit().has(image));
    if (open.isEmpty()) {
      caller.answer(new Reply.Done());
    } else {
      open.forEach(image -> settling.makeDirect(image, Reason.OTHER, false));
      drain.answer(caller, Reply.Done::new);
    }
  }

  void replace(final Attachment opener, final Request.Replace request, final Caller caller) {
    final ImageKey key = new ImageKey(request.device(), request.inode());
    if (files.registry().find(key) == null) {
      attachments.poll(); // a file that its process entered is about to get another name
    }
    final Image image = files.registry().find(key);
    final boolean stays = (request.flags() & RequestDescriptor.REPLACE_NONE) != 0;
    leases.giveBack(key);
    final boolean empty = (request.flags() & RequestDescriptor.REPLACE_TRUNCATE) != 0;
    if (image == null && empty) {
      earlier.replace(key, admissions.path(request.path(), key), opener.writer());
    }
    if (image == null || stays || image.state() != ImageDescriptor.STATE_COMMITTED) {
      caller.answer(new Reply.Done());
      return;
    }
    final String path = admissions.path(request.path(), key).orElse("");
    checkpoints.replacements().replace(image, path, empty, caller, new Reply.Done());
  }
}
