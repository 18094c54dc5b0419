package org.sluice.core.segment;

/**
 * Layout of a chunk's state word.
 *
 * <pre>
 *   63                          32 31                     8 7      0
 *  +------------------------------+------------------------+--------+
 *  | generation                   | owner slot             | state  |
 *  +------------------------------+------------------------+--------+
 * </pre>
 *
 * FREE becomes OPEN by compare-and-set of any process; OPEN becomes PUBLISHED by its owner;
 * PUBLISHED becomes FREE, one generation later, by the I/O process. At first every chunk is ABSENT,
 * in generation -1. A chunk that gets memory is FREE one generation later, by the I/O process, or
 * OPEN by way of MAKING, by a process that makes the memory itself. A FREE chunk becomes ABSENT
 * again by way of MAKING, when the I/O process gives its memory back. ABSENT words name the slot
 * {@link #NOBODY}.
 */
public final class ChunkStateDescriptor {
  public static final int LENGTH = 8;

  /** State: any process may claim the chunk. */
  public static final int FREE = 0;

  /** State: the owner slot's process appends to the chunk. */
  public static final int OPEN = 1;

  /** State: the chunk is on its way through the drain. */
  public static final int PUBLISHED = 2;

  /** State: the chunk has no memory. */
  public static final int ABSENT = 3;

  /** State: the owner slot's process makes the memory; nobody else touches the chunk. */
  public static final int MAKING = 4;

  /** The owner of a chunk without memory, or of one that loses it. */
  public static final int NOBODY = (1 << 24) - 1;

  private ChunkStateDescriptor() {}

  /**
   * Packs a state word.
   *
   * @param state {@link #FREE}, {@link #OPEN}, {@link #PUBLISHED}, {@link #ABSENT} or {@link
   *     #MAKING}
   * @param slot owner slot, 0 to 2^24 - 1
   * @param generation times the chunk was released, modulo 2^32
   */
  public static long word(final int state, final int slot, final int generation) {
    return (long) generation << 32 | (long) slot << 8 | state;
  }

  public static int state(final long word) {
    return (int) word & 0xFF;
  }

  /** Returns the owner slot, 0 to 2^24 - 1. */
  public static int slot(final long word) {
    return (int) word >>> 8;
  }

  public static int generation(final long word) {
    return (int) (word >>> 32);
  }
}
