package org.sluice.iop.wave.protocol;

/** What must not happen did. */
final class Broken extends RuntimeException {
  private static final long serialVersionUID = 1L;

  Broken(final String what) {
    super(what);
  }
}
