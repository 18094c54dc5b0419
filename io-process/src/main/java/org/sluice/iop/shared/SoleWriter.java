package org.sluice.iop.shared;

import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.segment.ImageDescriptor;
import org.sluice.core.segment.ImageTable;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Image;
import org.sluice.iop.measure.Warnings;

/**
 * The check that no other node wrote to a file which is logged here. Such writes would be lost, or
 * be overwritten by bytes that this node logged before. Only the file itself tells of them. While
 * all bytes of this node are in containers, its own file is empty. Otherwise the file is no longer
 * than the image, and its time of modification stays as it was at the last close. Changes of names
 * and rights by this node's programs change neither.
 */
public final class SoleWriter {
  /** The age that attributes in the cache of a network file system may have. */
  private static final Duration STALE = Duration.ofSeconds(2);

  private final CaptureDirectory capture;
  private final ImageTable table;

  /** The status of files when the last process closed them. */
  private final Map<Image, FileStatus> left = Collections.synchronizedMap(new WeakHashMap<>());

  private Boolean shared;

  public SoleWriter(final CaptureDirectory capture, final ImageTable table) {
    this.capture = capture;
    this.table = table;
  }

  /** Returns whether other nodes can reach the file of an image that is logged. Service thread. */
  public boolean isOfLogged(final Image image) {
    return image.state() == ImageDescriptor.STATE_DIVERTED && isOf(image);
  }

  /** Returns whether other nodes can reach the file of an image. Service thread. */
  public boolean isOf(final Image image) {
    return image.created() == null && image.writer().isOfSeveralNodes() && isShared();
  }

  private boolean isShared() {
    if (shared == null) {
      shared = capture.isShared();
    }
    return shared;
  }

  /**
   * Remembers the status of a file once all processes of this node have closed it. Service thread.
   */
  public void closed(final Image image) {
    if (isOfLogged(image)) {
      try {
        left.put(image, image.held().status());
      } catch (final IOException e) {
        Warnings.warn("whether another node writes it, too, is seen late: " + e.getMessage());
        left.remove(image);
      }
    }
  }

  /**
   * Fails an image that another node has written to. Write stage, after all writes of this node.
   */
  public void check(final Image image, final String path) throws IOException {
    final FileStatus now = image.held().status();
    final String difference = difference(image, now);
    if (difference != null) {
      final IOException failure =
          new IOException(
              "%s was written by another node, too: %s; leave it out of --private, or give each node's file a name of its own"
                  .formatted(path, difference));
      image.fail(failure);
      throw failure;
    }
  }

  /** Returns a sign of another node's writes; null for none. */
  private String difference(final Image image, final FileStatus now) {
    final boolean counted = table.unseen(image.entry()) == 0;
    final boolean empty =
        counted && table.directBytes(image.entry()) == 0 && !image.log().isInOwnFile();
    final long most = empty ? 0 : Math.max(image.size(), image.log().size());
    final FileStatus then = left.get(image);
    if (now.size() > most && counted) {
      return "it has %d bytes of its own, and this node gave it %d".formatted(now.size(), most);
    } else if (empty && now.allocated() > 0) {
      return "it has %d bytes in blocks, and this node gave it none".formatted(now.allocated());
    } else if (then != null
        && (now.size() != then.size()
            || Duration.between(then.modified(), now.modified()).abs().compareTo(STALE) > 0)) {
      return "it has changed since the last rank here closed it";
    }
    return null;
  }
}
