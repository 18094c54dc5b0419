package org.sluice.iop.wave.protocol;

/** A receive that the program has posted. */
public record OpenReceive(int request, Pattern pattern) {}
