package org.sluice.core.client;

import java.io.IOException;
import org.sluice.core.segment.Header;
import org.sluice.core.segment.Segment;
import org.sluice.core.segment.Slot;

/**
 * What tells a process that its slot is still its own. One that a checkpointer dumped goes on with
 * the memory it had, when the slot may be another's, or where another session's segment lies at the
 * old one's path. So it looks before it stores into the segment, and after whatever it waited for.
 * It does not see that it was dumped between the look and the store.
 */
final class SlotHold {
  private final Header header;
  private final Slot slot;
  private final long session;
  private final long generation;

  SlotHold(final Segment segment, final int slot) {
    this.header = segment.header();
    this.slot = segment.slot(slot);
    this.session = header.sessionId();
    this.generation = this.slot.generation();
  }

  /** The state is stored last at an attach, so it is loaded first. */
  boolean isValid() {
    return slot.isAttached() && slot.generation() == generation && header.sessionId() == session;
  }

  /** Says that this process leaves by its own will, if the slot still is its own. */
  void leave() {
    if (isValid()) {
      slot.leave();
    }
  }

  void check() throws IOException {
    if (!isValid()) {
      throw new IOException(
          "this process has lost its slot, as if brought back from a dump; connect anew and write"
              + " the image once more");
    }
  }
}
