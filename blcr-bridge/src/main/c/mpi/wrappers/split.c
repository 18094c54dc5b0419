#include "split.h"

#include <mpi.h>

static int begun;

int sluice_mpi_split_begin(int result)
{
    begun += result == MPI_SUCCESS;
    return result;
}

/* Notes the end of a collective; a failed one is over as well. */
int sluice_mpi_split_end(int result)
{
    begun -= begun > 0;
    return result;
}

int sluice_mpi_splits(void)
{
    return begun;
}
