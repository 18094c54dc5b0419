package org.sluice.core.store.node;

import java.util.List;
import org.sluice.core.posix.FileSource;
import org.sluice.core.store.model.Block;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.core.store.model.ImageAttributes;
import org.sluice.core.store.model.Sharing;

/**
 * An image about to be committed.
 *
 * @param chunks the chunks with records of it, in program order; empty when its own file holds
 *     everything
 * @param file its own file, which is opened for a moment if it is not open
 * @param shared whether a process may change the file during the commit or later, so that the
 *     checkpoint needs a copy
 * @param sharing what is said of a file that nodes share; null for any other
 * @param known checksums of bytes in its file, by offset; the other bytes are read
 * @param base what it has of an earlier checkpoint; null for nothing
 */
public record DraftImage(
    ImageAttributes attributes,
    List<ChunkLocation> chunks,
    FileSource file,
    boolean shared,
    Sharing sharing,
    List<Block> known,
    IncrementalSource base) {
  /** An image of which no checksum is known, and that has nothing of an earlier checkpoint. */
  public DraftImage(
      final ImageAttributes attributes,
      final List<ChunkLocation> chunks,
      final FileSource file,
      final boolean shared,
      final Sharing sharing) {
    this(attributes, chunks, file, shared, sharing, List.of(), null);
  }

  /** The same, with bytes of an earlier checkpoint. */
  public DraftImage goingOnFrom(final IncrementalSource earlier) {
    return new DraftImage(attributes, chunks, file, shared, sharing, known, earlier);
  }

  /** The same, with checksums of bytes in its file. */
  public DraftImage knowing(final List<Block> checksums) {
    return new DraftImage(attributes, chunks, file, shared, sharing, checksums, base);
  }

  /** Returns whether its file stays in its place, where others may write it. */
  boolean isDirect() {
    return sharing != null && sharing.kind() == Sharing.Kind.DIRECT;
  }
}
