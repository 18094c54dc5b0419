package org.sluice.iop.drain;

import org.sluice.iop.image.Image;

/** Changes what a slot may append to, in order with its chunks. */
final class SlotWork implements Work {
  private final Runnable change;

  private SlotWork(final Runnable change) {
    this.change = change;
  }

  static SlotWork grant(final Grants grants, final int slot, final Image image) {
    return new SlotWork(() -> grants.grant(slot, image));
  }

  static SlotWork revoke(final Grants grants, final int slot, final Image image) {
    return new SlotWork(() -> grants.revoke(slot, image));
  }

  static SlotWork revokeAll(final Grants grants, final int slot) {
    return new SlotWork(() -> grants.revokeAll(slot));
  }

  @Override
  public void validate() {
    change.run();
  }
}
