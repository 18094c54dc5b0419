package org.sluice.iop.service;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.sluice.core.store.model.ChunkLocation;
import org.sluice.iop.crash.Lane;
import org.sluice.iop.journal.Cause;
import org.sluice.iop.journal.Entry;
import org.sluice.iop.journal.Fold;

/**
 * The chunks and requests that a killed I/O process had begun. Only a resumption asks for them:
 * while a session is served the rings, the pipeline and the sockets know. Not thread-safe.
 */
public final class Backlog implements Fold {
  private static final int NO_IMAGE = 0;

  private final Map<Integer, Long> positions = new TreeMap<>();
  private final Map<Integer, Entry> lastRequests = new TreeMap<>();
  private final List<Entry> pending = new ArrayList<>();
  private final Map<Integer, Integer> drained = new TreeMap<>();

  @Override
  public void apply(final Entry entry) {
    switch (entry) {
      case Entry.Attached e -> {
        positions.remove(e.slot());
        lastRequests.remove(e.slot());
      }
      case Entry.Opened e when e.request() != Lane.NO_REQUEST -> lastRequests.put(e.slot(), e);
      case Entry.Completed e when e.slot() != Lane.NO_SLOT -> lastRequests.put(e.slot(), e);
      case Entry.Closed e when e.position() < 0 -> lastRequests.remove(e.slot());
      case Entry.Closed e -> positions.put(e.slot(), e.position());
      case Entry.Entered e -> positions.put(e.slot(), e.position());
      case Entry.Taken e -> {
        if (e.position() >= 0) {
          positions.put(e.slot(), e.position());
        }
        pending.add(
            new Entry.Taken(e.slot(), e.chunk(), e.generation(), e.used(), Entry.NO_POSITION));
      }
      case Entry.Emptying e -> pending.add(e);
      case Entry.Drained e -> {
        drained.put(e.chunk(), e.generation());
        done(p -> p instanceof final Entry.Taken t && isOne(t, e));
      }
      case Entry.Restarted e when e.cause() == Cause.EMPTIED ->
          done(p -> p instanceof final Entry.Emptying t && t.image() == e.image());
      default -> {}
    }
  }

  private static boolean isOne(final Entry.Taken taken, final Entry.Drained drained) {
    return taken.chunk() == drained.chunk() && taken.generation() == drained.generation();
  }

  /**
   * Removes the first such entry, which is done. The entry is near the beginning, as chunks are
   * drained in the order they came.
   */
  private void done(final Predicate<Entry> which) {
    pending.stream().filter(which).findFirst().ifPresent(pending::remove);
  }

  /**
   * Adds up the entries that come before a slot is attached; those of {@link #sumOfSlots} come
   * after.
   */
  @Override
  public void sum(final Consumer<Entry> to) {
    drained.forEach(
        (chunk, use) -> to.accept(new Entry.Drained(chunk, use, ChunkLocation.NONE, List.of())));
    pending.forEach(to);
  }

  /**
   * Adds up the entries of slots, before there is an image, so that no opening is counted twice.
   */
  void sumOfSlots(final Consumer<Entry> to) {
    lastRequests.values().forEach(to);
    positions.forEach((slot, end) -> to.accept(read(slot, end)));
  }

  /**
   * Returns an entry that says how far a slot's ring was read, and nothing else.
   *
   * @param position end of the last record, in the ring
   */
  static Entry read(final int slot, final long position) {
    return new Entry.Closed(NO_IMAGE, slot, position, 0, 0);
  }

  long position(final int slot) {
    return positions.getOrDefault(slot, 0L);
  }

  /**
   * Returns the last request of a slot that must not be carried out twice: an {@link Entry.Opened}
   * or {@link Entry.Completed}; null for none.
   */
  Entry lastRequest(final int slot) {
    return lastRequests.get(slot);
  }

  /**
   * Returns the work that the write stage has not done: {@link Entry.Taken} and {@link
   * Entry.Emptying}.
   */
  public List<Entry> pending() {
    return pending;
  }

  /** Returns the last use of each chunk that was drained: generation by chunk. */
  public Map<Integer, Integer> drained() {
    return drained;
  }
}
