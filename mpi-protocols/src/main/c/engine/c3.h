/*
 * What C3 has to do with the program's calls while the rank is busy: it records them, or repeats what was recorded.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "calls.h"
#include "handle.h"

/* A message is sent. Returns whether that is done: the receiver has it, or the layer keeps its data. */
bool sluice_mpi_c3_sends(const struct sluice_mpi_comm *comm, int dest, int tag, int64_t number,
                         const void *buf, int count, MPI_Datatype type);

/* Posts a receive: what MPI returns. */
int sluice_mpi_c3_posts(struct sluice_mpi_handle *handle);

/* The library is asked for its message. */
void sluice_mpi_c3_asks(const struct sluice_mpi_handle *handle, int source, int tag);

/* A receive, or a collective that does not block, is complete. */
void sluice_mpi_c3_ended(const struct sluice_mpi_handle *handle);

/* A drained message has come, and what is given to a receive. */
struct sluice_mpi_drained;
void sluice_mpi_c3_drained(const struct sluice_mpi_drained *one, const MPI_Status *status);
void sluice_mpi_c3_gives(const struct sluice_mpi_drained *one,
                         const struct sluice_mpi_handle *handle);

/* Behind the state of an image: drained messages of the record, and results of collectives that were open. */
void sluice_mpi_c3_resume(void);

/* The open receives are posted again: what the record had for them is used up. */
void sluice_mpi_c3_resumed(void);

/* The program is told that these are complete; in a recovery it was. */
void sluice_mpi_c3_completes(struct sluice_mpi_handle *const *handles, int count);

/* Whether a recovery answers the call: then what it had answered is complete, and all else is hidden. */
bool sluice_mpi_c3_answers(int count, struct sluice_mpi_handle **handles, enum sluice_mpi_how how);

/* A recovery's answer to a probe, which may wait for a find: what MPI returns, or -1: it has none. */
int sluice_mpi_c3_probes(struct sluice_mpi_comm *comm, bool waits, int *flag, MPI_Status *status);

/* A probe has found this, or nothing. */
void sluice_mpi_c3_probed(struct sluice_mpi_comm *comm, const MPI_Status *found);

/* A collective is entered. Returns whether that is done: the record has its result. `handle`: NULL where it blocks. */
bool sluice_mpi_c3_enters(struct sluice_mpi_comm *comm,
                          const struct sluice_mpi_collective *collective, int64_t number,
                          struct sluice_mpi_handle *handle);

/* One that blocks is over. */
void sluice_mpi_c3_left(struct sluice_mpi_comm *comm,
                        const struct sluice_mpi_collective *collective);

/* A collective that was open at the line: its result is in the record. */
void sluice_mpi_c3_answer_open(struct sluice_mpi_handle *handle);

/* A recovery ends where nothing of it is left. */
void sluice_mpi_c3_look_whether_over(void);

/* Whether messages of a recovery are still to be sent from the layer's memory. */
bool sluice_mpi_c3_buffers(void);

/* The program does what no recovery can repeat, as `why` says: a wave that records it is given up. */
void sluice_mpi_c3_cannot(const char *why);
