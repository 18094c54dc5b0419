/*
 * Heat spreading over a square plate whose upper edge is kept hot, the rows of the plate shared out
 * among the ranks. Every few steps each rank writes its rows to a file of its own,
 *
 *     CHECKPOINTS/ckpt-STEP/rank-RANK.ckpt
 *
 * and a later run can go on from the newest step of which every rank's file is complete. However
 * often a run was interrupted, its result is the same to the last bit.
 */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char USAGE[] =
    "usage: heat [--size CELLS] [--steps N] [--every STEPS --checkpoints DIR] [--sync]\n"
    "            [--restart DIR] [--result FILE]\n";

static const int64_t MAGIC = 0x54504b4354414548; /* "HEATCKPT" */
enum { HEADER_FIELDS = 7 };

struct options {
    int64_t size;
    int64_t steps;
    int64_t every;
    const char *checkpoints;
    bool sync; /* fsync every checkpoint file before closing it */
    const char *restart;
    const char *result;
};

/* This rank's rows of the plate. `now` and `next` have one more row above and one below. */
struct plate {
    int rank;
    int ranks;
    int64_t size;
    int64_t first_row;
    int64_t rows;
    int64_t step;
    double *now;
    double *next;
    double *peak; /* the highest temperature each cell ever had */
};

static void die(const char *what, const char *where)
{
    fprintf(stderr, "heat: %s %s: %s\n", what, where, errno ? strerror(errno) : "not as expected");
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- the plate ---- */

static int64_t first_row_of(int rank, int ranks, int64_t size)
{
    return size * rank / ranks;
}

static void plate_create(struct plate *plate, int64_t size)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &plate->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &plate->ranks);
    plate->size = size;
    plate->first_row = first_row_of(plate->rank, plate->ranks, size);
    plate->rows = first_row_of(plate->rank + 1, plate->ranks, size) - plate->first_row;
    plate->step = 0;
    size_t cells = (size_t)(plate->rows + 2) * (size_t)size;
    plate->now = calloc(cells, sizeof(double));
    plate->next = calloc(cells, sizeof(double));
    plate->peak = calloc((size_t)plate->rows * (size_t)size, sizeof(double));
    if (!plate->now || !plate->next || !plate->peak)
        die("cannot allocate", "the plate");
    for (int64_t x = 0; x < size && plate->rank == 0; x++)
        plate->now[x] = plate->next[x] = 100.0 + (double)(x % 17);
}

static void plate_free(struct plate *plate)
{
    free(plate->now);
    free(plate->next);
    free(plate->peak);
}

/* Row 0 is the first row of this rank, row -1 the neighbour's last. */
static double *row_of(double *cells, const struct plate *plate, int64_t row)
{
    return cells + (row + 1) * plate->size;
}

