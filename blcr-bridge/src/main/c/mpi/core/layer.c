#include "layer.h"

#include "drained.h"
#include "protocol.h"

struct sluice_mpi_layer sluice_mpi = {.restored = -1, .patience = 60};

void sluice_mpi_look_busy(void)
{
    sluice_mpi.busy = sluice_mpi.wave != 0 || sluice_mpi.drained != NULL || sluice_mpi.rehearsing
        || sluice_mpi.protocol->repeats();
}

const struct sluice_mpi_protocol *sluice_mpi_protocol_of(int number)
{
    const struct sluice_mpi_protocol *const *one = sluice_mpi.protocols;
    while (*one != NULL && (*one)->number != number)
        one++;
    return *one != NULL ? *one : sluice_mpi.protocols[0];
}
