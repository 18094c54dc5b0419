#include "real.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

void *sluice_real_find(const char *name, _Atomic(void *) *found)
{
    void *real = dlsym(RTLD_NEXT, name);
    if (real == NULL) {
        dprintf(2, "sluice: the C library has no %s; run without LD_PRELOAD\n", name);
        abort();
    }
    atomic_store_explicit(found, real, memory_order_relaxed);
    return real;
}
