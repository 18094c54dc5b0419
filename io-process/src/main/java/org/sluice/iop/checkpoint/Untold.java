package org.sluice.iop.checkpoint;

import java.util.List;
import java.util.Map;
import org.sluice.core.posix.FileStatus;
import org.sluice.core.posix.PosixException;
import org.sluice.core.segment.Reason;
import org.sluice.iop.image.ImageKey;

/**
 * Files that came into the capture directory while the session lasted and that no process told of:
 * those of programs without the shim, and what io_uring or Go creates in a process that has it. No
 * checkpoint has them, so their bytes are counted. Service thread only.
 */
final class Untold {
  private final Context context;

  Untold(final Context context) {
    this.context = context;
  }

  /**
   * Counts them, by what lies in the capture directory at the end.
   *
   * @param names all that is there
   */
  void count(final Map<ImageKey, List<String>> names) throws PosixException {
    final long begin = FileStatus.of(context.segment().file().toString()).born();
    long bytes = 0;
    for (final Map.Entry<ImageKey, List<String>> file : names.entrySet()) {
      if (context.registry().find(file.getKey()) == null
          && !context.state().lacks().containsKey(file.getKey())) {
        bytes += writtenSince(begin, file.getValue().getFirst());
      }
    }
    if (bytes > 0) {
      context.statistics().estimated(Reason.FOREIGN, bytes);
    }
  }

  private static long writtenSince(final long begin, final String path) {
    try {
      final FileStatus status = FileStatus.of(path);
      return begin > 0 && status.born() > begin ? status.size() : 0;
    } catch (final PosixException deletedMeanwhile) {
      return 0;
    }
  }
}
