/*
 * The calls of the program by their meaning, as the wrappers make them. Each returns what MPI
 * would: MPI_SUCCESS or an error code. The guard is set, so every MPI function called in here is
 * the library's.
 *
 * A call may have an argument that MPI refuses: an unknown communicator or rank, or a negative
 * count. Such a call is forwarded, and counts only if MPI accepts it.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "wrappers/collective.h"
#include "wrappers/communicator.h"

enum sluice_mpi_mode {
    SLUICE_MPI_STANDARD,
    SLUICE_MPI_BUFFERED,
    SLUICE_MPI_SYNCHRONOUS,
    SLUICE_MPI_READY,
};

enum sluice_mpi_how {
    SLUICE_MPI_WAIT,
    SLUICE_MPI_WAIT_ALL,
    SLUICE_MPI_WAIT_ANY,
    SLUICE_MPI_WAIT_SOME,
    SLUICE_MPI_TEST,
    SLUICE_MPI_TEST_ALL,
    SLUICE_MPI_TEST_ANY,
    SLUICE_MPI_TEST_SOME,
};

/* Returns whether the call returns although nothing is complete. */
static inline bool sluice_mpi_tests(enum sluice_mpi_how how)
{
    return how >= SLUICE_MPI_TEST;
}

int call_send(enum sluice_mpi_mode mode, const void *buf, int count, MPI_Datatype type, int dest,
              int tag, MPI_Comm comm);
int call_isend(enum sluice_mpi_mode mode, const void *buf, int count, MPI_Datatype type, int dest,
               int tag, MPI_Comm comm, MPI_Request *request);
int call_send_init(enum sluice_mpi_mode mode, const void *buf, int count, MPI_Datatype type,
                   int dest, int tag, MPI_Comm comm, MPI_Request *request);

int call_recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Status *status);
int call_irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request *request);
int call_recv_init(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                   MPI_Request *request);
int call_sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                  void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                  MPI_Comm comm, MPI_Status *status);
int call_sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int sendtag,
                          int source, int recvtag, MPI_Comm comm, MPI_Status *status);

int call_probe(int source, int tag, MPI_Comm comm, MPI_Status *status);
int call_iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);

int call_start(int count, MPI_Request *requests);
int call_request_free(MPI_Request *request);
int call_cancel(MPI_Request *request);
int call_get_status(MPI_Request request, int *flag, MPI_Status *status);

/*
 * Does all Wait and Test functions. WAIT and TEST have one request, and return its error. `indices`
 * has one index for WAIT_ANY and TEST_ANY. `outcount` is used by the SOME ones, `flag` by TEST,
 * TEST_ALL and TEST_ANY; unused ones are NULL. `statuses` may be MPI_STATUS_IGNORE or
 * MPI_STATUSES_IGNORE, by `how`.
 */
int call_complete(int count, MPI_Request *requests, enum sluice_mpi_how how, int *outcount,
                  int *flag, int *indices, MPI_Status *statuses);

/*
 * Makes a collective call. `request` is NULL for a blocking one. `collective` need not outlive the
 * call.
 */
int call_collective(const struct sluice_mpi_collective *collective, MPI_Request *request);

/*
 * Replaces a request of the library that no protocol counts by one of the layer. The request is of
 * a file, or of a persistent collective, which the program starts.
 */
int call_uncounted(MPI_Request *request, bool persistent);

/* Prepares a collective call on a file or a communicator, which no protocol counts. */
void call_together(const char *function);

/* Makes a request that is complete, with this status: the message has been received. */
int call_ready(void *buf, int count, MPI_Datatype type, const MPI_Status *status,
               MPI_Request *request);

/* Prepares the making of a communicator by the members of `parent`. */
void call_making(MPI_Comm parent);

/* Does MPI_Comm_create_group, which only the members of `group` call. */
int call_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made);

/*
 * Does MPI_Intercomm_create of the members of `local`, whose rank `first` finds the other group's
 * on `bridge`.
 */
int call_intercomm_create(MPI_Comm local, int first, MPI_Comm bridge, int other, int tag,
                          MPI_Comm *made);

/* Notes a communicator that is begun. The library's request for it becomes one of the layer. */
void call_begun(struct sluice_mpi_comm *comm, MPI_Request *request);

/* Takes over a communicator that the program has freed. */
void call_comm_freed(struct sluice_mpi_comm *comm);

/*
 * Notes that the program goes on without checkpoints: it does something that no line carries, as
 * `why` says for good.
 */
void call_refused(const char *why);

/* Prepares the freeing of a datatype: open requests keep a copy. Returns MPI_SUCCESS. */
int call_type_freed(MPI_Datatype type);

/*
 * Begins the layer after MPI_Init, with the tables of requests and communicators. Sets
 * sluice_mpi_on if there is work.
 */
void call_init(void);

/* Ends the layer before MPI_Finalize. */
void call_finalize(void);

/* The functions of sluice_mpi.h. */
int call_protect(int id, void *pointer, size_t bytes);
size_t call_protected_bytes(int id);
int call_potential_checkpoint(const void *place);
