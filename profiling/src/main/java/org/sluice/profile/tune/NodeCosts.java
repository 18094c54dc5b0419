package org.sluice.profile.tune;

/**
 * What this node takes for a copy into shared memory and for a file write, with all its cores at
 * it, and how fast a drain is.
 *
 * @param copy nanoseconds of a copy
 * @param write nanoseconds of a write to a new file
 * @param drainBytesPerSecond of the drain to storage
 * @param cores how many do these things at the same time
 */
record NodeCosts(CostCurve copy, CostCurve write, double drainBytesPerSecond, int cores) {
  /** How much longer everything takes where more processes than cores write. */
  double crowding(final int processes) {
    return Math.max(1, (double) processes / cores);
  }
}
