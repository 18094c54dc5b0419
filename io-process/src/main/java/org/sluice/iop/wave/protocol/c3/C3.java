package org.sluice.iop.wave.protocol.c3;

import java.util.Map;
import java.util.function.Supplier;
import org.sluice.iop.wave.protocol.Expect;
import org.sluice.iop.wave.protocol.Protocol;
import org.sluice.iop.wave.protocol.Wave;

/**
 * The protocol in which no rank waits for another one. Ranks record what crosses their line, and a
 * restart repeats it. Its constants are the messages that no other protocol has.
 */
public final class C3 implements Protocol {
  /** The number in messages and images. */
  public static final int NUMBER = 2;

  /** From a rank: all that it was told to {@link Expect} has come. */
  public static final int READY = 7;

  /** From a rank: it stopped recording; its {@link Recording}. */
  public static final int STOPPED = 8;

  /**
   * From a rank: it has written what it recorded. Six longs: bytes of late messages, and of events;
   * events; late messages, and early ones; bytes of its image that were left out.
   */
  public static final int WRITTEN = 9;

  /** To all: stop recording. */
  public static final int STOP = 37;

  /** To a rank: its {@link Plan}. */
  public static final int PLAN = 38;

  @Override
  public String name() {
    return "c3";
  }

  @Override
  public int number() {
    return NUMBER;
  }

  @Override
  public String summary() {
    return "no rank waits for another";
  }

  @Override
  public Supplier<Wave> begin(final int ranks, final long patience) {
    return () -> new C3Wave(ranks);
  }

  @Override
  public Map<String, Class<?>> numbers() {
    return Map.of("", C3.class, "EVENT_", EventKind.class);
  }
}
