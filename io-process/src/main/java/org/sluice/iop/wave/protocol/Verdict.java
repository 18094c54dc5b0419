package org.sluice.iop.wave.protocol;

/**
 * The verdict of a wave on its protocol.
 *
 * @param suits whether later waves of the job should have it, too
 * @param why what that rests on, for the user
 */
public record Verdict(boolean suits, String why) {}
