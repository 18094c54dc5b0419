package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.Optional;
import org.sluice.core.posix.FileSource;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.posix.PosixException;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.Writer;
import org.sluice.iop.measure.Occurrence;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;

/**
 * Captured files that processes of other nodes may write, too: those of a job on several nodes, on
 * a file system that nodes may share, whose paths do not tell the one rank that writes them. What
 * is logged here and drained later could be laid over what others wrote meanwhile, so they go
 * direct. Nor does any checkpoint have them: a commit would freeze an inode that others go on
 * writing, and no node has all of its bytes at any moment. Service thread only.
 */
public final class SharedFiles {
  private static final String REMEDY =
      "name the rank in --group, as in 'ckpt-(\\d+)/rank-(?<rank>\\d+)', or capture a directory of"
          + " each node's own";

  private final Grouping grouping;
  private final CaptureDirectory capture;
  private final Statistics statistics;

  /**
   * A session without shared files.
   *
   * @param grouping which rank a path tells; null for none
   * @param capture where captured files are
   * @param statistics counts them
   */
  public SharedFiles(
      final Grouping grouping, final CaptureDirectory capture, final Statistics statistics) {
    this.grouping = grouping;
    this.capture = capture;
    this.statistics = statistics;
  }

  /**
   * Whether ranks on other nodes may write a file that is about to become an image.
   *
   * @param file a captured file
   * @param writer who has opened it
   * @return false also for a job on this node alone
   */
  public boolean has(final NativeFile file, final Writer writer) {
    return writer.isOfSeveralNodes() && !tellsRank(path(file), writer) && isShared(file);
  }

  /**
   * Whether ranks on other nodes may write an image that a process has opened.
   *
   * @param image an image of the session
   * @param writer the process that opens it
   * @return false also for a job on this node alone
   */
  public boolean has(final Image image, final Writer writer) {
    return writer.isOfSeveralNodes()
        && !tellsRank(capture.relativePath(image), writer)
        && isShared(image);
  }

  /**
   * Whether a path tells its one rank in a job on several nodes, on a file system that they share:
   * then its file is in checkpoints, and an earlier run of the job may have used it on another
   * node.
   *
   * @param path a path in the capture directory
   * @param writer who is to write it
   * @return false also for a job on this node alone
   */
  public boolean hasEarlier(final String path, final Writer writer) {
    return writer.isOfSeveralNodes()
        && tellsRank(Optional.of(capture.relative(path)), writer)
        && capture.isShared();
  }

  /** Whether ranks on other nodes may write an image under this path. */
  boolean has(final Image image, final String path) {
    return image.writer().isOfSeveralNodes()
        && !tellsRank(Optional.of(path), image.writer())
        && isShared(image);
  }

  private boolean tellsRank(final Optional<String> path, final Writer writer) {
    return grouping != null
        && path.isPresent()
        && grouping.rank(path.get()).stream().anyMatch(told -> told == writer.rank());
  }

  private Optional<String> path(final NativeFile file) {
    try {
      return file.path().map(capture::relative);
    } catch (final IOException unknown) {
      return Optional.empty();
    }
  }

  private static boolean isShared(final Image image) {
    try (FileSource.Loan loan = image.held().lend()) {
      return isShared(loan.file());
    } catch (final IOException e) {
      Warnings.warn(e.getMessage() + "; the file goes direct");
      return true;
    }
  }

  private static boolean isShared(final NativeFile file) {
    try {
      return file.isShared();
    } catch (final PosixException e) {
      Warnings.warn(e.getMessage() + "; the file goes direct");
      return true;
    }
  }

  /** Counts a file that goes direct therefore. */
  public void count() {
    statistics.count(Occurrence.SHARED_FILES, 1);
  }

  /** Why no file of a job can be in a group; empty when some can. */
  Optional<String> obstacle(final Writer writer) {
    final boolean untold = grouping != null && !grouping.tellsRanks();
    return writer.isOfSeveralNodes() && untold && capture.isShared()
        ? Optional.of(
            "the job has ranks on other nodes, which may write to %s, too; %s"
                .formatted(capture.path(), REMEDY))
        : Optional.empty();
  }

  /** Warns at the end when files were shared with other nodes. */
  void report() {
    final long files = statistics.count(Occurrence.SHARED_FILES);
    if (files > 0) {
      Warnings.warn(
          "files that ranks on other nodes may write, too, went direct and are in no checkpoint; %s:"
                  .formatted(REMEDY)
              + " files=%d".formatted(files));
    }
  }
}
