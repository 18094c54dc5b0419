/* A reduction of our own whose order counts (products of matrices), and collectives of every flow of data. */
#include "corpus.h"

enum { PRIME = 1000003 };

struct matrix {
    uint64_t m[4];
};

struct state {
    int64_t step;
    struct matrix here;
};

static struct corpus corpus;
static struct state *state;
static uint64_t *in, *out; /* ranks * size */
static MPI_Datatype matrix;
static MPI_Op product;

static struct matrix times(const struct matrix *a, const struct matrix *b)
{
    return (struct matrix){{
        (a->m[0] * b->m[0] + a->m[1] * b->m[2]) % PRIME,
        (a->m[0] * b->m[1] + a->m[1] * b->m[3]) % PRIME,
        (a->m[2] * b->m[0] + a->m[3] * b->m[2]) % PRIME,
        (a->m[2] * b->m[1] + a->m[3] * b->m[3]) % PRIME,
    }};
}

static void multiply(void *left, void *right, int *n, MPI_Datatype *type)
{
    struct matrix *a = left, *b = right;
    (void)type;
    for (int i = 0; i < *n; i++)
        b[i] = times(&a[i], &b[i]);
}

static void fold(const void *data, size_t bytes)
{
    const uint64_t hash = corpus_hash(1, data, bytes);
    for (int i = 0; i < 4; i++)
        state->here.m[i] = (state->here.m[i] + (hash >> 16 * i) % 65536) % PRIME;
}

static void reduce(int root)
{
    struct matrix all = {{0}}, before = {{1, 0, 0, 1}}, upto, at_root = {{0}};
    MPI_Allreduce(&state->here, &all, 1, matrix, product, MPI_COMM_WORLD);
    MPI_Scan(&state->here, &upto, 1, matrix, product, MPI_COMM_WORLD);
    MPI_Exscan(&state->here, &before, 1, matrix, product, MPI_COMM_WORLD);
    MPI_Reduce(&state->here, &at_root, 1, matrix, product, root, MPI_COMM_WORLD);
    if (corpus.rank == 0)
        before = (struct matrix){{1, 0, 0, 1}};
    const struct matrix again = times(&before, &state->here);
    corpus_check(memcmp(&again, &upto, sizeof again) == 0, "Scan is not Exscan times what is here");
    fold(&all, sizeof all);
    fold(&upto, sizeof upto);
    if (corpus.rank == root)
        fold(&at_root, sizeof at_root);
}

/* Rank r gives rank s (r + s) % 3 + 1 elements. */
static void exchange(void)
{
    const int ranks = corpus.ranks;
    int counts[2][ranks], places[2][ranks];
    for (int rank = 0, sent = 0, got = 0; rank < ranks; rank++) {
        counts[0][rank] = counts[1][rank] = (corpus.rank + rank) % 3 + 1;
        places[0][rank] = sent;
        places[1][rank] = got;
        sent += counts[0][rank];
        got += counts[1][rank];
    }
    MPI_Alltoallv(in, counts[0], places[0], MPI_UINT64_T, out, counts[1], places[1], MPI_UINT64_T,
                  MPI_COMM_WORLD);
    fold(out, (size_t)(places[1][ranks - 1] + counts[1][ranks - 1]) * sizeof *out);
}

static void step(void)
{
    const int size = (int)corpus.size, ranks = corpus.ranks, root = (int)(state->step % ranks);
    for (int i = 0; i < size * ranks; i++)
        in[i] = corpus_mix(state->here.m[i % 4], (uint64_t)i, (uint64_t)state->step);
    reduce(root);
    corpus_pause();
    exchange();
    MPI_Reduce_scatter_block(in, out, size, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
    fold(out, (size_t)size * sizeof *out);
    MPI_Scatter(in, size, MPI_UINT64_T, out, size, MPI_UINT64_T, root, MPI_COMM_WORLD);
    fold(out, (size_t)size * sizeof *out);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, size, MPI_UINT64_T, MPI_COMM_WORLD);
    fold(in, (size_t)(size * ranks) * sizeof *in);
}

int main(int argc, char **argv)
{
    corpus = corpus_begin(&argc, &argv);
    const size_t bytes = ((size_t)corpus.size + 3) * (size_t)corpus.ranks * sizeof *in;
    state = corpus_protected(sizeof *state);
    in = corpus_protected(bytes);
    out = corpus_protected(bytes);
    state->here = (struct matrix){{1, (uint64_t)corpus.rank, 2, 3}};
    MPI_Type_contiguous(4, MPI_UINT64_T, &matrix);
    MPI_Type_commit(&matrix);
    MPI_Op_create(multiply, 0, &product);
    for (; state->step < corpus.steps; state->step++) {
        sluice_potential_checkpoint();
        step();
    }
    MPI_Op_free(&product);
    MPI_Type_free(&matrix);
    corpus_end(corpus_hash(1, &state->here, sizeof state->here));
}