static void exchange_edges(struct plate *plate)
{
    int above = plate->rank > 0 ? plate->rank - 1 : MPI_PROC_NULL;
    int below = plate->rank < plate->ranks - 1 ? plate->rank + 1 : MPI_PROC_NULL;
    int count = (int)plate->size;
    MPI_Sendrecv(row_of(plate->now, plate, 0), count, MPI_DOUBLE, above, 0,
                 row_of(plate->now, plate, plate->rows), count, MPI_DOUBLE, below, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(row_of(plate->now, plate, plate->rows - 1), count, MPI_DOUBLE, below, 1,
                 row_of(plate->now, plate, -1), count, MPI_DOUBLE, above, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void plate_step(struct plate *plate)
{
    exchange_edges(plate);
    for (int64_t row = 0; row < plate->rows; row++) {
        const double *above = row_of(plate->now, plate, row - 1);
        const double *here = row_of(plate->now, plate, row);
        const double *below = row_of(plate->now, plate, row + 1);
        double *next = row_of(plate->next, plate, row);
        double *peak = plate->peak + row * plate->size;
        for (int64_t x = 1; x < plate->size - 1; x++) {
            next[x] =
                here[x] + 0.2 * (above[x] + below[x] + here[x - 1] + here[x + 1] - 4 * here[x]);
            peak[x] = next[x] > peak[x] ? next[x] : peak[x];
        }
    }
    double *spare = plate->now;
    plate->now = plate->next;
    plate->next = spare;
    plate->step++;
}

/* ---- checkpoints ---- */

static void checkpoint_path(char *path, size_t length, const char *directory, int64_t step,
                            int rank)
{
    snprintf(path, length, "%s/ckpt-%06lld/rank-%d.ckpt", directory, (long long)step, rank);
}

/* A checkpoint starts with these, each written by itself. */
static void header_of(const struct plate *plate, int64_t header[HEADER_FIELDS])
{
    const int64_t fields[HEADER_FIELDS] = {
        MAGIC, plate->rank, plate->ranks, plate->size, plate->first_row, plate->rows, plate->step};
    memcpy(header, fields, sizeof fields);
}

/* The header, then every row after its number, then the peaks. */
static int64_t checkpoint_length(const struct plate *plate)
{
    int64_t row = plate->size * (int64_t)sizeof(double);
    return HEADER_FIELDS * 8 + plate->rows * (8 + row) + plate->rows * row;
}

static void put(FILE *file, const void *data, size_t length, const char *path)
{
    if (fwrite(data, 1, length, file) != length)
        die("cannot write", path);
}

static void get(FILE *file, void *data, size_t length, const char *path)
{
    errno = 0;
    if (fread(data, 1, length, file) != length)
        die("cannot read", path);
}

static void write_all(int descriptor, const void *data, size_t length, const char *path)
{
    for (size_t done = 0; done < length;) {
        ssize_t written = write(descriptor, (const char *)data + done, length - done);
        if (written < 0 && errno != EINTR)
            die("cannot write", path);
        if (written > 0)
            done += (size_t)written;
    }
}

/* Seconds by the clock of the node: what is said of several ranks means something on one node only. */
static double clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Returns when its first write began. */
static double checkpoint_write(struct plate *plate, const char *directory, bool sync)
{
    char path[4096];
    checkpoint_path(path, sizeof path, directory, plate->step, plate->rank);
    FILE *file = fopen(path, "w");
    if (!file)
        die("cannot create", path);

    double begun = clock_now();
    int64_t header[HEADER_FIELDS];
    header_of(plate, header);
    for (int field = 0; field < HEADER_FIELDS; field++)
        put(file, &header[field], sizeof header[field], path);

    size_t row_length = (size_t)plate->size * sizeof(double);
    for (int64_t row = 0; row < plate->rows; row++) {
        int64_t number = plate->first_row + row;
        put(file, &number, sizeof number, path);
        put(file, row_of(plate->now, plate, row), row_length, path);
    }

    if (fflush(file))
        die("cannot write", path);
    write_all(fileno(file), plate->peak, (size_t)plate->rows * row_length, path);
    if (sync && fsync(fileno(file)))
        die("cannot sync", path);
    if (fclose(file))
        die("cannot close", path);
    return begun;
}

/* Says how long it took from the first write to the last close, and the slowest rank in its own calls. */
static void checkpoint(struct plate *plate, const char *directory, bool sync)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/ckpt-%06lld", directory, (long long)plate->step);
    if (plate->rank == 0 && mkdir(path, 0777) && errno != EEXIST)
        die("cannot create", path);
    MPI_Barrier(MPI_COMM_WORLD);

    double opened = clock_now();
    double begun = checkpoint_write(plate, directory, sync);
    double ended = clock_now();

    /* Of all ranks: the first to write, as a negative time; the last to end; the longest. */
    double own[] = {-begun, ended, ended - opened}, all[3];
    MPI_Reduce(own, all, 3, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (plate->rank != 0)
        return;
    printf("checkpoint step=%lld return=%.6f longest=%.6f\n", (long long)plate->step,
           all[1] + all[0], all[2]);
    fflush(stdout);
}

static void checkpoint_read(struct plate *plate, const char *directory)
{
    char path[4096];
    checkpoint_path(path, sizeof path, directory, plate->step, plate->rank);
    FILE *file = fopen(path, "r");
    if (!file)
        die("cannot open", path);

    int64_t expected[HEADER_FIELDS], header[HEADER_FIELDS];
    header_of(plate, expected);
    get(file, header, sizeof header, path);
    errno = 0;
    if (memcmp(header, expected, sizeof header) != 0)
        die("the header of", path);

    size_t row_length = (size_t)plate->size * sizeof(double);
    for (int64_t row = 0; row < plate->rows; row++) {
        int64_t number;
        get(file, &number, sizeof number, path);
        errno = 0;
        if (number != plate->first_row + row)
            die("a row number in", path);
        get(file, row_of(plate->now, plate, row), row_length, path);
    }
    get(file, plate->peak, (size_t)plate->rows * row_length, path);
    fclose(file);
}

static bool checkpoint_is_complete(const struct plate *plate, const char *directory, int64_t step)
{
    char path[4096];
    struct stat status;
    checkpoint_path(path, sizeof path, directory, step, plate->rank);
    int complete = stat(path, &status) == 0 && status.st_size == checkpoint_length(plate);
    MPI_Allreduce(MPI_IN_PLACE, &complete, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return complete;
}

/* The newest step before `limit` in the directory, as rank 0 sees it; -1 if there is none. */
static int64_t newest_step_before(const struct plate *plate, const char *directory, int64_t limit)
{
    long long newest = -1;
    if (plate->rank == 0) {
        DIR *entries = opendir(directory);
        if (!entries)
            die("cannot open", directory);
        for (struct dirent *entry; (entry = readdir(entries));) {
            long long step;
            if (sscanf(entry->d_name, "ckpt-%lld", &step) == 1 && step < limit && step > newest)
                newest = step;
        }
        closedir(entries);
    }
    MPI_Bcast(&newest, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    return newest;
}

static void restart(struct plate *plate, const char *directory)
{
    int64_t step = newest_step_before(plate, directory, INT64_MAX);
    while (step >= 0 && !checkpoint_is_complete(plate, directory, step))
        step = newest_step_before(plate, directory, step);
    errno = ENOENT;
    if (step < 0)
        die("no complete checkpoint in", directory);
    plate->step = step;
    checkpoint_read(plate, directory);
    if (plate->rank == 0)
        printf("restart step=%lld\n", (long long)step);
}

/* ---- the program ---- */

/* Temperatures, then peaks, each of the whole plate. */
static void write_result(struct plate *plate, const char *path)
{
    int *counts = calloc((size_t)plate->ranks, sizeof(int));
    int *starts = calloc((size_t)plate->ranks, sizeof(int));
    size_t cells = (size_t)plate->size * (size_t)plate->size;
    double *whole = plate->rank == 0 ? calloc(cells, sizeof(double)) : NULL;
    if (!counts || !starts || (plate->rank == 0 && !whole))
        die("cannot allocate", "the result");
    for (int rank = 0; rank < plate->ranks; rank++) {
        starts[rank] = (int)(first_row_of(rank, plate->ranks, plate->size) * plate->size);
        counts[rank] =
            (int)(first_row_of(rank + 1, plate->ranks, plate->size) * plate->size) - starts[rank];
    }

    FILE *file = plate->rank == 0 ? fopen(path, "w") : NULL;
    if (plate->rank == 0 && !file)
        die("cannot create", path);
    double *parts[] = {row_of(plate->now, plate, 0), plate->peak};
    for (int part = 0; part < 2; part++) {
        MPI_Gatherv(parts[part], counts[plate->rank], MPI_DOUBLE, whole, counts, starts, MPI_DOUBLE,
                    0, MPI_COMM_WORLD);
        if (file)
            put(file, whole, cells * sizeof(double), path);
    }
    if (file && fclose(file))
        die("cannot close", path);
    free(whole);
    free(starts);
    free(counts);
}

static struct options parse(int argc, char **argv)
{
    static const struct option known[] = {
        {"size", required_argument, NULL, 'n'},   {"steps", required_argument, NULL, 's'},
        {"every", required_argument, NULL, 'e'},  {"checkpoints", required_argument, NULL, 'c'},
        {"sync", no_argument, NULL, 'f'},         {"restart", required_argument, NULL, 'r'},
        {"result", required_argument, NULL, 'o'}, {NULL, 0, NULL, 0},
    };
    struct options options = {.size = 1024, .steps = 400, .every = 100};
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;)
        if (option == 'n')
            options.size = atoll(optarg);
        else if (option == 's')
            options.steps = atoll(optarg);
        else if (option == 'e')
            options.every = atoll(optarg);
        else if (option == 'c')
            options.checkpoints = optarg;
        else if (option == 'f')
            options.sync = true;
        else if (option == 'r')
            options.restart = optarg;
        else if (option == 'o')
            options.result = optarg;
        else
            options.size = 0;
    return options;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    struct options options = parse(argc, argv);
    struct plate plate;
    MPI_Comm_size(MPI_COMM_WORLD, &plate.ranks);
    if (options.size < plate.ranks || options.size > 16384 || options.every < 1) {
        fputs(USAGE, stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }

    plate_create(&plate, options.size);
    if (options.restart)
        restart(&plate, options.restart);
    while (plate.step < options.steps) {
        plate_step(&plate);
        if (options.checkpoints && plate.step % options.every == 0)
            checkpoint(&plate, options.checkpoints, options.sync);
    }
    if (options.result)
        write_result(&plate, options.result);

    plate_free(&plate);
    MPI_Finalize();
    return 0;
}
