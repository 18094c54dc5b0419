#include "real.h"

#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "symbol.h"

/*
 * Finds a function as dlsym(RTLD_NEXT) does, which may allocate and takes a lock. Objects loaded at
 * the start of the program, such as the C library, stay loaded. Later ones stand behind them in the
 * list.
 */
void *sluice_real_look(const char *name)
{
    void *found = NULL;
    const struct link_map *object = _r_debug.r_map;
    while (object != NULL && object->l_ld != _DYNAMIC)
        object = object->l_next;
    while (found == NULL && object != NULL && (object = object->l_next) != NULL)
        found = sluice_symbol(object->l_addr, object->l_ld, name);
    return found;
}

static void say(const char *text)
{
    sluice_kernel_call(SYS_write, STDERR_FILENO, (long)text, (long)strlen(text));
}

void *sluice_real_find(const char *name, _Atomic(void *) *found)
{
    void *real = sluice_real_look(name);
    if (real == NULL) {
        say("sluice: the C library has no ");
        say(name);
        say("; run without LD_PRELOAD\n");
        abort();
    }
    atomic_store_explicit(found, real, memory_order_relaxed);
    return real;
}
