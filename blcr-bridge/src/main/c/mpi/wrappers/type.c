/* Tells the core of the freed datatype, which requests may still have. */
#include "wrapper.h"

SLUICE_MPI_WRAPPER int MPI_Type_free(MPI_Datatype *type)
{
    if (!sluice_mpi_passes())
        SLUICE_MPI_WITHIN(call_type_freed(*type));
    return real.Type_free(type);
}
SLUICE_MPI_ALIAS(MPI_Type_free)
