/*
 * Rank 1 has many receives of one stream open. The rank posted them before the first spot, and
 * posts a new one when a message has come. At each spot some receives are of before the first one,
 * and are older than the others.
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "sluice_mpi.h"

#define AHEAD 300
#define STEPS 300

static int step;
static int values[AHEAD];
static MPI_Request requests[AHEAD];

static void post(int at)
{
    MPI_Irecv(&values[at], 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[at]);
}

static void take(int number)
{
    MPI_Wait(&requests[number % AHEAD], MPI_STATUS_IGNORE);
    if (values[number % AHEAD] != number) {
        fprintf(stderr, "message %d came as message %d\n", values[number % AHEAD], number);
        MPI_Abort(MPI_COMM_WORLD, 9);
    }
}

int main(int count, char **arguments)
{
    int rank;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sluice_protect(0, &step, sizeof step);
    sluice_protect(1, values, sizeof values);
    sluice_protect(2, requests, sizeof requests);
    for (int at = 0; rank == 1 && at < AHEAD; at++)
        post(at);
    for (; step < STEPS; step++) {
        sluice_potential_checkpoint();
        if (access("hurry", F_OK) != 0)
            usleep(30000);
        if (rank == 0) {
            MPI_Send(&step, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        } else {
            take(step);
            post(step % AHEAD);
        }
    }
    for (int last = 0; last < AHEAD; last++) {
        const int number = STEPS + last;
        if (rank == 0)
            MPI_Send(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        else
            take(number);
    }
    if (rank == 1)
        puts("all came in order");
    MPI_Finalize();
    return 0;
}
