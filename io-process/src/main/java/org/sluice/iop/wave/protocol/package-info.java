/** The protocols for checkpoints of MPI jobs. Nothing here does any I/O. */
package org.sluice.iop.wave.protocol;
