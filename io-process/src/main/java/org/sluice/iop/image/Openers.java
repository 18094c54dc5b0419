package org.sluice.iop.image;

import org.agrona.collections.Int2IntCounterMap;

/** Which slots have an image open, how often, and which of them diverts it. Service thread only. */
public final class Openers {
  /** No slot. */
  public static final int NOBODY = -1;

  private final Int2IntCounterMap counts = new Int2IntCounterMap(0);
  private int writer = NOBODY;

  Openers() {}

  /**
   * Counts an opening.
   *
   * @param slot who opened the image
   */
  public void add(final int slot) {
    counts.incrementAndGet(slot);
  }

  /**
   * Ends an opening.
   *
   * @param slot who had opened the image
   * @return whether it was the slot's last
   */
  public boolean remove(final int slot) {
    return counts.decrementAndGet(slot) == 0 && removeAll(slot);
  }

  /**
   * Ends all openings of a slot.
   *
   * @param slot who had opened the image
   * @return true
   */
  public boolean removeAll(final int slot) {
    counts.remove(slot);
    if (writer == slot) {
      writer = NOBODY;
    }
    return true;
  }

  /**
   * Whether nobody has the image open.
   *
   * @return true when it is closed
   */
  public boolean isEmpty() {
    return counts.isEmpty();
  }

  /**
   * Whether a slot has the image open.
   *
   * @param slot a slot
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
   * Says who diverts the image.
   *
   * @param slot a slot that has it open, or {@link #NOBODY}
   */
  public void writer(final int slot) {
    writer = slot;
  }
}
