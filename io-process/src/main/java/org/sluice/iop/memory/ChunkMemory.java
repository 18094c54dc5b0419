package org.sluice.iop.memory;

import java.io.IOException;
import org.sluice.core.segment.Segment;

/** The memory of a segment's chunks. For the thread of {@link Provision} alone. */
public final class ChunkMemory implements Provision.Chunks {
  private final Segment segment;

  /** Creates a view of a segment. */
  public ChunkMemory(final Segment segment) {
    this.segment = segment;
  }

  @Override
  public int made() {
    return segment.geometry().chunkCount() - (int) segment.header().absentChunks();
  }

  @Override
  public void makeNext() throws IOException {
    segment.provideNext();
  }

  @Override
  public void grant(final long chunks) {
    segment.header().grantMemory(chunks);
  }

  @Override
  public boolean takeRefused() {
    return segment.header().takeMemoryRefused();
  }

  @Override
  public int making() {
    return segment.chunkPool().making();
  }

  @Override
  public int giveBack(final int first) {
    return segment.giveMemoryBack(first);
  }
}
