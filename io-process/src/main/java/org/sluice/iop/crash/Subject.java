package org.sluice.iop.crash;

/** What a thread handles, with what tells two of a kind apart, over kills and resumptions. */
public enum Subject {
  /** Nothing that can be left out. */
  NONE(""),
  /** A request: id is a hash of it and of who makes it. */
  REQUEST("a request"),
  /** A record of a ring: id is a hash of the ring's position behind it and of whose ring it is. */
  RECORD("a ring record"),
  /** A chunk: id is its index and generation. */
  CHUNK("a chunk"),
  /** Something done to an image: id is its kind; the image tells the rest. */
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
