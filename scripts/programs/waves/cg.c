/* Conjugate gradients on a chain of points: two sums over all ranks in each step, bit for bit the same. */
#include "corpus.h"

struct state {
    int64_t step;
    double rho;
};

static struct corpus corpus;
static struct state *state;
static double *x, *r, *p, *q; /* p has a point more at each end */

static double dot(const double *a, const double *b)
{
    double here = 0, all;
    for (int64_t i = 0; i < corpus.size; i++)
        here += a[i] * b[i];
    MPI_Allreduce(&here, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static void multiply(void)
{
    const int left = corpus.rank == 0 ? MPI_PROC_NULL : corpus.rank - 1;
    const int right = corpus.rank + 1 == corpus.ranks ? MPI_PROC_NULL : corpus.rank + 1;
    MPI_Request requests[4];
    p[0] = p[corpus.size + 1] = 0;
    MPI_Irecv(&p[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&p[corpus.size + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&p[1], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&p[corpus.size], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int64_t i = 1; i <= corpus.size; i++)
        q[i - 1] = 2.001 * p[i] - p[i - 1] - p[i + 1];
}

static void iterate(void)
{
    multiply();
    corpus_pause();
    const double alpha = state->rho / dot(p + 1, q), rho = state->rho;
    for (int64_t i = 0; i < corpus.size; i++) {
        x[i] += alpha * p[i + 1];
        r[i] -= alpha * q[i];
    }
    state->rho = dot(r, r);
    for (int64_t i = 0; i < corpus.size; i++)
        p[i + 1] = r[i] + state->rho / rho * p[i + 1];
}

int main(int argc, char **argv)
{
    corpus = corpus_begin(&argc, &argv);
    const size_t bytes = (size_t)corpus.size * sizeof(double);
    state = corpus_protected(sizeof *state);
    x = corpus_protected(bytes);
    r = corpus_protected(bytes);
    p = corpus_protected(bytes + 2 * sizeof *p);
    q = corpus_protected(bytes);
    for (int64_t i = 0; i < corpus.size; i++) {
        const uint64_t point = (uint64_t)(corpus.rank * corpus.size + i);
        r[i] = p[i + 1] = (double)(corpus_mix(point, 0, 0) % 1000) / 7;
    }
    for (; state->step < corpus.steps; state->step++) {
        sluice_potential_checkpoint();
        if (state->step == 0)
            state->rho = dot(r, r);
        iterate();
    }
    corpus_end(corpus_hash(corpus_hash(1, x, bytes), &state->rho, sizeof state->rho));
}
