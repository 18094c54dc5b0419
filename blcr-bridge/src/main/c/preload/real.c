#include "real.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

_Atomic(void *) sluice_real_functions[SLUICE_REAL_COUNT];

static const char *const names[SLUICE_REAL_COUNT] = {
#define SLUICE_REAL_NAME(name) [SLUICE_REAL_##name] = #name,
    SLUICE_REAL_FUNCTIONS(SLUICE_REAL_NAME)
#undef SLUICE_REAL_NAME
};

bool sluice_real_has(enum sluice_real which)
{
    return dlsym(RTLD_NEXT, names[which]) != NULL;
}

void *sluice_real_find(enum sluice_real which)
{
    void *found = dlsym(RTLD_NEXT, names[which]);
    if (found == NULL) {
        dprintf(2, "sluice: the C library has no %s; run without LD_PRELOAD\n", names[which]);
        abort();
    }
    atomic_store_explicit(&sluice_real_functions[which], found, memory_order_relaxed);
    return found;
}
