/* All protocols, the usual one first. Another protocol gets a folder of its own and a line here. */
#include <stddef.h>

#include "core/protocol.h"

extern const struct sluice_mpi_protocol sluice_mpi_c3;
extern const struct sluice_mpi_protocol sluice_mpi_pcl;

const struct sluice_mpi_protocol *const sluice_mpi_protocols[] = {&sluice_mpi_c3, &sluice_mpi_pcl,
                                                                  NULL};
