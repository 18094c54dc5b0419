package org.sluice.iop.wave.protocol;

/**
 * The content of a rank's images besides its state.
 *
 * @param events how many events of the rank
 * @param late how many messages that crossed the line to the rank, with their data
 * @param early how many messages that crossed it the other way round
 * @param reused bytes of the state that were left out, as far as the rank has not said so before
 */
public record Recorded(long bytes, long events, long late, long early, long reused) {
  public static final Recorded NOTHING = new Recorded(0, 0, 0, 0, 0);
}
