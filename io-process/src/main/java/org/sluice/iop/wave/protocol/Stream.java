package org.sluice.iop.wave.protocol;

/**
 * The messages that MPI keeps in the order of their sending, because each receive that takes one of
 * them could take any. They are numbered from 1. So a number alone names a message again after a
 * restart.
 *
 * @param communicator the id of the communicator, equal at all its members
 * @param source the sender, by its rank in the world
 * @param destination the receiver, by its rank in the world
 * @param tag the tag
 */
public record Stream(long communicator, int source, int destination, int tag) {

  // The methods that the JVM makes for a record it links anew at each start, which takes
  // milliseconds.

  @Override
  public boolean equals(final Object other) {
    return other instanceof final Stream stream
        && stream.communicator == communicator
        && stream.source == source
        && stream.destination == destination
        && stream.tag == tag;
  }

  @Override
  public int hashCode() {
    return ((Long.hashCode(communicator) * 31 + source) * 31 + destination) * 31 + tag;
  }
}
