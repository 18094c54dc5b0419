/*
 * Ranks that checkpoint as LU.C.64 does, in turns: plain files, and files that Sluice captures.
 *
 *     lu PLAIN CAPTURED ROUNDS
 *
 * A line for each turn says how long the slowest rank took from its first open to its last close, and to the end. The
 * end is when all is on stable storage: plain files by fsync, Sluice's by its own word. Nobody spins meanwhile.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sluice.h"

enum { PAUSE_MS = 300, KEPT = 2, PATIENCE_MS = 60000 };

/* The writes of a rank: their count, and their bytes together. */
static const struct {
    int count;
    long bytes;
} WRITES[] = {{496, 9 << 10}, {100, 360 << 10}, {356, 2670 << 10}, {7, 180 << 10},
              {5, 890 << 10}, {2, 840 << 10},   {6, 4165 << 10},   {2, 14383 << 10}};
enum { KINDS = sizeof WRITES / sizeof *WRITES, MOST = 1000 };

static int rank;
static size_t lengths[MOST];
static int count;
static char *bytes;

static void must(bool done, const char *what)
{
    if (!done) {
        perror(what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void pause_ms(long milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* A barrier that leaves the cores to others. */
static void meet(void)
{
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int met = 0; !met; MPI_Test(&request, &met, MPI_STATUS_IGNORE))
        pause_ms(1);
}

static void choose_writes(void)
{
    srand(rank + 1);
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < WRITES[kind].count; i++)
            lengths[count++] = (size_t)(WRITES[kind].bytes / WRITES[kind].count);
    for (int i = count - 1; i > 0; i--) {
        const int other = rand() % (i + 1);
        const size_t length = lengths[i];
        lengths[i] = lengths[other];
        lengths[other] = length;
    }
    bytes = malloc(8 << 20);
    for (int i = 0; i < 8 << 20; i++)
        bytes[i] = (char)rand();
}

static void write_image(const char *directory, int number, int *kept)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/ckpt-%d/rank-%d.dat", directory, number, rank);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    must(fd >= 0, path);
    for (int i = 0; i < count; i++)
        must(write(fd, bytes, lengths[i]) == (ssize_t)lengths[i], path);
    if (kept != NULL)
        must((*kept = dup(fd)) >= 0, path);
    must(close(fd) == 0, path);
}

static void make(const char *directory, int number)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/ckpt-%d", directory, number);
    if (rank == 0)
        must(mkdir(path, 0777) == 0, path);
    meet();
}

/* Sluice lets go what is older; so do we. */
static void let_go(const char *directory, int number)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/ckpt-%d/rank-%d.dat", directory, number, rank);
    unlink(path);
}

static void report(const char *system, double begun, double returned, double durable)
{
    double own[] = {returned - begun, durable - begun}, all[2];
    meet(); /* a rank that waits in the reduction spins */
    MPI_Reduce(own, all, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s %.6f %.6f\n", system, all[0], all[1]);
    fflush(stdout);
}

static void plain(const char *directory, int number)
{
    int fd;
    make(directory, number);
    const double begun = now();
    write_image(directory, number, &fd);
    const double returned = now();
    must(fsync(fd) == 0 && close(fd) == 0, "fsync");
    report("plain", begun, returned, now());
    let_go(directory, number - KEPT);
}

static void captured(const char *directory, int number, sluice_session *session)
{
    make(directory, number);
    const double begun = now();
    write_image(directory, number, NULL);
    const double returned = now();
    if (session != NULL && sluice_checkpoint_wait(session, number, PATIENCE_MS) != 0) {
        fprintf(stderr, "lu: checkpoint %d: %s\n", number, sluice_message());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    report("sluice", begun, returned, session != NULL ? now() : returned);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    choose_writes();
    sluice_session *session = NULL; /* a process on each node, which hears what the node is told */
    if (strcmp(getenv("OMPI_COMM_WORLD_LOCAL_RANK"), "0") == 0
        && sluice_session_open(getenv("SLUICE_DIRECTORY"), rank, ranks, &session) != 0) {
        fprintf(stderr, "lu: %s\n", sluice_message());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int number = 1; number <= atoi(argv[3]); number++) {
        plain(argv[1], number);
        meet();
        pause_ms(PAUSE_MS);
        captured(argv[2], number, session);
        meet();
        pause_ms(PAUSE_MS);
    }
    if (session != NULL)
        sluice_session_close(session);
    MPI_Finalize();
    return 0;
}
