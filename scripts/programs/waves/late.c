/*
 * Rank 0 sends early, and rank 1 receives late. Between them are only spots, so that a rank may record no event in a wave,
 * and yet has late messages. With "--die" rank 1 kills itself once, in between, when there is a file ./die.
 */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sluice_mpi.h"

int main(int count, char **arguments)
{
    int rank;
    int step = 0;
    int value;
    long sum = 0;
    const bool dies =
        getenv("SLUICE_MPI_RESTORE") == NULL && count > 1 && strcmp(arguments[1], "--die") == 0;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sluice_protect(0, &step, sizeof step);
    sluice_protect(1, &sum, sizeof sum);
    for (; step < 60; step++) {
        sluice_potential_checkpoint();
        usleep(30000);
        if (rank == 0 && step % 20 == 0)
            MPI_Send(&step, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        if (rank == 1 && step % 20 == 19) {
            MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum = sum * 100 + value;
        }
        if (step == 37 && dies && access("die", F_OK) != 0)
            step--; /* rank 0's message is under way */
        else if (rank == 1 && step == 37 && dies)
            raise(SIGKILL);
    }
    if (rank == 1)
        printf("sum %ld\n", sum);
    MPI_Finalize();
    return 0;
}
