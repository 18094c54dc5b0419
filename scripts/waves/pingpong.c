/* Half of a message's way there and back, for some lengths: prints BYTES MICROSECONDS lines. pingpong [TURNS]: of the
 * shortest message. */
#include "corpus.h"

#include <stdio.h>
#include <stdlib.h>

static double half_way(const struct corpus *corpus, char *data, int bytes, int turns)
{
    const double begun = MPI_Wtime();
    for (int turn = 0; turn < turns; turn++) {
        if (turn % 100 == 0)
            sluice_potential_checkpoint();
        if (corpus->rank == 0) {
            MPI_Send(data, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(data, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (corpus->rank == 1) {
            MPI_Recv(data, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(data, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - begun) / turns / 2 * 1e6;
}

int main(int argc, char **argv)
{
    static const int lengths[] = {8, 1024, 65536, 1048576}, shares[] = {1, 2, 20, 200};
    const struct corpus corpus = corpus_begin(&argc, &argv);
    const int most = argc > 1 ? atoi(argv[1]) : 200000;
    char *data = corpus_protected(1048576);
    for (int i = 0; i < 4; i++) {
        const int turns = most / shares[i];
        half_way(&corpus, data, lengths[i], turns / 10);
        const double microseconds = half_way(&corpus, data, lengths[i], turns);
        if (corpus.rank == 0)
            printf("%d %.3f\n", lengths[i], microseconds);
    }
    fflush(stdout);
    MPI_Finalize();
}
