package org.sluice.iop.wave.protocol;

import java.util.Map;

/**
 * The line that a rank took last. Once its wave is committed both ends of each stream count from it
 * on.
 */
final class LastLine {
  private final Rule leftOut;
  private Map<Stream, Long> sent;
  private Map<Stream, Long> got;
  private Expect expect;

  LastLine(final Rule leftOut) {
    this.leftOut = leftOut;
  }

  void taken(final Map<Stream, Long> sentBefore, final Map<Stream, Long> gotBefore) {
    sent = Map.copyOf(sentBefore);
    got = Map.copyOf(gotBefore);
    expect = null;
  }

  void expect(final Expect what) {
    expect = what;
  }

  /** How many messages were sent from here before this line. */
  long sentFromHere(final Stream stream) {
    return sent.getOrDefault(stream, 0L);
  }

  /** How many messages were sent to here before the sender's line. */
  long sentToHere(final Stream stream) {
    final long received = got.getOrDefault(stream, 0L);
    return leftOut == Rule.COUNTED_FROM_SENDERS_LINE
        ? received
        : expect.late().getOrDefault(stream, received - expect.early().getOrDefault(stream, 0L));
  }

  /** Counts from it on what is sent from here. */
  void countSent(final Map<Stream, Long> counts) {
    counts.replaceAll((stream, number) -> number - sentFromHere(stream));
    counts.values().removeIf(number -> number == 0);
  }
}
