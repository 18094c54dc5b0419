package org.sluice.iop.image;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The slots that have an image open: how often each has, and which of them diverts it. Service
 * thread only.
 */
public final class Openers {
  /** No slot. */
  public static final int NOBODY = -1;

  /** Of its own only while a slot has the image open: most images are closed. */
  private Map<Integer, Integer> counts = Map.of();

  private int writer = NOBODY;

  Openers() {}

  void add(final int slot, final int times) {
    if (counts.isEmpty()) {
      counts = new TreeMap<>();
    }
    counts.merge(slot, times, Integer::sum);
  }

  /** Ends so many openings of a slot; false when it has none. */
  boolean remove(final int slot, final int times) {
    if (!has(slot)) {
      return false;
    }
    counts.computeIfPresent(slot, (any, count) -> count > times ? count - times : null);
    counts = counts.isEmpty() ? Map.of() : counts;
    if (writer == slot && !has(slot)) {
      writer = NOBODY;
    }
    return true;
  }

  /**
   * How often each slot has the image open.
   *
   * @return counts by slot
   */
  public Map<Integer, Integer> counts() {
    return Collections.unmodifiableMap(counts);
  }

  /**
   * Whether no slot has the image open.
   *
   * @return true when it is closed
   */
  public boolean isEmpty() {
    return counts.isEmpty();
  }

  /**
   * Whether a slot has the image open.
   *
   * @param slot index of a slot, 0 or more
   * @return true when it has
   */
  public boolean has(final int slot) {
    return counts.containsKey(slot);
  }

  /**
   * Whether a slot shares the image.
   *
   * @param slot a slot, open or not
   * @return true when another one has it open
   */
  public boolean hasOtherThan(final int slot) {
    return counts.size() > (has(slot) ? 1 : 0);
  }

  /**
   * The slot whose process appends the image's writes to the log.
   *
   * @return a slot or {@link #NOBODY}
   */
  public int writer() {
    return writer;
  }

  /**
   * Says which slot diverts the image.
   *
   * @param slot a slot that has it open, or {@link #NOBODY}
   */
  public void writer(final int slot) {
    writer = slot;
  }
}
