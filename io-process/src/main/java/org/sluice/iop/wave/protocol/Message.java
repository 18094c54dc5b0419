package org.sluice.iop.wave.protocol;

/**
 * A message by its place in its stream.
 *
 * @param number the how many-th of the stream it is, from 1
 */
public record Message(Stream stream, long number) {}
