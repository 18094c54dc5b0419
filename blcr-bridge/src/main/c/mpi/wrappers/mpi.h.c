/* The source of all functions of an MPI, after the preprocessor. */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
