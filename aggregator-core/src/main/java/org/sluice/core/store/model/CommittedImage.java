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
 * @param chunks the chunks with records of it, in program order
 * @param blocks the valid pieces of its own file, ascending; the rest of that file does not count.
 *     In a bucket they are in the order of the copy, which brings logged bytes first
 * @param sharing description of a file that nodes share; null for any other
 * @param holders images of earlier checkpoints that hold the rest of its bytes
 */
public record CommittedImage(
    int ordinal,
    ImageAttributes attributes,
    List<ChunkLocation> chunks,
    List<Block> blocks,
    Sharing sharing,
    List<Holder> holders) {
  /** Returns its path below the capture directory, or its name; relative, without {@code ..}. */
  public String path() {
    return attributes.path();
  }

  /** Returns the rank that wrote it, -1 when unknown. */
  public int rank() {
    return attributes.rank();
  }

  public long size() {
    return attributes.size();
  }

  /** Returns its id in the records of the chunks. */
  public int imageId() {
    return attributes.imageId();
  }

  /** Returns the bytes of this image that earlier images hold. */
  public Pieces heldByOthers() {
    if (holders.isEmpty()) {
      return Pieces.NONE;
    }
    final List<Extent> all = new ArrayList<>();
    holders.forEach(holder -> all.addAll(holder.pieces().extents()));
    all.sort(Comparator.comparingLong(Extent::offset));
    return new Pieces(all);
  }

  /** Returns the number of its bytes that images of earlier checkpoints hold. */
  public long earlierBytes() {
    return holders.stream().mapToLong(holder -> holder.pieces().length()).sum();
  }

  /** Returns whether the checkpoint only names its file, which holds all of its bytes itself. */
  public boolean isDirect() {
    return sharing != null && sharing.kind() == Sharing.Kind.DIRECT;
  }

  /** Returns whether its file stays where its program put it, and a restore reads it there. */
  public boolean isInPlace() {
    return Sharing.isInPlace(sharing);
  }

  /**
   * Checks that a file in place is as it was committed; for any other image the checksums tell.
   *
   * @throws ChangedFileException when the file is gone, or was written to since
   */
  public void checkPlace() throws IOException {
    if (isInPlace()) {
      sharing.check(size());
    }
  }

  /** Returns the same image as one of another checkpoint, which has it among others. */
  public CommittedImage renumbered(final int itsOrdinal, final int id) {
    final ImageAttributes its =
        new ImageAttributes(path(), rank(), attributes.ranks(), attributes.mode(), size(), id);
    return new CommittedImage(itsOrdinal, its, chunks, blocks, sharing, holders);
  }

  /** Returns the same image, copied to an engine that has {@code all} its blocks in this order. */
  public CommittedImage copied(final List<Block> all) {
    return new CommittedImage(
        ordinal, attributes, List.of(), List.copyOf(all), isInPlace() ? null : sharing, List.of());
  }
}
