#include "inputs.h"

#include <stdlib.h>

#include "datatype.h"
#include "wrappers/real.h"

struct sluice_mpi_piece *sluice_mpi_inputs_of(const struct sluice_mpi_collective *collective,
                                              int *count)
{
    *count = sluice_mpi_inputs(collective, NULL, 0);
    struct sluice_mpi_piece *pieces = calloc(*count + 1, sizeof *pieces);
    if (pieces == NULL)
        sluice_mpi_abort("no memory for the data of %s", collective->name);
    sluice_mpi_inputs(collective, pieces, *count);
    return pieces;
}

uint32_t sluice_mpi_inputs_check(const struct sluice_mpi_collective *collective)
{
    int count;
    struct sluice_mpi_piece *pieces = sluice_mpi_inputs_of(collective, &count);
    uint32_t check = 0;
    for (int i = 0; i < count; i++) {
        check = check * 31
            + sluice_mpi_datatype_check(pieces[i].buffer, pieces[i].count, pieces[i].type);
    }
    free(pieces);
    return check;
}
