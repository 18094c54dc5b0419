/**
 * The coordinator of an MPI job's waves, in the I/O process of rank 0's node. What it decides is in
 * {@code wave.protocol}. Nothing of it is loaded before a rank says that there is such a job.
 */
package org.sluice.iop.wave;
