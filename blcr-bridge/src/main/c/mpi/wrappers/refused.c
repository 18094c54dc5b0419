/* Calls that the layer does not carry: they end the job, or its checkpoints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wrapper.h"

static bool goes_on(void)
{
    const char *how = getenv("SLUICE_MPI_REFUSED");
    return how != NULL && strcmp(how, "continue") == 0;
}

void sluice_mpi_refused(const char *function, const char *instead)
{
    static char why[300];
    if (!goes_on())
        sluice_mpi_refuse(function, instead);
    if (sluice_mpi_lets)
        return;
    sluice_mpi_lets = true;
    snprintf(why, sizeof why, "%s is not carried by sluice mpi; %s", function, instead);
    sluice_mpi_inside = 1;
    call_refused(why);
    sluice_mpi_inside = 0;
}
