/** What protocols for checkpoints of MPI jobs decide. Nothing here does any I/O. */
package org.sluice.mpi;
