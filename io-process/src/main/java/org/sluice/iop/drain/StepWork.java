package org.sluice.iop.drain;

import org.sluice.iop.crash.Lane;

/** An action of one stage, in order with the chunks. */
record StepWork(Lane.Role stage, Runnable action) implements Work {
  @Override
  public void validate() {
    runIn(Lane.Role.VALIDATE);
  }

  @Override
  public void write() {
    runIn(Lane.Role.WRITE);
  }

  @Override
  public void commit() {
    runIn(Lane.Role.COMMIT);
  }

  /**
   * Returns whether writes end first. An action of the first stage leaves the writes under way
   * alone.
   */
  @Override
  public boolean commits() {
    return stage != Lane.Role.VALIDATE;
  }

  /** An action of another stage has nothing to do in the last one. */
  @Override
  public boolean overtakes() {
    return stage != Lane.Role.COMMIT;
  }

  @Override
  public boolean joins() {
    return stage == Lane.Role.COMMIT;
  }

  private void runIn(final Lane.Role role) {
    if (role == stage) {
      action.run();
    }
  }
}
