package org.sluice.iop.crash;

/**
 * What an I/O process failed at.
 *
 * @param lane ordinal of the thread's role; -1 for all that a process asks for
 * @param subject ordinal of its kind
 * @param id tells it from others of its kind
 * @param image the image it came to; 0 none
 * @param deaths how many I/O processes in a row
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
