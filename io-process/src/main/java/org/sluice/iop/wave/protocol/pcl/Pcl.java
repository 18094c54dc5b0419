package org.sluice.iop.wave.protocol.pcl;

import java.util.Map;
import java.util.function.Supplier;
import org.sluice.iop.wave.protocol.Protocol;
import org.sluice.iop.wave.protocol.Wave;

/**
 * The protocol in which all ranks stop at one spot until nothing is under way. Nothing is recorded.
 * Its constants are the messages that no other protocol has.
 */
public final class Pcl implements Protocol {
  /** The number in messages and images. */
  public static final int NUMBER = 1;

  /** From a rank: how many spots it has passed, a long. */
  public static final int COUNTED = 2;

  /** From a rank: it was beyond the spot. */
  public static final int PASSED = 3;

  /** From a rank: all that was sent to it is there. */
  public static final int DRAINED = 5;

  /**
   * From a rank: it stood at the spot for as long as it may, while others did not come to theirs,
   * and goes on.
   */
  public static final int STOOD = 12;

  /**
   * To all: at which spot they stop. Two longs: that, and for how many nanoseconds one stands there
   * alone.
   */
  public static final int STOP_AT = 34;

  /** To all: write the images. */
  public static final int TAKE = 36;

  @Override
  public String name() {
    return "pcl";
  }

  @Override
  public int number() {
    return NUMBER;
  }

  @Override
  public String summary() {
    return "all stop and go on together";
  }

  @Override
  public Supplier<Wave> begin(final int ranks, final long patience) {
    final StopSpot spot = new StopSpot(patience);
    return () -> new PclWave(ranks, spot);
  }

  @Override
  public Map<String, Class<?>> numbers() {
    return Map.of("", Pcl.class);
  }
}
