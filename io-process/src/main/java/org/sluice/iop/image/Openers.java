package org.sluice.iop.image;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.sluice.iop.journal.Entry;

/**
 * The slots that have an image open: the number of times, whether for writing, and the slot that
 * diverts it. Service thread only.
 */
public final class Openers {
  /** No slot. */
  public static final int NOBODY = -1;

  /** The map is its own only while a slot has the image open: most images are closed. */
  private Map<Integer, Entry.Opener> bySlot = Map.of();

  private int writer = NOBODY;

  Openers() {}

  void add(final Entry.Opener opener) {
    if (bySlot.isEmpty()) {
      bySlot = new TreeMap<>();
    }
    bySlot.merge(
        opener.slot(),
        opener,
        (had, more) ->
            new Entry.Opener(
                had.slot(), had.count() + more.count(), had.writes() || more.writes()));
  }

  /** Ends so many openings of a slot, which does not say which. */
  void remove(final int slot, final int times) {
    if (has(slot)) {
      bySlot.computeIfPresent(slot, (any, had) -> less(had, times));
      bySlot = bySlot.isEmpty() ? Map.of() : bySlot;
    }
    if (writer == slot && !has(slot)) {
      writer = NOBODY;
    }
  }

  private static Entry.Opener less(final Entry.Opener had, final int times) {
    return had.count() > times
        ? new Entry.Opener(had.slot(), had.count() - times, had.writes())
        : null;
  }

  /** Returns whether a slot has the image open for writing, or had when it opened it besides. */
  public boolean writes(final int slot) {
    return has(slot) && bySlot.get(slot).writes();
  }

  Collection<Entry.Opener> all() {
    return bySlot.values();
  }

  public Set<Integer> slots() {
    return Collections.unmodifiableSet(bySlot.keySet());
  }

  public boolean isEmpty() {
    return bySlot.isEmpty();
  }

  public boolean has(final int slot) {
    return bySlot.containsKey(slot);
  }

  /** Returns whether a slot shares the image. */
  public boolean hasOtherThan(final int slot) {
    return bySlot.size() > (has(slot) ? 1 : 0);
  }

  /** Returns the slot whose process appends the image's writes to the log, or {@link #NOBODY}. */
  public int writer() {
    return writer;
  }

  /**
   * @param slot a slot that has it open, or {@link #NOBODY}
   */
  public void writer(final int slot) {
    writer = slot;
  }
}
