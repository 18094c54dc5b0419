package org.sluice.iop.service;

import java.util.LinkedHashMap;
import java.util.Map;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.Slot;
import org.sluice.iop.image.Image;

/** An application process and the slot it has. Service thread only. */
final class Attachment {
  private final long ordinal;
  private final int index;
  private final Slot slot;
  private final OneToOneRingBuffer ring;
  private final ProcessIdentity process;
  private final int rank;
  private final int ranks;

  /** The images it has open, with the time of the first opening. */
  private final Map<Image, Long> images = new LinkedHashMap<>();

  private boolean gone;
  private boolean corrupt;

  /**
   * An attached process.
   *
   * @param ordinal tells all processes of the session apart
   * @param index the slot's index
   */
  Attachment(
      final long ordinal,
      final int index,
      final Segment segment,
      final ProcessIdentity process,
      final int rank,
      final int ranks) {
    this.ordinal = ordinal;
    this.index = index;
    this.slot = segment.slot(index);
    this.ring = segment.ring(index);
    this.process = process;
    this.rank = rank;
    this.ranks = ranks;
  }

  long ordinal() {
    return ordinal;
  }

  int index() {
    return index;
  }

  Slot slot() {
    return slot;
  }

  OneToOneRingBuffer ring() {
    return ring;
  }

  ProcessIdentity process() {
    return process;
  }

  int rank() {
    return rank;
  }

  int ranks() {
    return ranks;
  }

  Map<Image, Long> images() {
    return images;
  }

  /** Whether its socket is closed; its slot may still be needed. */
  boolean isGone() {
    return gone;
  }

  void gone() {
    gone = true;
  }

  /** Whether its ring holds nonsense, so that it is not read any more. */
  boolean isCorrupt() {
    return corrupt;
  }

  void corrupt() {
    corrupt = true;
  }

  @Override
  public String toString() {
    return "slot %d of process %d".formatted(index, process.pid());
  }
}
