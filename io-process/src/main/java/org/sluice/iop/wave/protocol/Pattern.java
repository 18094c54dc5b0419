package org.sluice.iop.wave.protocol;

/**
 * The pattern of the messages that a receive or a probe asks for.
 *
 * @param source the sender by its rank in the world, or {@link #ANY}
 * @param tag the tag, or {@link #ANY}
 */
public record Pattern(long communicator, int source, int tag) {
  /** Any source, or any tag. */
  public static final int ANY = -1;

  public static Pattern of(final Stream stream) {
    return new Pattern(stream.communicator(), stream.source(), stream.tag());
  }

  /** Returns whether messages of a stream to this rank could be taken. */
  public boolean matches(final Stream stream) {
    return communicator == stream.communicator()
        && (source == ANY || source == stream.source())
        && (tag == ANY || tag == stream.tag());
  }
}
