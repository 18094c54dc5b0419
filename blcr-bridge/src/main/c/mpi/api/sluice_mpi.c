/*
 * The library that a program is linked to; its functions do nothing. Under `sluice mpi` the
 * preloaded layer has the same functions, and comes first.
 */
#include "sluice_mpi.h"

#define API __attribute__((visibility("default")))

API int sluice_protect(int id, void *pointer, size_t bytes)
{
    (void)id;
    (void)pointer;
    (void)bytes;
    return 0;
}

API size_t sluice_protected_bytes(int id)
{
    (void)id;
    return 0;
}

#undef sluice_potential_checkpoint

API int sluice_potential_checkpoint(void)
{
    return 0;
}

API int sluice_potential_checkpoint_at(const volatile void *place)
{
    (void)place;
    return 0;
}

API const int sluice_mpi_layer = 0;
