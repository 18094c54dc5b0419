package org.sluice.iop.service;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.sluice.core.request.Request;
import org.sluice.core.segment.ProcessIdentity;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.Slot;
import org.sluice.iop.checkpoint.Decisions;
import org.sluice.iop.drain.Drain;
import org.sluice.iop.image.Image;
import org.sluice.iop.image.ImageRegistry;
import org.sluice.iop.image.Writer;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.measure.Statistics;
import org.sluice.iop.memory.ControlGroups;

/**
 * The attached processes. A slot is given back when its process is proven to be dead, or has closed
 * its socket and owns no chunk. Until then the process might still be writing. Service thread only.
 */
public final class Attachments {
  private static final String LIBRARY = "libsluice_preload.so";
  private static final int MOST_REFUSED = 1024;

  /**
   * The most untaken files of a process. More would not fit a ring, with the chunks and the ends of
   * openings.
   */
  private static final int MOST_UNTAKEN = 128;

  private final Segment segment;
  private final Decisions decisions;
  private final ImageRegistry registry;
  private final Drain drain;
  private final Statistics statistics;
  private final Rings rings;

  /** The directory where clients of this session find it. */
  private final Path directory;

  private Consumer<Attachment> abandonment;
  private Consumer<Writer> departure;
  private final Attachment[] bySlot;
  private final List<Attachment> all = new ArrayList<>();

  /** The processes that got no slot, by pid; the dead are left out now and then. */
  private final Map<Integer, ProcessIdentity> refused = new HashMap<>();

  private boolean closed;

  /** True once processes are to ask for each file that they create. */
  private boolean asked;

  public Attachments(
      final Segment segment,
      final Decisions decisions,
      final ImageRegistry registry,
      final Drain drain,
      final Statistics statistics,
      final Rings rings,
      final Path directory) {
    this.segment = segment;
    this.decisions = decisions;
    this.registry = registry;
    this.drain = drain;
    this.statistics = statistics;
    this.rings = rings;
    this.directory = directory;
    this.bySlot = new Attachment[segment.geometry().slots()];
  }

  /** Returns the chunks that a process has taken, and not yet published. */
  public int[] unpublished(final Attachment process) {
    return rings.unpublished(process);
  }

  /** Sets the listener to processes that have said that they leave, and are not gone yet. */
  public void departure(final Consumer<Writer> listener) {
    departure = listener;
  }

  /** Sets the listener to processes that are gone, before the first one goes. */
  public void abandonment(final Consumer<Attachment> listener) {
    abandonment = listener;
  }

  /**
   * Returns whether slots are kept from a process that may never need one: other processes may, or
   * the session ends.
   */
  boolean areShort() {
    return closed || 2 * all.size() >= bySlot.length;
  }

  /** Gives a process the slot that it asks for; returns null when all are taken. */
  Attachment attach(final ProcessIdentity process, final Request.Attach request) {
    endUntold(process, request.token());
    endDead(); // a dead process' place may be free for this one
    for (int slot = 0; slot < bySlot.length && !closed; slot++) {
      if (bySlot[slot] == null) {
        final long generation = segment.slot(slot).generation() + 1;
        decisions.decide(
            new Entry.Attached(
                slot,
                process.pid(),
                process.startTime(),
                request.rank(),
                request.ranks(),
                request.localRanks(),
                generation,
                request.token(),
                decisions.state().images().kills()));
        segment.resetRing(slot);
        final Attachment attachment =
            new Attachment(segment, decisions.state().images().writer(slot));
        attachment.slot().attach(process, request.rank(), request.ranks(), generation);
        decisions.journal().inFlight().forget(slot);
        add(attachment);
        limit();
        return attachment;
      }
    }
    refuse(process);
    return null;
  }

  private void refuse(final ProcessIdentity process) {
    if (refused.size() >= MOST_REFUSED) {
      refused.values().removeIf(each -> !each.isAlive());
    }
    refused.put(process.pid(), process);
  }

  /**
   * Returns whether a process under the shim that has no slot can get one. Once refused it does not
   * ask again.
   */
  boolean mayAttach(final int pid) {
    return !refused.containsKey(pid) && all.size() < bySlot.length;
  }

  /**
   * Returns whether a process was refused a slot, so that what it opens from then on is unknown.
   */
  boolean wasRefused(final ProcessIdentity process) {
    return process.equals(refused.get(process.pid()));
  }

  /**
   * Returns whether a process has the shim loaded, and for this session. The environment alone does
   * not tell, as other processes have it.
   */
  boolean isUnderShim(final int thread) {
    final Path process = Path.of("/proc", Integer.toString(thread));
    try {
      return thread > 0
          && text(process.resolve("environ")).contains("SLUICE_DIRECTORY=" + directory + '\0')
          && text(process.resolve("maps")).contains(LIBRARY);
    } catch (final IOException goneOrAnothersUser) {
      return false;
    }
  }

  private static String text(final Path file) throws IOException {
    return Files.readString(file, StandardCharsets.ISO_8859_1);
  }

