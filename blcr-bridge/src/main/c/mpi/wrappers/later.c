/*
 * Programs that load MPI while they run, as Python and Julia do. They ask the result of dlopen()
 * for functions, which would bypass the layer. So they get the handle of the program itself, in
 * which the layer comes first.
 */
#include "later.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <string.h>

#ifdef OPEN_MPI
#define LIBRARY "libmpi.so"
#else
#define LIBRARY "libmpich.so"
#endif

typedef void *opener(const char *, int);

static opener *linker(void)
{
    static opener *found;
    if (found == NULL)
        found = (opener *)dlsym(RTLD_NEXT, "dlopen");
    return found;
}

void *sluice_mpi_dlopen(const char *file, int mode)
{
    return linker()(file, mode);
}

static bool is_mpi(const char *file)
{
    const char *slash = file == NULL ? NULL : strrchr(file, '/');
    const char *name = slash == NULL ? file : slash + 1;
    return name != NULL && strncmp(name, LIBRARY, strlen(LIBRARY)) == 0;
}

/*
 * Opens a library without RTLD_DEEPBIND, with which it would find its MPI before the layer. The
 * linker looks at the caller: a jump keeps that.
 */
__attribute__((visibility("default"))) void *dlopen(const char *file, int mode)
{
    opener *const open = linker();
    mode &= ~RTLD_DEEPBIND;
    if (!is_mpi(file))
        return open(file, mode);
    return open(file, mode | RTLD_GLOBAL) == NULL ? NULL : open(NULL, RTLD_LAZY);
}
