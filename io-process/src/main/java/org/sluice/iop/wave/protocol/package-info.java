/**
 * The common parts of all protocols for checkpoints of MPI jobs. Each has a package of its own
 * below this one, and is registered in {@code org.sluice.iop.wave.Protocols}. Nothing here does any
 * I/O.
 */
package org.sluice.iop.wave.protocol;
