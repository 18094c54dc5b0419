/*
 * Files that MPI_File_open() opens. Ranks of other nodes have them open, too, whatever their names
 * say: the I/O process is told. This file knows no MPI's header. A communicator and an info are a
 * pointer or an int, which one register passes on as it came.
 */
#include "mpi.h"

#include <stdint.h>
#include <stdlib.h>

#include "real.h"
#include "symbol.h"
#include "tell.h"

typedef int file_open(uintptr_t communicator, const char *name, int mode, uintptr_t info,
                      void *file);

static _Thread_local int opening;

bool sluice_mpi_opening(void)
{
    return opening > 0;
}

static file_open *find(const char *name, _Atomic(void *) *known)
{
    void *found = atomic_load_explicit(known, memory_order_relaxed);
    if (found == NULL)
        found = sluice_symbol_loaded(name);
    if (found == NULL) {
        sluice_tell("no MPI library that is loaded has %s; run without LD_PRELOAD", name);
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
        file_open *real = find(#name, &known);                                                     \
        opening++;                                                                                 \
        const int result = real(communicator, path, mode, info, file);                             \
        opening--;                                                                                 \
        return result;                                                                             \
    }

MPI_WRAPPER(MPI_File_open)
MPI_WRAPPER(PMPI_File_open)
