/*
 * Calls of mix that MPI refuses, and the calls behind them: a receive that is too short, a rank or
 * a count that cannot exist.
 */
#include "mix.h"

static MPI_Comm strict;

void refused_begin(void)
{
    MPI_Comm_dup(world, &strict);
    MPI_Comm_set_errhandler(strict, MPI_ERRORS_RETURN);
}

/* Not by MPI_Wait: MPICH tells MPI_COMM_WORLD of what fails there. */
static void too_long(void)
{
    int32_t out[4] = {1, 2, 3, 4}, in[4];
    int class = MPI_SUCCESS;
    int result;
    if (mix->step % 2 == 0) {
        MPI_Send(out, 4, MPI_INT, to_right(), 1, strict);
        result = MPI_Recv(in, 2, MPI_INT, to_left(), 1, strict, MPI_STATUS_IGNORE);
    } else {
        result = MPI_Sendrecv(out, 4, MPI_INT, to_right(), 1, in, 2, MPI_INT, to_left(), 1, strict,
                              MPI_STATUS_IGNORE);
    }
    MPI_Error_class(result, &class);
    corpus_check(class == MPI_ERR_TRUNCATE, "a message is longer than its receive");
}

/* Of the calls that follow each other one is refused at all ranks. */
static void collectives(int64_t step)
{
    int32_t one = corpus.rank == 0 ? value(step, 0, 0) : 0, sum = 0;
    MPI_Request request;
    if (chance(2) == 0)
        corpus_check(MPI_Bcast(&one, 1, MPI_INT, corpus.ranks, strict) != MPI_SUCCESS, "no root");
    else
        corpus_check(MPI_Ibcast(&one, -1, MPI_INT, 0, strict, &request) != MPI_SUCCESS, "no count");
    MPI_Bcast(&one, 1, MPI_INT, 0, strict);
    corpus_check(one == value(step, 0, 0), "a broadcast behind a refused one");
    MPI_Allreduce(&corpus.rank, &sum, 1, MPI_INT, MPI_SUM, strict);
    corpus_check(sum == corpus.ranks * (corpus.ranks - 1) / 2, "a sum behind a refused one");
}

static void messages(int64_t step)
{
    int32_t out = value(step, corpus.rank, 1), in = 0;
    MPI_Request receive, none;
    corpus_check(MPI_Irecv(&in, 1, MPI_INT, corpus.ranks, 2, strict, &none) != MPI_SUCCESS, "rank");
    MPI_Irecv(&in, 1, MPI_INT, to_left(), 2, strict, &receive);
    corpus_check(MPI_Send(&out, -1, MPI_INT, to_right(), 2, strict) != MPI_SUCCESS, "count");
    corpus_check(MPI_Isend(&out, 1, MPI_INT, -77, 2, strict, &none) != MPI_SUCCESS, "no rank");
    MPI_Send(&out, 1, MPI_INT, to_right(), 2, strict);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    corpus_check(in == value(step, to_left(), 1), "a message behind a refused one");
}

void refused_step(void)
{
    if (!has(REFUSED))
        return;
    if (chance(8) == 0)
        messages(mix->step);
    if (chance(20) == 0)
        collectives(mix->step);
    if (chance(60) == 0)
        too_long();
}
