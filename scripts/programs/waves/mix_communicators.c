/* Communicators of mix: made and freed in a step, and those of before the first spot that each rank frees in its own one. */
#include "mix.h"

enum { BRIEF = 3 };

static MPI_Comm brief[BRIEF];

/* When a rank frees one. */
static int64_t end_of(int number)
{
    return 15 * (number + 1) + 4 * corpus.rank;
}

void communicators_begin(void)
{
    for (int number = 0; number < BRIEF; number++)
        MPI_Comm_split(world, corpus.rank % (number + 1), corpus.rank, &brief[number]);
}

/* Some ranks may come to it late, so its last collective and message are those of all. */
static void use_brief(int number)
{
    int rank, ranks, got = -1;
    MPI_Comm_rank(brief[number], &rank);
    MPI_Comm_size(brief[number], &ranks);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 1, &got, 1, MPI_INT,
                 (rank + ranks - 1) % ranks, 1, brief[number], MPI_STATUS_IGNORE);
    corpus_check(got == (rank + ranks - 1) % ranks, "a rank of a brief communicator");
    MPI_Bcast(&got, 1, MPI_INT, 0, brief[number]);
    remember(&got, sizeof got);
}

static void briefs(void)
{
    for (int number = 0; number < BRIEF; number++) {
        if (mix->step < 15 * (number + 1))
            use_brief(number);
        if (mix->step == end_of(number))
            MPI_Comm_free(&brief[number]);
    }
}

/*
 * A group of all but the last rank, which calls nothing. No message of `world` has the tag: Open MPI 4.1 sends its own with
 * it, which a receive from any rank may get.
 */
static void of_group(MPI_Comm *made)
{
    MPI_Group all, some;
    const int last = corpus.ranks - 1;
    *made = MPI_COMM_NULL;
    MPI_Comm_group(world, &all);
    MPI_Group_excl(all, 1, &last, &some);
    if (corpus.rank != last)
        MPI_Comm_create_group(world, some, 21, made);
    MPI_Group_free(&all);
    MPI_Group_free(&some);
}

/* The even and the odd ranks: a message to the other group and one back, and then as one. */
static void between_groups(MPI_Comm *made)
{
    MPI_Comm inter;
    const int last =
        corpus.ranks - 1; /* its group begins with it, and the other one with the rank before */
    int rank, others, mine = corpus.rank, theirs = -1;
    MPI_Intercomm_create(half, 0, world, (last - mine) % 2 == 0 ? last - 1 : last, 22, &inter);
    MPI_Comm_rank(inter, &rank);
    MPI_Comm_remote_size(inter, &others);
    if (rank < others) {
        MPI_Sendrecv(&mine, 1, MPI_INT, rank, 2, &theirs, 1, MPI_INT, rank, 2, inter,
                     MPI_STATUS_IGNORE);
    }
    MPI_Intercomm_merge(inter, corpus.rank % 2, made);
    MPI_Comm_free(&inter);
    corpus_check(rank >= others || (mine + theirs) % 2 == 1, "a rank of the other group");
}

static void make(MPI_Comm *made)
{
    const int all[1] = {1};
    MPI_Request request;
    switch (chance(8)) {
    case 0:
        MPI_Comm_dup(half, made);
        break;
    case 1:
        MPI_Comm_split(world, corpus.rank % 2, corpus.rank, made);
        break;
    case 2:
        MPI_Comm_split(world, corpus.rank == 0 ? MPI_UNDEFINED : 1, -corpus.rank, made);
        break;
    case 3:
        MPI_Comm_idup(ring, made, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case 4:
        of_group(made);
        break;
    case 5:
        MPI_Cart_sub(ring, all, made);
        break;
    case 6:
        MPI_Comm_split_type(copy, MPI_COMM_TYPE_SHARED, corpus.rank, MPI_INFO_NULL, made);
        break;
    default:
        between_groups(made);
    }
}

/* Its messages and collectives are over when it is freed: but for one receive, which ends behind that. */
static void at_once(void)
{
    MPI_Comm made;
    MPI_Request request;
    int rank, ranks, got = -1, sum = 0;
    make(&made);
    if (made == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(made, &rank);
    MPI_Comm_size(made, &ranks);
    MPI_Irecv(&got, 1, MPI_INT, (rank + 1) % ranks, 1, made, &request);
    MPI_Send(&rank, 1, MPI_INT, (rank + ranks - 1) % ranks, 1, made);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, made);
    MPI_Comm_free(&made);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    corpus_check(got == (rank + 1) % ranks && sum == ranks * (ranks - 1) / 2, "a split");
    remember(&got, sizeof got);
}

void communicators_step(void)
{
    if (has(COMMUNICATORS))
        briefs();
    if (chance(40) == 0)
        at_once();
}
