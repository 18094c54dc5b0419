package org.sluice.core.store.model;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.sluice.core.posix.Extent;

/**
 * An image of a committed checkpoint.
 *
 * @param ordinal its number in the checkpoint, from 0
 * @param path its path below the capture directory, or its name; relative, without {@code ..}
 * @param rank the rank that wrote it, -1 when unknown
 * @param ranks ranks of the job, 0 when unknown
 * @param mode permissions the restored file gets
 * @param size its size
 * @param imageId its id in the records of the chunks
 * @param chunks the chunks with records of it, in program order
 * @param blocks what its own file holds, ascending; the rest of that file does not count
 * @param sharing what is said of a file that nodes share; null for any other
 * @param holders images of earlier checkpoints that hold the rest of its bytes
 */
public record CommittedImage(
    int ordinal,
    String path,
    int rank,
    int ranks,
    int mode,
    long size,
    int imageId,
    List<ChunkLocation> chunks,
    List<Block> blocks,
    Sharing sharing,
    List<Holder> holders) {
  /**
   * An image that holds all of its bytes itself.
   *
   * @param ordinal its number in the checkpoint, from 0
   * @param path its path below the capture directory, or its name
   * @param rank the rank that wrote it, -1 when unknown
   * @param ranks ranks of the job, 0 when unknown
   * @param mode permissions the restored file gets
   * @param size its size
   * @param imageId its id in the records of the chunks
   * @param chunks the chunks with records of it, in program order
   * @param blocks what its own file holds, ascending
   * @param sharing what is said of a file that nodes share; null for any other
   */
  public CommittedImage(
      final int ordinal,
      final String path,
      final int rank,
      final int ranks,
      final int mode,
      final long size,
      final int imageId,
      final List<ChunkLocation> chunks,
      final List<Block> blocks,
      final Sharing sharing) {
    this(ordinal, path, rank, ranks, mode, size, imageId, chunks, blocks, sharing, List.of());
  }

  /**
   * The bytes of this image that earlier images hold.
   *
   * @return all that its holders have
   */
  public Pieces heldByOthers() {
    if (holders.isEmpty()) {
      return Pieces.NONE;
    }
    final List<Extent> all = new ArrayList<>();
    holders.forEach(holder -> all.addAll(holder.pieces().extents()));
    all.sort(Comparator.comparingLong(Extent::offset));
    return new Pieces(all);
  }

  /**
   * How many of its bytes images of earlier checkpoints hold.
   *
   * @return 0 where it holds all itself
   */
  public long earlierBytes() {
    return holders.stream().mapToLong(holder -> holder.pieces().length()).sum();
  }

  /**
   * Whether the checkpoint only names its file, which holds all of its bytes itself.
   *
   * @return false for what a restore rebuilds
   */
  public boolean isDirect() {
    return sharing != null && sharing.kind() == Sharing.Kind.DIRECT;
  }

  /**
   * Whether its file stays where its program put it, and a restore reads it there.
   *
   * @return false for what the store has
   */
  public boolean isInPlace() {
    return Sharing.isInPlace(sharing);
  }

  /**
   * Sees that a file in place is as it was committed; of any other image the checksums tell.
   *
   * @throws ChangedFileException when it is gone, or was written to since
   * @throws IOException when that cannot be told
   */
  public void checkPlace() throws IOException {
    if (isInPlace()) {
      sharing.check(size);
    }
  }

  /**
   * The same image as one of another checkpoint, which has it among others.
   *
   * @param itsOrdinal its number there
   * @param id its id there
   * @return all else is the same
   */
  public CommittedImage renumbered(final int itsOrdinal, final int id) {
    return new CommittedImage(
        itsOrdinal, path, rank, ranks, mode, size, id, chunks, blocks, sharing, holders);
  }

  /**
   * The same, copied to an engine.
   *
   * @param all what it has, in the order in which the engine has it
   * @return without chunks
   */
  public CommittedImage copied(final List<Block> all) {
    return new CommittedImage(
        ordinal,
        path,
        rank,
        ranks,
        mode,
        size,
        imageId,
        List.of(),
        List.copyOf(all),
        isInPlace() ? null : sharing);
  }
}
