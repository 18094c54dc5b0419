#include "attached.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "communicator.h"

static bool late; /* a buffer was attached after the first spot */
static bool lost; /* the buffer attached at the first spot is detached */
static bool early;

int sluice_mpi_buffer_attached(int result)
{
    if (result == MPI_SUCCESS)
        *(sluice_mpi_comms_are_late() ? &late : &early) = true;
    return result;
}

int sluice_mpi_buffer_detached(int result)
{
    if (result == MPI_SUCCESS) {
        lost |= early && sluice_mpi_comms_are_late();
        early = false;
        late = false;
    }
    return result;
}

const char *sluice_mpi_buffer_unlike_first(void)
{
    if (late) {
        return "a buffer was attached by MPI_Buffer_attach behind the first "
               "sluice_potential_checkpoint(), and a restart lacks it: attach it before, or detach "
               "it";
    }
    return lost
        ? "the buffer that was attached at the first sluice_potential_checkpoint() is detached, "
          "and a restart has it: detach it before, or at the end"
        : NULL;
}
