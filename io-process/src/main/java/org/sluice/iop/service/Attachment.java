package org.sluice.iop.service;

import java.util.LinkedHashMap;
import java.util.Map;
import org.sluice.core.request.Request;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.segment.RingReader;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.Slot;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.Writer;
import org.sluice.iop.journal.Entry;

/** An application process and the slot it has. Service thread only. */
final class Attachment {
  private final long generation;
  private final int index;
  private final Slot slot;
  private final RingReader ring;
  private final ProcessIdentity process;
  private final Writer writer;
  private final long token;

  /** The images it has open, with the time of the first opening. */
  private final Map<Image, Long> images = new LinkedHashMap<>();

  private Connection connection;
  private long requests;
  private Entry lastRequest;
  private boolean awaited;
  private boolean gone;
  private boolean corrupt;

  /**
   * An attached process.
   *
   * @param generation how many processes the slot has had; tells them apart
   * @param index the slot's index
   * @param killsBefore how many processes were killed before it came
   * @param token of the request for it
   */
  Attachment(
      final long generation,
      final int index,
      final Segment segment,
      final ProcessIdentity process,
      final int rank,
      final int ranks,
      final int localRanks,
      final int killsBefore,
      final long token) {
    this.generation = generation;
    this.index = index;
    this.slot = segment.slot(index);
    this.ring = segment.ringReader(index);
    this.process = process;
    this.writer = new Writer(ordinal(generation, index), rank, ranks, localRanks, killsBefore);
    this.token = token;
  }

  /** Whether it was this request of this process that got the slot. */
  boolean isFor(final ProcessIdentity requester, final long requestToken) {
    return process.equals(requester) && token == requestToken;
  }

  /** Tells all processes of the session apart, whichever I/O process serves it. */
  static long ordinal(final long generation, final int slot) {
    return generation << Integer.SIZE | slot;
  }

  long generation() {
    return generation;
  }

  /** Its socket; null while a resumed I/O process waits for it. */
  Connection connection() {
    return connection;
  }

  void connected(final Connection client) {
    connection = client;
    awaited = false;
    gone = false;
  }

  /** Whether it was there when the former I/O process was killed, and has not come back yet. */
  boolean isAwaited() {
    return awaited;
  }

  /**
   * It will come back.
   *
   * @param last its last request that must not be carried out twice; null for none
   */
  void await(final Entry last) {
    awaited = true;
    lastRequest = last;
  }

  /** The number of the request it makes now, among those that have a reply. */
  long request() {
    return requests;
  }

  void count(final Request request) {
    requests += request.hasReply() ? 1 : 0;
  }

  /** Whether a former I/O process carried out the COMPLETE that is asked for now. */
  boolean wasCompleted() {
    return lastRequest instanceof final Entry.Completed completed
        && completed.request() == requests;
  }

  /**
   * It is back.
   *
   * @param answered how many of its requests have been answered
   * @return the opening that was carried out but not answered, so that it is asked for once more;
   *     null for none
   */
  Entry.Opened resume(final long answered) {
    requests = answered;
    return lastRequest instanceof final Entry.Opened opened && opened.request() > answered
        ? opened
        : null;
  }

  int index() {
    return index;
  }

  Slot slot() {
    return slot;
  }

  RingReader ring() {
    return ring;
  }

  ProcessIdentity process() {
    return process;
  }

  /** What images know of it. */
  Writer writer() {
    return writer;
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
