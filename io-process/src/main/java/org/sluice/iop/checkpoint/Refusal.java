package org.sluice.iop.checkpoint;

import java.util.concurrent.atomic.AtomicBoolean;
import org.sluice.iop.measure.Warnings;

/**
 * Says once that a checkpoint is not committed, with what was found first: the loss of bytes of any
 * of its files, or a commit that fails. Thread-safe.
 */
public final class Refusal {
  private final long number;
  private final AtomicBoolean said = new AtomicBoolean();

  Refusal(final long number) {
    this.number = number;
  }

  void say(final String why) {
    if (said.compareAndSet(false, true)) {
      Warnings.warn("checkpoint %d is not committed: %s".formatted(number, why));
    }
  }

  public boolean isSaid() {
    return said.get();
  }

  void forget() {
    said.set(false);
  }
}
