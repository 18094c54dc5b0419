package org.sluice.iop.wave.protocol;

import java.util.List;
import org.sluice.core.fault.FaultPoint;

/** An order to the coordinator for a wave. */
public sealed interface Order {
  /** Instead of a rank: every rank. */
  int ALL = -1;

  /**
   * Sends a message.
   *
   * @param kind a number of the protocol, or of {@link Control}
   * @param rank to which rank, or {@link #ALL}
   */
  record Send(int kind, int rank, byte[] bytes) implements Order {
    /** A message to every rank. */
    public static Send toAll(final int kind, final long... values) {
      return new Send(kind, ALL, Encoding.longs(values));
    }
  }

  /**
   * Counts the images of a rank as complete. Once those of all ranks are, the wave is committed.
   *
   * @param recorded what these images have besides the rank's state
   */
  record Complete(int rank, Recorded recorded) implements Order {}

  /**
   * Gives the wave up.
   *
   * @param again whether the checkpoint is still due: the next wave waits for the rest only, not
   *     for the time between two
   * @param rest for how long the next wave waits at least, in nanoseconds
   */
  record GiveUp(String why, boolean again, long rest) implements Order {
    /** The next one comes when it is due. */
    public GiveUp(final String why) {
      this(why, false, 0);
    }
  }

  /** Carries out others as one step. If it fails the wave is given up. */
  record Step(FaultPoint point, List<? extends Order> orders) implements Order {
    public static List<Order> of(final FaultPoint point, final Order... orders) {
      return List.of(new Step(point, List.of(orders)));
    }
  }
}
