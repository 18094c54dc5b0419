package org.sluice.iop.service;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.Slot;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.Images;
import org.sluice.iop.image.Writer;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.Journal;
import org.sluice.iop.measure.Statistics;

/**
 * The attached processes. A slot is given back when its process is proven to be dead, or has closed
 * its socket and owns no chunk: until then it might still be writing. Service thread only.
 */
final class Attachments {
  private static final int MOST_REFUSED = 1024;

  /** Learns of images whose opener is gone. */
  @FunctionalInterface
  interface Abandonment {
    void abandoned(Attachment attachment, Image image, long opened);
  }

  private final Segment segment;
  private final Rings rings;
  private final Drain drain;
  private final Statistics statistics;
  private Abandonment abandonment;
  private final Attachment[] bySlot;
  private final List<Attachment> all = new ArrayList<>();

  /** Those that got no slot, by pid; the dead are left out now and then. */
  private final Map<Integer, ProcessIdentity> refused = new HashMap<>();

  private final Journal journal;
  private final Images images;
  private boolean closed;

  /**
   * A session in which no process has attached.
   *
   * @param images has those of a former I/O process, to be resumed
   */
  Attachments(
      final Segment segment,
      final Rings rings,
      final Drain drain,
      final Statistics statistics,
      final Journal journal,
      final Images images) {
    this.journal = journal;
    this.images = images;
    this.segment = segment;
    this.rings = rings;
    this.drain = drain;
    this.statistics = statistics;
    this.bySlot = new Attachment[segment.geometry().slots()];
  }

  /** Says who learns of images whose opener is gone; before the first process goes. */
  void abandonment(final Abandonment listener) {
    abandonment = listener;
  }

  /**
   * Gives a process a slot; empty when all are taken.
   *
   * @param token of its request
   */
  Optional<Attachment> attach(
      final ProcessIdentity process,
      final int rank,
      final int ranks,
      final int localRanks,
      final long token) {
    endUntold(process, token);
    endDead(); // whose place this one may take
    for (int slot = 0; slot < bySlot.length && !closed; slot++) {
      if (bySlot[slot] == null) {
        final long generation = segment.slot(slot).generation() + 1;
        images.apply(
            journal.write(
                new Entry.Attached(
                    slot,
                    process.pid(),
                    process.startTime(),
                    rank,
                    ranks,
                    localRanks,
                    generation,
                    token,
                    images.kills())));
        segment.resetRing(slot);
        final Attachment attachment = new Attachment(segment, images.writer(slot));
        attachment.slot().attach(process, rank, ranks, generation);
        journal.inFlight().forget(slot);
        add(attachment);
        return Optional.of(attachment);
      }
    }
    refuse(process);
    return Optional.empty();
  }

  private void refuse(final ProcessIdentity process) {
    if (refused.size() >= MOST_REFUSED) {
      refused.values().removeIf(each -> !each.isAlive());
    }
    refused.put(process.pid(), process);
  }

  /**
   * Whether a process under the shim that has no slot can get one: once it was refused it does not
   * ask again.
   */
  boolean mayAttach(final int pid) {
    return !refused.containsKey(pid) && all.size() < bySlot.length;
  }

  /**
   * A slot that a former I/O process gave for the same request, and died before it could say so.
   */
  private void endUntold(final ProcessIdentity process, final long token) {
    List.copyOf(all).stream()
        .filter(Attachment::isAwaited)
        .filter(attachment -> attachment.isFor(process, token))
        .forEach(this::end);
  }

  private void add(final Attachment attachment) {
    bySlot[attachment.index()] = attachment;
    all.add(attachment);
    statistics.attached(slots());
  }

  /** Takes over a process of a former I/O process, which comes back some day or is dead. */
  void resume(final Writer process, final Backlog backlog) {
    final Attachment attachment = new Attachment(segment, process);
    final long position = backlog.position(attachment.index());
    // What cannot be done to a ring that is damaged need not be: its reader will see that it is.
    segment.advanceRing(attachment.index(), position);
    attachment.ring().position(position);
    attachment.await(backlog.lastRequest(attachment.index()));
    add(attachment);
  }

  /** Refuses all processes that want to attach from here on. */
  void close() {
    closed = true;
  }

  private List<Slot> slots() {
    return all.stream().map(Attachment::slot).toList();
  }

  /** The process of a slot that a request names; null when there is none. */
  Attachment find(final int slot) {
    return slot >= 0 && slot < bySlot.length ? bySlot[slot] : null;
  }

  Attachment at(final int slot) {
    return bySlot[slot];
  }

  List<Attachment> all() {
    return all;
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  /**
   * Takes what was published by those who have an image open, and ends those who died unnoticed, as
   * between a kill of the I/O process and their return: their end must not come after the opening
   * of who takes their place.
   */
  void poll(final Image image) {
    for (final Attachment attachment : List.copyOf(all)) {
      if (image.openers().has(attachment.index())) {
        rings.poll(attachment);
        if (!attachment.process().isAlive()) {
          over(attachment);
        }
      }
    }
  }

  /** A process closed its socket: it died, became another program, or detached. */
  void disconnected(final Attachment attachment, final Connection connection) {
    if (attachment.connection() == connection && at(attachment.index()) == attachment) {
      attachment.gone();
      endIfOver(attachment);
    }
  }

  /** Looks again at processes that closed their sockets but might still write. */
  void endDead() {
    List.copyOf(all).stream().filter(Attachment::isGone).forEach(this::endIfOver);
    List.copyOf(all).stream()
        .filter(attachment -> attachment.isAwaited() && !attachment.process().isAlive())
        .forEach(this::over);
  }

  private void endIfOver(final Attachment attachment) {
    if (attachment.process().isAlive()) {
      rings.poll(attachment);
      if (rings.unpublished(attachment).length > 0) {
        return;
      }
    }
    over(attachment);
  }

  /**
   * A process that ends without having said so was killed. Whether it still looks alive does not
   * tell: the kernel closes the socket of a dying process first. Its writer counts as killed before
   * the rest of its ring is read, for an end of an opening there may complete a group.
   */
  private void over(final Attachment attachment) {
    final boolean killed = !attachment.slot().hasLeft();
    if (killed) {
      attachment.writer().killed();
    }
    end(attachment, killed);
  }

  /** Ends a process's part in the session, with all it left behind. */
  void end(final Attachment attachment) {
    end(attachment, false);
  }

  private void end(final Attachment attachment, final boolean killed) {
    rings.poll(attachment);
    rings.adopt(attachment);
    drain.revokeAll(attachment.index());
    images.apply(journal.write(new Entry.Detached(attachment.index(), killed)));
    attachment
        .images()
        .forEach((image, opened) -> abandonment.abandoned(attachment, image, opened));
    bySlot[attachment.index()] = null;
    all.remove(attachment);
    statistics.attached(slots());
    statistics.detached(attachment.slot(), attachment.writer().process());
    attachment.slot().detach();
  }
}
