/*
 * A run of many steps, in which nothing must grow: its ranks exchange messages, or with --free make and free
 * communicators, datatypes and requests. Each says how much memory it has, twenty times in the run.
 */
#include "corpus.h"

#include <stdio.h>
#include <unistd.h>

enum { MESSAGES = 8 };

static struct corpus corpus;
static uint64_t *sent, *got;

/* In KiB, without the buffer of the I/O process. */
static long memory(void)
{
    long all, resident, shared;
    FILE *statm = fopen("/proc/self/statm", "r");
    corpus_check(statm != NULL && fscanf(statm, "%ld %ld %ld", &all, &resident, &shared) == 3,
                 "/proc/self/statm");
    fclose(statm);
    return (resident - shared) * (sysconf(_SC_PAGESIZE) / 1024);
}

static void exchange(int64_t step)
{
    MPI_Request requests[2 * MESSAGES];
    for (int i = 0; i < MESSAGES; i++) {
        const int tag = (int)((step + i) % 5);
        MPI_Irecv(got + i, 1, MPI_UINT64_T,
                  i % 2 == 0 ? MPI_ANY_SOURCE : (corpus.rank + corpus.ranks - 1) % corpus.ranks,
                  tag, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < MESSAGES; i++) {
        sent[i] = corpus_mix((uint64_t)step, (uint64_t)i, 0);
        MPI_Isend(sent + i, 1, MPI_UINT64_T, (corpus.rank + 1) % corpus.ranks,
                  (int)((step + i) % 5), MPI_COMM_WORLD, &requests[MESSAGES + i]);
    }
    MPI_Waitall(2 * MESSAGES, requests, MPI_STATUSES_IGNORE);
}

/* Makes and frees as a library does. The type is freed while a request has it. */
static void make(void)
{
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Request request, persistent;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Type_vector(2, 1, 2, MPI_UINT64_T, &type);
    MPI_Type_commit(&type);
    MPI_Ibcast(got, 1, type, 0, comm, &request);
    MPI_Recv_init(got, 1, type, corpus.rank, 1, comm, &persistent);
    MPI_Start(&persistent);
    MPI_Send(sent, 1, type, corpus.rank, 1, comm);
    MPI_Type_free(&type);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    MPI_Request_free(&persistent);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    corpus = corpus_begin(&argc, &argv);
    int64_t *step = corpus_protected(sizeof *step);
    sent = corpus_protected((size_t)corpus.size * sizeof *sent);
    got = corpus_protected((size_t)corpus.size * sizeof *got);
    for (; *step < corpus.steps; ++*step) {
        sluice_potential_checkpoint();
        if (corpus.free)
            make();
        else
            exchange(*step);
        if ((*step + 1) % (corpus.steps / 20) == 0) {
            printf("memory %d %ld\n", corpus.rank, memory());
            fflush(stdout);
        }
    }
    corpus_end((uint64_t)*step);
}
