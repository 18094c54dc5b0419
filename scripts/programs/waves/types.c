/* Columns, records with gaps and scattered elements travel as derived types; the gaps must stay as they are. */
#include "corpus.h"

enum { COLUMNS = 6 };

struct record {
    char kind;
    double value;
    int16_t count;
};

struct state {
    int64_t step;
    int64_t posted;
    MPI_Request column, records;
};

static struct corpus corpus;
static struct state *state;
static double *plate;               /* size rows of COLUMNS + 2 */
static struct record *here, *there; /* size of each */
static int32_t *scattered;          /* 3 * size */
static MPI_Datatype column, records, every_third;

static void make_types(void)
{
    const int lengths[] = {1, 1, 1};
    const MPI_Aint places[] = {offsetof(struct record, kind), offsetof(struct record, value),
                               offsetof(struct record, count)};
    const MPI_Datatype kinds[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT16_T};
    MPI_Datatype packed;
    MPI_Type_vector((int)corpus.size, 1, COLUMNS + 2, MPI_DOUBLE, &column);
    MPI_Type_create_struct(3, lengths, places, kinds, &packed);
    MPI_Type_create_resized(packed, 0, sizeof(struct record), &records);
    MPI_Type_free(&packed);
    int *displacements = calloc((size_t)corpus.size, sizeof *displacements);
    for (int i = 0; i < corpus.size; i++)
        displacements[i] = 3 * i;
    MPI_Type_create_indexed_block((int)corpus.size, 1, displacements, MPI_INT32_T, &every_third);
    free(displacements);
    MPI_Type_commit(&column);
    MPI_Type_commit(&records);
    MPI_Type_commit(&every_third);
}

static int next_rank(int by)
{
    return (corpus.rank + by + corpus.ranks) % corpus.ranks;
}

static void post(void)
{
    MPI_Irecv(plate, 1, column, next_rank(-1), 1, MPI_COMM_WORLD, &state->column);
    MPI_Irecv(there, (int)corpus.size, records, next_rank(-1), 2, MPI_COMM_WORLD, &state->records);
    state->posted = 1;
}

static void exchange(void)
{
    MPI_Request sends[3];
    MPI_Isend(plate + COLUMNS, 1, column, next_rank(1), 1, MPI_COMM_WORLD, &sends[0]);
    MPI_Isend(here, (int)corpus.size, records, next_rank(1), 2, MPI_COMM_WORLD, &sends[1]);
    MPI_Isend(scattered, 1, every_third, next_rank(2), 3, MPI_COMM_WORLD, &sends[2]);
    corpus_pause();
    MPI_Recv(scattered + 1, 1, every_third, next_rank(-2), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
    MPI_Wait(&state->column, MPI_STATUS_IGNORE);
    MPI_Wait(&state->records, MPI_STATUS_IGNORE);
    state->posted = 0;
}

static void compute(void)
{
    for (int64_t y = 0; y < corpus.size; y++) {
        double *row = plate + y * (COLUMNS + 2);
        for (int x = 1; x <= COLUMNS; x++)
            row[x] = 0.5 * (row[x - 1] + row[x]);
        here[y].value = there[y].value + row[COLUMNS];
        here[y].count = (int16_t)(there[y].count + 1);
        here[y].kind = (char)(there[y].kind ^ (char)y);
        scattered[3 * y] = 3 * scattered[3 * y + 1] + (int32_t)state->step;
        scattered[3 * y + 2] += 1;
    }
}

int main(int argc, char **argv)
{
    corpus = corpus_begin(&argc, &argv);
    const size_t size = (size_t)corpus.size, plate_bytes = size * (COLUMNS + 2) * sizeof(double);
    state = corpus_protected(sizeof *state);
    plate = corpus_protected(plate_bytes);
    here = corpus_protected(size * sizeof *here);
    there = corpus_protected(size * sizeof *there);
    scattered = corpus_protected(3 * size * sizeof *scattered);
    memset(here, 0x55 + corpus.rank, size * sizeof *here);
    memset(there, 0x11, size * sizeof *there);
    for (size_t i = 0; i < size; i++) {
        plate[i * (COLUMNS + 2) + COLUMNS] =
            (double)(corpus_mix((uint64_t)corpus.rank, i, 1) % 100);
        here[i].value = 1.0 / (double)(i + 1);
        scattered[3 * i] = corpus.rank;
    }
    make_types();
    for (; state->step < corpus.steps; state->step++) {
        sluice_potential_checkpoint();
        if (!state->posted)
            post();
        exchange();
        compute();
        if (state->step + 1 < corpus.steps)
            post();
    }
    MPI_Type_free(&column);
    MPI_Type_free(&records);
    MPI_Type_free(&every_third);
    uint64_t hash = corpus_hash(1, plate, plate_bytes);
    hash = corpus_hash(hash, here, size * sizeof *here);
    hash = corpus_hash(hash, there, size * sizeof *there);
    corpus_end(corpus_hash(hash, scattered, 3 * size * sizeof *scattered));
}
