package org.sluice.iop.service;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.sluice.core.request.Request;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.segment.RingReader;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.Slot;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.Writer;
import org.sluice.iop.journal.Entry;

/** An application process and the slot it has. Service thread only. */
public final class Attachment {
  private static final int UNKNOWN = -1;

  private final Slot slot;
  private final RingReader ring;
  private final ProcessIdentity process;
  private final Writer writer;
  private final boolean mayEnter;

  /** The images that the process has open, with the time of the first opening. */
  private final Map<Image, Long> images = new LinkedHashMap<>();

  /** The images of which its chunks may have records, by the word given to the drain. */
  private final Set<Image> granted = new HashSet<>();

  private Connection connection;
  private long requests;
  private Entry lastRequest;
  private boolean awaited;
  private boolean gone;
  private boolean corrupt;
  private int mostUntaken = UNKNOWN;

  Attachment(final Segment segment, final Writer writer) {
    final Entry.Attached attached = writer.attached();
    this.writer = writer;
    this.slot = segment.slot(attached.slot());
    this.ring = segment.ringReader(attached.slot());
    this.process = new ProcessIdentity(attached.pid(), attached.startTime());
    this.mayEnter = !writer.isOfSeveralNodes() && process.hasSamePaths();
  }

  public void granted(final Image image) {
    granted.add(image);
  }

  /** Notes that the drain is to take none any more; returns false where it never did. */
  boolean revoked(final Image image) {
    return granted.remove(image);
  }

  /** Returns whether this request of this process got the slot. */
  boolean isFor(final ProcessIdentity requester, final long requestToken) {
    return process.equals(requester) && writer.attached().token() == requestToken;
  }

  /** Returns the process's socket; null while a resumed I/O process waits for the process. */
  Connection connection() {
    return connection;
  }

  void connected(final Connection client) {
    connection = client;
    awaited = false;
    gone = false;
  }

  /** Returns whether a resumed I/O process waits until the process connects again. */
  boolean isAwaited() {
    return awaited;
  }

  /**
   * Makes a resumed I/O process wait until the process connects again, with its last request that
   * must not be carried out twice; null for none.
   */
  void await(final Entry last) {
    awaited = true;
    lastRequest = last;
  }

  /** Returns the number of its present request, among those that have a reply. */
  long request() {
    return requests;
  }

  void count(final Request request) {
    requests += request.hasReply() ? 1 : 0;
  }

  /** Returns whether a former I/O process carried out the present COMPLETE. */
  boolean wasCompleted() {
    return lastRequest instanceof final Entry.Completed completed
        && completed.request() == requests;
  }

  /**
   * Resumes a process that has connected to the resumed I/O process.
   *
   * @param answered number of its requests that have been answered
   * @return the opening that was carried out but not answered, so that it is asked for once more;
   *     null for none
   */
  Entry.Opened resume(final long answered) {
    requests = answered;
    return lastRequest instanceof final Entry.Opened opened && opened.request() > answered
        ? opened
        : null;
  }

  /**
   * Returns whether the process has asked for nothing since it attached, and published nothing.
   * Such a process attached early, and counts for nothing.
   */
  boolean isIdle() {
    return requests == 0 && lastRequest == null && ring.isUnused();
  }

  public int index() {
    return writer.attached().slot();
  }

  Slot slot() {
    return slot;
  }

  RingReader ring() {
    return ring;
  }

  public ProcessIdentity process() {
    return process;
  }

  Writer writer() {
    return writer;
  }

  public Map<Image, Long> images() {
    return images;
  }

  /**
   * Sets the number of files that the process may enter as images before they are taken. They are
   * taken by their names, so its names must lead to the same files here.
   */
  void mostUntaken(final int most) {
    final int its = mayEnter && !corrupt ? most : 0;
    if (its != mostUntaken) {
      mostUntaken = its;
      slot.mostUntaken(its);
    }
  }

  /** Returns whether its socket is closed; its slot may still be needed. */
  boolean isGone() {
    return gone;
  }

  void gone() {
    gone = true;
  }

  /** Returns whether its ring holds nonsense, so that it is not read any more. */
  boolean isCorrupt() {
    return corrupt;
  }

  /** Marks its ring as nonsense. Files that it enters from here on remain unknown. */
  void corrupt() {
    corrupt = true;
    mostUntaken(0);
  }

  @Override
  public String toString() {
    return "slot %d of process %d".formatted(index(), process.pid());
  }
}
