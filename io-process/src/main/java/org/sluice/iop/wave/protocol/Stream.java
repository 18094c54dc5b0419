package org.sluice.iop.wave.protocol;

/**
 * The messages that MPI keeps in the order of their sending, because each receive that takes one of
 * them could take any. They are numbered from 1. So a number alone names a message again after a
 * restart.
 *
 * @param communicator the id of the communicator, equal at all its members
 */
public record Stream(long communicator, int source, int destination, int tag) {}
