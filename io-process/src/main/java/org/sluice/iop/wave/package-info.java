/**
 * The coordinator of an MPI job's waves, in the I/O process of rank 0's node. Its rules are in
 * {@code wave.protocol}. Before a rank says that there is such a job, {@code WaveFiles} alone is
 * used.
 */
package org.sluice.iop.wave;
