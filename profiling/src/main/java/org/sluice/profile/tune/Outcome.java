package org.sluice.profile.tune;

/**
 * What a setting costs.
 *
 * @param setting the setting
 * @param nanos how long the slowest process is in its writes
 * @param memory the most bytes in the buffer at a time
 * @param waitedNanos how long processes waited for room, summed
 */
record Outcome(Setting setting, double nanos, long memory, double waitedNanos) {}
