package org.sluice.iop.wave.protocol;

/**
 * A collective operation. All members of a communicator call its collectives in one order, so the
 * number names the operation at each of them.
 *
 * @param number the how many-th collective call on it this is, from 1, blocking or not
 */
public record Collective(long communicator, long number) {}
