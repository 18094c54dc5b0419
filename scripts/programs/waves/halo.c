/* A plate whose rows are shared out; the receives of a step are posted before the spot behind which it is. */
#include "corpus.h"

enum { ROWS = 8 };

struct state {
    int64_t step;
    int64_t posted; /* the receives of `step` are */
    MPI_Request receives[2];
};

static struct corpus corpus;
static struct state *state;
static double *plate, *ghosts; /* ghosts: for even and odd steps, from above and from below */

static double *row(int64_t y)
{
    return plate + y * corpus.size;
}

static double *ghost(int64_t step, int side)
{
    return ghosts + (step % 2 * 2 + side) * corpus.size;
}

static int neighbour(int side)
{
    const int rank = corpus.rank + (side == 0 ? -1 : 1);
    return rank < 0 || rank >= corpus.ranks ? MPI_PROC_NULL : rank;
}

static void post(void)
{
    for (int side = 0; side < 2; side++) {
        MPI_Irecv(ghost(state->step, side), (int)corpus.size, MPI_DOUBLE, neighbour(side),
                  (int)(state->step % 2), MPI_COMM_WORLD, &state->receives[side]);
    }
    state->posted = 1;
}

static void relax(double *y, const double *above, const double *below)
{
    double left = y[0];
    for (int64_t x = 1; x < corpus.size - 1; x++) {
        const double here = y[x];
        y[x] = 0.25 * (left + y[x + 1] + above[x] + below[x]);
        left = here;
    }
}

static void exchange_and_relax(void)
{
    MPI_Request sends[2];
    const int tag = (int)(state->step % 2);
    MPI_Isend(row(0), (int)corpus.size, MPI_DOUBLE, neighbour(0), tag, MPI_COMM_WORLD, &sends[0]);
    MPI_Isend(row(ROWS - 1), (int)corpus.size, MPI_DOUBLE, neighbour(1), tag, MPI_COMM_WORLD,
              &sends[1]);
    corpus_pause();
    for (int y = 1; y < ROWS - 1; y++)
        relax(row(y), row(y - 1), row(y + 1));
    MPI_Waitall(2, state->receives, MPI_STATUSES_IGNORE);
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    relax(row(0), ghost(state->step, 0), row(1));
    relax(row(ROWS - 1), row(ROWS - 2), ghost(state->step, 1));
}

int main(int argc, char **argv)
{
    corpus = corpus_begin(&argc, &argv);
    const size_t row_bytes = (size_t)corpus.size * sizeof(double);
    state = corpus_protected(sizeof *state);
    plate = corpus_protected(ROWS * row_bytes);
    ghosts = corpus_protected(4 * row_bytes);
    for (int64_t i = 0; i < ROWS * corpus.size; i++)
        plate[i] = (double)(corpus_mix((uint64_t)corpus.rank, (uint64_t)i, 0) % 1000);
    for (; state->step < corpus.steps; state->step++) {
        sluice_potential_checkpoint();
        if (!state->posted)
            post();
        exchange_and_relax();
        state->posted = 0;
        if (state->step + 1 < corpus.steps) {
            state->step++;
            post();
            state->step--;
        }
    }
    corpus_end(corpus_hash(1, plate, ROWS * row_bytes));
}
