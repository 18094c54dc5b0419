package org.sluice.iop.wave;

import java.nio.ByteBuffer;
import java.util.BitSet;
import org.sluice.iop.wave.protocol.Recorded;

/** The figures of a wave: its costs, and what crossed its line. Service thread only. */
final class WaveFigures {
  private final long number;
  private final String protocol;
  private final int ranks;
  private final long began = System.nanoTime();
  private final BitSet taken = new BitSet();
  private final Snapshots snapshots = new Snapshots();
  private long bytes;
  private long reused;
  private long held;
  private long longestHeld;
  private long late;
  private long early;
  private long events;

  WaveFigures(final long number, final String protocol, final int ranks) {
    this.number = number;
    this.protocol = protocol;
    this.ranks = ranks;
  }

  void taken(final int rank, final ByteBuffer in) {
    taken.set(rank);
    bytes += in.getLong();
    final long nanos = in.getLong();
    held += nanos;
    longestHeld = Math.max(longestHeld, nanos);
    snapshots.taken(in.getLong(), in.getLong(), in.getLong());
    reused += in.getLong();
    late += in.getLong();
    snapshots.tried(in.getLong());
  }

  boolean hasState(final int rank) {
    return taken.get(rank);
  }

  void recorded(final Recorded what) {
    bytes += what.bytes();
    events += what.events();
    late += what.late();
    early += what.early();
    reused += what.reused();
  }

  long number() {
    return number;
  }

  String protocol() {
    return protocol;
  }

  int ranks() {
    return ranks;
  }

  long bytes() {
    return bytes;
  }

  /** Returns how many of the bytes were not written, as they were the same in the wave before. */
  long reused() {
    return reused;
  }

  Snapshots snapshots() {
    return snapshots;
  }

  long late() {
    return late;
  }

  long early() {
    return early;
  }

  long events() {
    return events;
  }

  double seconds() {
    return (System.nanoTime() - began) / 1e9;
  }

  double meanHeld() {
    return held / 1e9 / ranks;
  }

  double mostHeld() {
    return longestHeld / 1e9;
  }
}
