/*
 * The MPI library's own functions, behind those that the layer defines.
 *
 * real.Send is the library's PMPI_Send, and so on for each function of functions.txt that this MPI
 * has. All are looked up once, at MPI_Init.
 */
#pragma once

#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif
#include <stdbool.h>

#include "mpi_functions.h" /* generated: SLUICE_MPI_FUNCTIONS(X), with an X(member, name) for each */

#define SLUICE_MPI_POINTER(member, name) __typeof__(name) *member;

struct sluice_mpi_real {
    SLUICE_MPI_FUNCTIONS(SLUICE_MPI_POINTER)
};

extern struct sluice_mpi_real real;

/* Looks all functions up. Ends the process with a line and status 3 where it has no MPI library. */
void sluice_mpi_find(void);

/*
 * Set while a thread is within the layer or the library below it. A call made then is the library's
 * own, or the layer's: it is forwarded and not counted.
 */
extern _Thread_local int sluice_mpi_inside __attribute__((tls_model("initial-exec")));

/*
 * True between MPI_Init and MPI_Finalize, unless the layer has nothing to do. Otherwise all calls
 * are forwarded.
 */
extern bool sluice_mpi_on;

/*
 * The program asked for MPI_THREAD_MULTIPLE. MPI_THREAD_SERIALIZED is provided, and a call during
 * another thread's call ends the job.
 */
extern bool sluice_mpi_threads;
void sluice_mpi_enter(void);
void sluice_mpi_leave(void);

/*
 * The program has called something that the layer does not carry, and goes on: no wave is taken any
 * more.
 */
extern bool sluice_mpi_lets;

/* A call was left without a return: messages after it are not counted. */
extern bool sluice_mpi_left;

/*
 * Says "sluice: rank R: ..." in one line, which sluice mpi prints, and ends the job with
 * MPI_Abort(..., 3). Of several ranks that do so, one says it.
 */
void sluice_mpi_abort(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Ends the job in the same way with another status. */
void sluice_mpi_end(int status, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

/* Says the line without ending the job. */
void sluice_mpi_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Ends the job, since the layer does not carry this function. `instead` tells what the user may do.
 */
void sluice_mpi_refuse(const char *function, const char *instead) __attribute__((noreturn));
