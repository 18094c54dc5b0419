package org.sluice.iop.wave.protocol;

/**
 * A receive that the program has posted.
 *
 * @param request its number
 * @param pattern what it asks for
 */
public record OpenReceive(int request, Pattern pattern) {}
