package org.sluice.iop.drain;

/** Something to do when everything before it is done. */
final class LastWork implements Work {
  private final Runnable action;

  LastWork(final Runnable action) {
    this.action = action;
  }

  @Override
  public void commit() {
    action.run();
  }
}
