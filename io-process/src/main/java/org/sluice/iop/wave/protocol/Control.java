package org.sluice.iop.wave.protocol;

/**
 * What ranks and the coordinator tell each other, by number; {@code scripts/generate} writes the C
 * of it.
 */
public final class Control {
  /** From rank 0: the job is there. */
  public static final int HELLO = 1;

  /** From a rank: how many spots it has passed. */
  public static final int COUNTED = 2;

  /** It was beyond the spot. */
  public static final int PASSED = 3;

  /** It took its line: its {@link Marker}. */
  public static final int MARKER = 4;

  /** All that was sent to it is there. */
  public static final int DRAINED = 5;

  /**
   * It has written its image. Eight longs: bytes; nanoseconds for which it stood still; 1 when a
   * child wrote; nanoseconds that a copy cost before, and a fork; bytes left out; by Pcl, messages
   * that were under way and are in it; 1 when it took this way to learn what that costs.
   */
  public static final int TAKEN = 6;

  /** All that it was told to expect has come. */
  public static final int READY = 7;

  /** It stopped recording: its {@link Recording}. */
  public static final int STOPPED = 8;

  /**
   * It has written what it recorded. Six longs: bytes of late messages, and of events; events; late
   * messages, and early ones; bytes of its image that were left out.
   */
  public static final int WRITTEN = 9;

  /** It cannot take part, and why. */
  public static final int REFUSED = 10;

  /** It has called {@code MPI_Finalize}. */
  public static final int DONE = 11;

  /**
   * It stood at the spot for as long as it may, while others did not come to theirs: it goes on.
   */
  public static final int STOOD = 12;

  /** The program does what is carried over no line, and goes on: no wave is begun any more. Why. */
  public static final int NEVER = 13;

  /** To all ranks: a checkpoint is asked for, by which protocol. */
  public static final int PLEASE = 33;

  /**
   * At which spot all stop. Two longs: that, and for how many nanoseconds one stands there alone.
   */
  public static final int STOP_AT = 34;

  /** To a rank: what crosses the line to it, an {@link Expect}. */
  public static final int EXPECT = 35;

  /** To all: write the images. */
  public static final int TAKE = 36;

  /** To all: stop recording. */
  public static final int STOP = 37;

  /** To a rank: its {@link Plan}. */
  public static final int PLAN = 38;

  /** To all: the wave is given up. */
  public static final int GIVE_UP = 39;

  /** To all: all are done, and no wave is under way. */
  public static final int END = 41;

  /** To all: the wave is whole, and is committed with the images that each rank has written. */
  public static final int COMMIT = 42;

  /** The number of Pcl in a message. */
  public static final int PCL = 1;

  /** The number of C3. */
  public static final int C3 = 2;

  /** Instead of one: the coordinator chooses. */
  public static final int AUTO = 3;

  private Control() {}
}