  /**
   * Ends a slot that a former I/O process gave for the same request, and died before it could say
   * so.
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
    attachment.slot().makesMemory(ControlGroups.countMemoryHere(attachment.process().pid()));
    statistics.attached(slots());
  }

  /** Takes over a process of a former I/O process. The process comes back some day or is dead. */
  public void resume(final Writer process, final Backlog backlog) {
    final Attachment attachment = new Attachment(segment, process);
    final long position = backlog.position(attachment.index());
    // A damaged ring need not be advanced: its reader will see the damage.
    segment.advanceRing(attachment.index(), position);
    attachment.ring().position(position);
    attachment.await(backlog.lastRequest(attachment.index()));
    add(attachment);
  }

  /** Refuses all processes that want to attach from here on. */
  void close() {
    closed = true;
  }

  boolean areClosed() {
    return closed;
  }

  /**
   * Sets the number of files that each process may enter before they are taken. Each takes a
   * descriptor then, so there is always a descriptor for each.
   */
  public void limit() {
    final int room = asked ? 0 : registry.descriptors().room();
    for (final Attachment attachment : all) {
      attachment.mostUntaken(Math.min(room / (2 * all.size()), MOST_UNTAKEN));
    }
  }

  /** Makes all processes ask for each file that they create, from here on. */
  void ask() {
    asked = true;
    limit();
  }

  private List<Slot> slots() {
    return all.stream().map(Attachment::slot).toList();
  }

  /** Returns the process of a slot that a request names; null when there is none. */
  Attachment find(final int slot) {
    return slot >= 0 && slot < bySlot.length ? bySlot[slot] : null;
  }

  public Attachment at(final int slot) {
    return bySlot[slot];
  }

  public List<Attachment> all() {
    return all;
  }

  /** Takes all records that a process has published up to now. */
  void poll(final Attachment process) {
    rings.poll(process);
  }

  /** Takes all records that processes have published up to now. */
  public void poll() {
    all.forEach(rings::poll);
  }

  /**
   * Takes the records of the processes that have an image open, and ends those that died unnoticed.
   * A process may die so between a kill of the I/O process and its return. Their end must not come
   * after the opening of a process that takes their place.
   */
  void pollOpeners(final Image image) {
    if (image == null) {
      return;
    }
    for (final Attachment attachment : List.copyOf(all)) {
      if (image.openers().has(attachment.index())) {
        rings.poll(attachment);
        if (!attachment.process().isAlive()) {
          over(attachment);
        }
      }
    }
  }

  /**
   * Takes the closing of a process's socket: the process died, became another program, or detached.
   */
  public void disconnected(final Attachment attachment, final Connection connection) {
    if (attachment.connection() == connection && at(attachment.index()) == attachment) {
      attachment.gone();
      endIfOver(attachment);
    }
  }

  /** Looks again at processes that closed their sockets but might still write. */
  public void endDead() {
    List.copyOf(all).stream().filter(Attachment::isGone).forEach(this::endIfOver);
    List.copyOf(all).stream()
        .filter(attachment -> attachment.isAwaited() && !attachment.process().isAlive())
        .forEach(this::over);
  }

  private void endIfOver(final Attachment attachment) {
    if (attachment.process().isAlive()) {
      rings.poll(attachment);
      if (mayStore(attachment)) {
        return;
      }
    }
    over(attachment);
  }

  /**
   * Tells whether a process that runs may store into a chunk, and takes the slot back if not. The
   * process claims a chunk, appends, fences, and then looks at its slot. So either the chunk is
   * seen here, or the process sees that it has lost the slot.
   */
  private boolean mayStore(final Attachment attachment) {
    if (rings.mayStore(attachment)) {
      return true;
    }
    attachment.slot().detach();
    segment.header().fence();
    final boolean may = rings.mayStore(attachment);
    if (may) {
      attachment.slot().keep();
    }
    return may;
  }

  /**
   * Ends a process. A process that ends without having said so was killed. A process that still
   * looks alive may be dying: the kernel closes its socket first. Its writer counts as killed
   * before the rest of its ring is read, for an end of an opening there may complete a group. An
   * idle process leaves nothing that others might mix with theirs.
   */
  private void over(final Attachment attachment) {
    final boolean killed = !attachment.slot().hasLeft() && !attachment.isIdle();
    if (killed) {
      attachment.writer().killed();
    }
    end(attachment, killed);
  }

  /**
   * Ends the part of a process that runs on in the session. A file that it has open for writing was
   * never closed. Nothing counts any more that it publishes, as its images are direct.
   */
  void dismiss(final Attachment attachment) {
    drain.revokeAll(attachment.index());
    final boolean writes =
        attachment.images().keySet().stream()
            .anyMatch(image -> image.openers().writes(attachment.index()));
    end(attachment, writes && !attachment.slot().hasLeft());
  }

  /** Ends a process's part in the session, with everything it left behind. */
  void end(final Attachment attachment) {
    end(attachment, false);
  }

  private void end(final Attachment attachment, final boolean killed) {
    rings.poll(attachment);
    segment.creations().abandon(attachment.index(), attachment.slot().entering());
    rings.adopt(attachment);
    drain.revokeAll(attachment.index());
    if (attachment.isCorrupt()) {
      registry.removeUntaken(attachment.index());
    }
    if (attachment.slot().hasLeft()) {
      departure.accept(attachment.writer());
    }
    decisions.decide(new Entry.Detached(attachment.index(), killed, System.nanoTime()));
    abandonment.accept(attachment);
    bySlot[attachment.index()] = null;
    all.remove(attachment);
    statistics.attached(slots());
    statistics.detached(attachment.slot(), attachment.writer().process());
    attachment.slot().detach();
  }
}
