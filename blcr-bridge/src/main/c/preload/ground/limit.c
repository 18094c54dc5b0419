#include "limit.h"

#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <ulimit.h>

#include "real.h"

static _Atomic int64_t limit; /* the limit + 1; 0 until the first use */

/*
 * Reads the limit of a file's size. A change that another process makes by prlimit() goes
 * unnoticed.
 */
static int64_t look_up_limit(void)
{
    struct rlimit size;
    int64_t found = SLUICE_LARGEST_FILE;
    if (getrlimit(RLIMIT_FSIZE, &size) == 0 && size.rlim_cur < (rlim_t)found)
        found = (int64_t)size.rlim_cur;
    atomic_store_explicit(&limit, found + 1, memory_order_relaxed);
    return found;
}

int64_t sluice_limit(void)
{
    const int64_t known = atomic_load_explicit(&limit, memory_order_relaxed);
    return known != 0 ? known - 1 : look_up_limit();
}

SLUICE_AFTER(int, setrlimit, (__rlimit_resource_t resource, const struct rlimit *value),
             (resource, value), if (resource == RLIMIT_FSIZE) look_up_limit())
SLUICE_AFTER(int, prlimit,
             (pid_t pid, __rlimit_resource_t resource, const struct rlimit *value,
              struct rlimit *old),
             (pid, resource, value, old), if (resource == RLIMIT_FSIZE) look_up_limit())

SLUICE_AFTER(long, ulimit, (int command, ...),
             (command, command == UL_SETFSIZE ? SLUICE_NEXT(long, command) : 0),
             if (command == UL_SETFSIZE) look_up_limit())
