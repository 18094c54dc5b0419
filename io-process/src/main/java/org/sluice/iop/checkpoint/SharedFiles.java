package org.sluice.iop.checkpoint;

import java.io.IOException;
import java.util.Optional;
import java.util.regex.Pattern;
import org.sluice.core.libc.PosixException;
import org.sluice.core.posix.FileSource;
import org.sluice.core.posix.NativeFile;
import org.sluice.core.segment.Reason;
import org.sluice.core.store.model.Sharing;
import org.sluice.iop.image.CaptureDirectory;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.Writer;
import org.sluice.iop.measure.Occurrence;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.measure.Warnings;

/**
 * Captured files that processes of other nodes may write, too: those of a job on several nodes, on
 * a file system that nodes may share, unless one node alone has them. A path says so if it tells
 * the one rank that writes it, or if {@code --private} matches it. Bytes that are logged here and
 * drained later could be laid over what others wrote meanwhile. So the other files go direct, as do
 * those that MPI_File_open opens. A checkpoint of all nodes names them: a commit that had their
 * bytes would freeze an inode that others go on writing. Service thread only.
 */
public final class SharedFiles {
  private static final String REMEDY =
      "name the rank in --group, as in 'ckpt-(\\d+)/rank-(?<rank>\\d+)', or say by --private which"
          + " files one node alone opens";

  private final Grouping grouping;
  private final Optional<Pattern> alone;
  private final CaptureDirectory capture;
  private final Statistics statistics;

  /**
   * @param settings which paths tell a rank, and which are one node's
   */
  public SharedFiles(
      final CheckpointSettings settings,
      final CaptureDirectory capture,
      final Statistics statistics) {
    this.grouping = settings.grouping();
    this.alone = settings.alone();
    this.capture = capture;
    this.statistics = statistics;
  }

  /**
   * Returns whether ranks on other nodes may write a file that is about to become an image.
   *
   * @return false also for a job on this node alone
   */
  public boolean has(final NativeFile file, final Writer writer, final boolean mpi) {
    return writer.isOfSeveralNodes()
        && (mpi || !isPrivate(path(file), writer))
        && !isNameless(file)
        && isShared(file);
  }

  /** Returns whether ranks on other nodes may write an image that a process has opened. */
  public boolean has(final Image image, final Writer writer, final boolean mpi) {
    return writer.isOfSeveralNodes()
        && (mpi || wasOpenedByMpi(image) || !isPrivate(capture.relativePath(image), writer))
        && isShared(image);
  }

  /**
   * Returns whether one rank alone writes the file of a path, in a job on several nodes and on a
   * file system that they share. Such a file is in checkpoints, and an earlier run of the job may
   * have used it on another node.
   */
  public boolean hasEarlier(final String path, final Writer writer) {
    return writer.isOfSeveralNodes()
        && isPrivate(Optional.of(capture.relative(path)), writer)
        && capture.isShared();
  }

  /**
   * Returns whether ranks on other nodes may write an image.
   *
   * @param path where it is below the capture directory
   * @return false also for a job on this node alone, and for an image of the API
   */
  public boolean has(final Image image, final String path) {
    return image.writer().isOfSeveralNodes()
        && image.created() == null
        && (wasOpenedByMpi(image) || !isPrivate(Optional.of(path), image.writer()))
        && isShared(image);
  }

  /**
   * Returns whether other nodes may write a file, too, that was there before: one of them may have
   * made it just now; false also where the capture directory is this node's own.
   */
  public boolean mayHave(final String path, final Writer writer, final boolean mpi) {
    return writer.isOfSeveralNodes()
        && capture.contains(path)
        && (mpi || !isPrivate(Optional.of(capture.relative(path)), writer))
        && capture.isShared();
  }

  /**
   * Returns whether MPI_File_open opened an image. Nothing else makes an image direct that is one
   * node's by its name.
   */
  private boolean wasOpenedByMpi(final Image image) {
    return image.reason() == Reason.NODES
        && isPrivate(
            Optional.of(image.opened()).filter(capture::contains).map(capture::relative),
            image.writer());
  }

  private boolean isPrivate(final Optional<String> path, final Writer writer) {
    return path.isPresent() && (isAlone(path.get()) || tellsRank(path.get(), writer));
  }

  private boolean isAlone(final String path) {
    return alone.stream().anyMatch(its -> its.matcher(path).find());
  }

  private boolean tellsRank(final String path, final Writer writer) {
    return grouping.rank(path).stream().anyMatch(told -> told == writer.rank());
  }

  /**
   * Returns the mark by which a checkpoint has a path that other nodes could have as well; null for
   * none. Any thread.
   */
  Sharing sharing(final String path) {
    return isAlone(path) ? Sharing.PRIVATE : null;
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

  /** Returns whether a file has no name yet, without which no other process can open it. */
  private static boolean isNameless(final NativeFile file) {
    try {
      return file.status().links() == 0;
    } catch (final PosixException e) {
      return false;
    }
  }

  public void count() {
    statistics.count(Occurrence.SHARED_FILES, 1);
  }

  /** Returns why no file of a job can be in a group; empty when some can. */
  public Optional<String> obstacle(final Writer writer) {
    final boolean untold = grouping.exists() && !grouping.tellsRanks() && alone.isEmpty();
    return writer.isOfSeveralNodes() && untold && capture.isShared()
        ? Optional.of(
            "the job has ranks on other nodes, which may write to %s, too; %s"
                .formatted(capture.path(), REMEDY))
        : Optional.empty();
  }

  /** Warns at the end when files were shared with other nodes. */
  public void report(final long unnamed) {
    final long files = statistics.count(Occurrence.SHARED_FILES);
    if (files > 0) {
      Warnings.warn(
          "files that ranks on other nodes may write, too, went direct and stay where they are%s; %s:"
                  .formatted(unnamed > 0 ? ", in no checkpoint: " + unnamed : "", REMEDY)
              + " files=%d".formatted(files));
    }
  }
}
