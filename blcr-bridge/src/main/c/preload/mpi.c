/*
 * What MPI_File_open() opens, ranks of other nodes have open, too, whatever its name says: the I/O process is
 * told. Nothing here knows any MPI's header. A communicator and an info are a pointer or an int, which one
 * register passes on as it came.
 */
#include "mpi.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "real.h"

typedef int file_open(uintptr_t communicator, const char *name, int mode, uintptr_t info,
                      void *file);

static _Thread_local int opening;

bool sluice_mpi_opening(void)
{
    return opening > 0;
}

struct search {
    const char *name;
    const void *ours;
    void *found;
};

/* A library that was loaded for one other alone is not behind this one for the linker. */
static int look_in(struct dl_phdr_info *object, size_t size, void *argument)
{
    (void)size;
    struct search *search = argument;
    void *library = object->dlpi_name[0] == '\0'
        ? NULL
        : dlopen(object->dlpi_name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (library == NULL)
        return 0;
    void *found = strstr(object->dlpi_name, "libmpi") != NULL ? dlsym(library, search->name) : NULL;
    dlclose(library);
    if (found != search->ours)
        search->found = found;
    return search->found != NULL;
}

static file_open *find(const char *name, file_open *ours, _Atomic(void *) *known)
{
    void *found = atomic_load_explicit(known, memory_order_relaxed);
    if (found == NULL)
        found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        struct search search = {name, (void *)ours, NULL};
        dl_iterate_phdr(look_in, &search);
        found = search.found;
    }
    if (found == NULL) {
        dprintf(2, "sluice: no MPI library that is loaded has %s; run without LD_PRELOAD\n", name);
        abort();
    }
    atomic_store_explicit(known, found, memory_order_relaxed);
    return (file_open *)found;
}

#define MPI_WRAPPER(name)                                                                          \
    SLUICE_WRAPPER file_open name;                                                                 \
    int name(uintptr_t communicator, const char *path, int mode, uintptr_t info, void *file)       \
    {                                                                                              \
        static _Atomic(void *) known;                                                              \
        file_open *real = find(#name, name, &known);                                               \
        opening++;                                                                                 \
        const int result = real(communicator, path, mode, info, file);                             \
        opening--;                                                                                 \
        return result;                                                                             \
    }

MPI_WRAPPER(MPI_File_open)
MPI_WRAPPER(PMPI_File_open)
