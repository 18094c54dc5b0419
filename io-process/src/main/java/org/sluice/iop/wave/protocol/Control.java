package org.sluice.iop.wave.protocol;

/**
 * The messages between ranks and the coordinator that any protocol has, by number; {@code
 * scripts/generate} writes the C of it. A protocol has messages of its own, with other numbers.
 */
public final class Control {
  /** From rank 0: the job is there. */
  public static final int HELLO = 1;

  /** From a rank: it took its line; its {@link Marker}. */
  public static final int MARKER = 4;

  /**
   * From a rank: it has written its image. Eight longs: bytes; nanoseconds for which it stood
   * still; 1 when a child wrote; nanoseconds that a copy cost before, and a fork; bytes left out;
   * messages that were under way and are in it; 1 when it took this way to learn what that costs.
   */
  public static final int TAKEN = 6;

  /** From a rank: it cannot take part, and why. */
  public static final int REFUSED = 10;

  /** From a rank: it has called {@code MPI_Finalize}. */
  public static final int DONE = 11;

  /** The program does what is carried over no line, and goes on: no wave is begun any more. Why. */
  public static final int NEVER = 13;

  /** To all ranks: a checkpoint is asked for, by the protocol of this number. */
  public static final int PLEASE = 33;

  /** To a rank: what crosses the line to it, an {@link Expect}. */
  public static final int EXPECT = 35;

  /** To all: the wave is given up. */
  public static final int GIVE_UP = 39;

  /** To all: all are done, and no wave is under way. */
  public static final int END = 41;

  /** To all: the wave is whole, and is committed with the images that each rank has written. */
  public static final int COMMIT = 42;

  /** Instead of a protocol's number: the coordinator chooses. */
  public static final int AUTO = 0;

  private Control() {}
}
