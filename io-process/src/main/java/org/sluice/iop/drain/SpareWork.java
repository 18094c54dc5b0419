package org.sluice.iop.drain;

/**
 * An action of the last stage for which nobody waits, behind the chunks and other work before it. A
 * checkpoint need not wait for it either.
 */
record SpareWork(Runnable action) implements Work {
  @Override
  public void commit() {
    action.run();
  }

  @Override
  public boolean commits() {
    return false;
  }

  @Override
  public boolean waits() {
    return true;
  }

  @Override
  public boolean isAwaited() {
    return false;
  }
}
