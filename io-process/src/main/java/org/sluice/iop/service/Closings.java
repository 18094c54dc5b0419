package org.sluice.iop.service;

import java.util.concurrent.Executor;
import org.sluice.core.posix.PosixException;
import org.sluice.core.request.Request;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.Reason;
import org.sluice.iop.checkpoint.Checkpoints;
import org.sluice.iop.checkpoint.ExplicitCheckpoints;
import org.sluice.iop.checkpoint.Farewells;
import org.sluice.iop.checkpoint.Groups;
import org.sluice.iop.checkpoint.SharedFiles;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;

/** What becomes of images that nobody has open, or that lose their names. Service thread only. */
final class Closings {
  private final ImageRegistry registry;
  private final CaptureDirectory capture;
  private final Unseen unseen;
  private final SharedFiles shared;
  private final Settling settling;
  private final Leases leases;
  private final Drain drain;
  private final Groups groups;
  private final ExplicitCheckpoints explicit;
  private final Farewells farewells;
  private final Statistics statistics;
  private final Executor service;
  private boolean untidy;

  Closings(
      final ImageRegistry registry,
      final CaptureDirectory capture,
      final Unseen unseen,
      final SharedFiles shared,
      final Settling settling,
      final Leases leases,
      final Drain drain,
      final Checkpoints checkpoints,
      final Statistics statistics,
      final Executor service) {
    this.registry = registry;
    this.capture = capture;
    this.unseen = unseen;
    this.shared = shared;
    this.settling = settling;
    this.leases = leases;
    this.drain = drain;
    this.groups = checkpoints.groups();
    this.explicit = checkpoints.explicit();
    this.farewells = checkpoints.farewells();
    this.statistics = statistics;
    this.service = service;
  }

  /** Does for an image of a former I/O process what may have been left to do. */
  void look(final Image image) {
    if (image.openers().isEmpty()) {
      if (image.isAbandoned()) {
        drain.correctSize(image);
      }
      ended(image);
    } else {
      groups.look(image);
    }
  }

  /** The last process that had the image open has closed it. */
  void ended(final Image image) {
    if (explicit.has(image)) {
      return;
    }
    unseen.closed(image);
    if (image.isLetGo()) {
      settling.takeBack(
          image, () -> service.execute(() -> image.letGo(!image.openers().isEmpty())));
    }
    groups.look(image);
    if (drain.isInPlace()) {
      final long first = image.times().first();
      drain.sync(image, now -> statistics.durable(first, now));
      if (!image.isOpenOutside()) {
        farewells.bid(image);
      }
    } else if (capture.hasLost(image.file())) {
      farewells.bid(image);
    } else {
      leases.closed(image);
    }
  }

  void renamed(final Request.Renamed request) {
    final Image image = registry.find(new ImageKey(request.device(), request.inode()));
    if (image == null) {
      return;
    }
    if (image.state() == ImageDescriptor.STATE_DIVERTED && shared.has(image, image.writer())) {
      settling.makeDirect(image, Reason.NODES, false);
      shared.count();
    }
    groups.look(image);
    if (image.openers().isEmpty() && capture.hasLost(image.file())) {
      farewells.bid(image);
    }
  }

  /** Lets go of files that were deleted behind everybody's back: as images they would keep room. */
  void forgetDeleted() {
    if (untidy) {
      drain.tidy(false);
    }
    untidy = false;
    for (final Image image : registry.all()) {
      if (image.openers().isEmpty() && !explicit.has(image) && isDeleted(image)) {
        groups.look(image);
        farewells.bid(image);
        untidy = true;
      }
    }
  }

  private static boolean isDeleted(final Image image) {
    try {
      return image.file().links() == 0;
    } catch (final PosixException e) {
      Warnings.warn(e.getMessage());
      return false;
    }
  }
}
