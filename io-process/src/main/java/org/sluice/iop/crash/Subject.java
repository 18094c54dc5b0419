package org.sluice.iop.crash;

/**
 * The kinds of things that a thread handles, and what identifies a thing over kills and
 * resumptions.
 */
public enum Subject {
  /** A thing that cannot be left out. */
  NONE(""),
  /** A request: id is a hash of the request and its sender. */
  REQUEST("a request"),
  /** A record of a ring: id is a hash of the position behind the record and of the ring's owner. */
  RECORD("a ring record"),
  /** A chunk: id is its index and generation. */
  CHUNK("a chunk"),
  /** A change of an image: id is the kind of change, and the image tells the rest. */
  IMAGE("a change of an image"),
  /** A commit: id is the attempt. */
  COMMIT("a commit"),
  /** The removal of a checkpoint: id is its number. */
  REMOVAL("the removal of a checkpoint");

  private final String text;

  Subject(final String text) {
    this.text = text;
  }

  @Override
  public String toString() {
    return text;
  }
}
