/* The building blocks of the generated wrappers. */
#pragma once

#include <limits.h>

#include "attached.h"
#include "communicator.h"
#include "core/calls.h"
#include "real.h"
#include "request.h"
#include "split.h"

#define SLUICE_MPI_WRAPPER __attribute__((visibility("default")))

/* Defines the function's other name. */
#define SLUICE_MPI_ALIAS(name)                                                                     \
    SLUICE_MPI_WRAPPER __typeof__(name) P##name __attribute__((alias(#name)));

/*
 * Returns whether the library gets the call as it is. Before MPI_Init nothing has been looked up.
 */
static inline bool sluice_mpi_passes(void)
{
    if (__builtin_expect(sluice_mpi_on && sluice_mpi_inside == 0, 1))
        return false;
    if (real.Init == NULL)
        sluice_mpi_find();
    return true;
}

/* Returns the value of `call`, with the guard set. */
#define SLUICE_MPI_WITHIN(call)                                                                    \
    __extension__({                                                                                \
        sluice_mpi_inside = 1;                                                                     \
        if (__builtin_expect(sluice_mpi_threads, 0))                                               \
            sluice_mpi_enter();                                                                    \
        const __auto_type within_ = call;                                                          \
        if (__builtin_expect(sluice_mpi_threads, 0))                                               \
            sluice_mpi_leave();                                                                    \
        sluice_mpi_inside = 0;                                                                     \
        within_;                                                                                   \
    })

/*
 * Returns a count of a function whose name ends with _c. Ends the job where an int cannot have it.
 */
static inline int sluice_mpi_narrow(const char *function, MPI_Count count)
{
    if (count > INT_MAX || count < INT_MIN) {
        sluice_mpi_refuse(function,
                          "send fewer elements, of a larger datatype: the count is too large");
    }
    return (int)count;
}

/* Called before such a call: see refused.c. Returns if the job goes on without checkpoints. */
void sluice_mpi_refused(const char *function, const char *instead);

/* Calls about communicators: see making.c. */
void sluice_mpi_comm_making(MPI_Comm parent, bool guard);
int sluice_mpi_comm_is_made(int result, MPI_Comm *made);
int sluice_mpi_comm_is_begun(int result, MPI_Comm parent, const MPI_Comm *begun,
                             MPI_Request *request);
int sluice_mpi_comm_is_freed(int result, MPI_Comm freed);

/* Gives the core a request that the library has made, unless that failed. */
static inline int sluice_mpi_uncounted(int result, MPI_Request *request)
{
    return result == MPI_SUCCESS ? call_uncounted(request, false) : result;
}

static inline int sluice_mpi_uncounted_persistent(int result, MPI_Request *request)
{
    return result == MPI_SUCCESS ? call_uncounted(request, true) : result;
}
