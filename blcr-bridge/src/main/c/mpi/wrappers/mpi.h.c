/* Behind the preprocessor this has all functions of an MPI. */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
