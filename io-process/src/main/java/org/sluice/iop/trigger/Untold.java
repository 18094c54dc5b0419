package org.sluice.iop.trigger;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.segment.Header;
import org.sluice.core.segment.Layout;
import org.sluice.core.segment.Reason;
import org.sluice.core.segment.Segment;
import org.sluice.iop.checkpoint.CheckpointState;
import org.sluice.iop.image.ImageKey;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;

/**
 * The files that came into the capture directory during the session without any process telling of
 * them. Programs without the shim made them, or io_uring or Go in a process with the shim. No
 * checkpoint has them, so their bytes are counted. Service thread only.
 *
 * <p>In the files layout they are counted only where some process opens files past the shim. The
 * directory is not searched otherwise. No process tells of a small file there. So small files count
 * by the bytes beyond those that processes counted.
 */
final class Untold {
  private final Segment segment;
  private final ImageRegistry registry;
  private final CheckpointState state;
  private final Layout layout;
  private final Statistics statistics;
  private final Header header;
  private long bytes;
  private long smallBytes;
  private long files;
  private String first;

  Untold(
      final Segment segment,
      final ImageRegistry registry,
      final CheckpointState state,
      final Layout layout,
      final Statistics statistics) {
    this.segment = segment;
    this.registry = registry;
    this.state = state;
    this.layout = layout;
    this.statistics = statistics;
    this.header = segment.header();
  }

  /** Returns whether a process with the shim may have made such files. */
  boolean areLikely() {
    return reason() != Reason.FOREIGN;
  }

  private Reason reason() {
    return Stream.of(Reason.IO_URING, Reason.SYSCALL)
        .filter(header::isPast)
        .findFirst()
        .orElse(Reason.FOREIGN);
  }

  /** Counts the files in the capture directory at the end, and names one in a warning. */
  void count(final Map<ImageKey, List<String>> names) throws PosixException {
    final long begin = FileStatus.of(segment.file().toString()).identity().born();
    for (final Map.Entry<ImageKey, List<String>> file : names.entrySet()) {
      if (!isTold(file.getKey())) {
        add(file.getValue().getFirst(), begin);
      }
    }
    final long all = bytes + Math.max(0, smallBytes - header.plainBytes(Reason.SMALL));
    if (all > 0) {
      statistics.estimated(reason(), all);
    }
    if (files > 0 && areLikely()) {
      Warnings.warn(
          "%s was written %s, past Sluice, as were others: files=%d; they are plain files%s"
              .formatted(
                  first,
                  reason() == Reason.IO_URING ? "by io_uring" : "by a program's own system calls",
                  files,
                  layout.impliesCheckpoints() ? ", which no checkpoint has" : ""));
    }
  }

  private boolean isTold(final ImageKey key) {
    return registry.find(key) != null
        || state.lacks().containsKey(key)
        || layout.forgetsClosed() && registry.mayHaveHad(key);
  }

  private void add(final String path, final long begin) {
    final long size = writtenSince(begin, path);
    if (size > 0 && size <= header.small() && !layout.tellsOfSmall()) {
      smallBytes += size;
    } else if (size > 0) {
      bytes += size;
      files++;
      first = first == null ? path : first;
    }
  }

  private static long writtenSince(final long begin, final String path) {
    try {
      final FileStatus status = FileStatus.of(path);
      return begin > 0 && status.identity().born() > begin ? status.size() : 0;
    } catch (final PosixException deletedMeanwhile) {
      return 0;
    }
  }
}
