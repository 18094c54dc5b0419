package org.sluice.iop.crash;

/**
 * A thing at which an I/O process failed.
 *
 * @param lane ordinal of the thread's role; -1 for all that a process asks for
 * @param id identity among others of the kind
 * @param image the image that the thread had come to; 0 none
 * @param deaths number of I/O processes in a row that failed at it
 */
record Suspect(int lane, int subject, long id, int image, int deaths) {
  boolean isSame(final Suspect other) {
    return is(other.lane, other.subject, other.id) && image == other.image;
  }

  boolean is(final int itsLane, final int itsSubject, final long itsId) {
    return lane == itsLane && subject == itsSubject && id == itsId;
  }

  Suspect again() {
    return new Suspect(lane, subject, id, image, deaths + 1);
  }
}
