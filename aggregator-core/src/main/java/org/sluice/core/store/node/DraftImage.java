package org.sluice.core.store.node;

import java.util.List;
import org.sluice.core.posix.FileSource;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.Sharing;

/**
 * An image about to be committed.
 *
 * @param path its path below the capture directory, or its name; relative, without {@code ..}
 * @param rank the rank that wrote it, -1 when unknown
 * @param ranks ranks of the job, 0 when unknown
 * @param mode permissions the restored file gets
 * @param size its size
 * @param imageId its id in the records of the chunks
 * @param chunks the chunks with records of it, in program order; empty when its own file holds
 *     everything
 * @param file its own file, which is opened for a moment if it is not open
 * @param shared whether a process may change the file during the commit or later, so that the
 *     checkpoint needs a copy
 * @param sharing what is said of a file that nodes share; null for any other
 * @param base what it has of an earlier checkpoint; null for nothing
 */
public record DraftImage(
    String path,
    int rank,
    int ranks,
    int mode,
    long size,
    int imageId,
    List<ChunkLocation> chunks,
    FileSource file,
    boolean shared,
    Sharing sharing,
    IncrementalSource base) {
  /**
   * An image that has nothing of an earlier checkpoint.
   *
   * @param path its path below the capture directory, or its name
   * @param rank the rank that wrote it, -1 when unknown
   * @param ranks ranks of the job, 0 when unknown
   * @param mode permissions the restored file gets
   * @param size its size
   * @param imageId its id in the records of the chunks
   * @param chunks the chunks with records of it, in program order
   * @param file its own file
   * @param shared whether a process may change the file during the commit or later
   * @param sharing what is said of a file that nodes share; null for any other
   */
  public DraftImage(
      final String path,
      final int rank,
      final int ranks,
      final int mode,
      final long size,
      final int imageId,
      final List<ChunkLocation> chunks,
      final FileSource file,
      final boolean shared,
      final Sharing sharing) {
    this(path, rank, ranks, mode, size, imageId, chunks, file, shared, sharing, null);
  }

  /**
   * The same, with bytes of an earlier checkpoint.
   *
   * @param earlier which, and which bytes
   * @return all else is the same
   */
  public DraftImage goingOnFrom(final IncrementalSource earlier) {
    return new DraftImage(
        path, rank, ranks, mode, size, imageId, chunks, file, shared, sharing, earlier);
  }

  /** Returns whether its file stays in its place, where others may write it. */
  boolean isDirect() {
    return sharing != null && sharing.kind() == Sharing.Kind.DIRECT;
  }
}
