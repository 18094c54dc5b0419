package org.sluice.iop.wave.protocol;

/**
 * The verdict of a wave on its protocol.
 *
 * @param suits whether later waves of the job should have it, too
 */
public record Verdict(boolean suits, String why) {}
