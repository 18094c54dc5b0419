/*
 * Makes a graph that rank 0 alone knows, behind so many communicators that a further one would give MPI_Dist_graph_create of
 * Open MPI 4.1 the tags of a non-blocking collective.
 */
#include "corpus.h"

#define BEFORE 7

static MPI_Comm graph_of_all(const struct corpus *corpus)
{
    MPI_Comm made;
    const int nodes = corpus->ranks;
    const int edges = corpus->rank == 0 ? nodes * nodes : 0;
    int *from = corpus_protected(sizeof *from * (size_t)(edges + 1));
    int *to = corpus_protected(sizeof *to * (size_t)(edges + 1));
    int *degrees = corpus_protected(sizeof *degrees * (size_t)(edges + 1));
    for (int edge = 0; edge < edges; edge++) {
        from[edge] = edge / nodes;
        to[edge] = edge % nodes;
        degrees[edge] = 1;
    }
    MPI_Dist_graph_create(MPI_COMM_WORLD, edges, from, degrees, to, degrees, MPI_INFO_NULL, 0,
                          &made);
    return made;
}

int main(int argc, char **argv)
{
    const struct corpus corpus = corpus_begin(&argc, &argv);
    const int mine = corpus.rank + 1;
    int sum;
    for (int i = 0; i < BEFORE; i++) {
        MPI_Comm copy;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Comm_free(&copy);
    }
    MPI_Comm graph = graph_of_all(&corpus);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, graph);
    MPI_Comm_free(&graph);
    corpus_end((uint64_t)sum);
}
