/* Random sequences of calls: see mix.h. --size is the seed of what is called. */
#include "mix.h"

struct corpus corpus;
struct mix *mix;
MPI_Comm world, copy, half, ring, any;

int chance(int most)
{
    return (int)(corpus_mix((uint64_t)corpus.size, mix->turn++, 77) % (uint64_t)most);
}

bool has(enum part part)
{
    return corpus_mix((uint64_t)corpus.size, part, 5) % 2 == 0;
}

int to_right(void)
{
    return (corpus.rank + 1) % corpus.ranks;
}

int to_left(void)
{
    return (corpus.rank + corpus.ranks - 1) % corpus.ranks;
}

int32_t value(int64_t step, int rank, int i)
{
    return (int32_t)(corpus_mix((uint64_t)step, (uint64_t)rank, (uint64_t)i) & 0xffffff);
}

void remember(const void *data, size_t bytes)
{
    mix->hash = corpus_hash(mix->hash, data, bytes);
}

static void one_after_the_other(struct slot *slot)
{
    const int count = (int)slot->requests;
    int index, flag;
    for (int left = count; left > 0; left--) {
        if ((mix->step + left) % 2 == 0) {
            MPI_Waitany(count, slot->open, &index, MPI_STATUS_IGNORE);
        } else {
            do {
                MPI_Testany(count, slot->open, &index, &flag, MPI_STATUS_IGNORE);
            } while (!flag);
        }
        if (index == MPI_UNDEFINED)
            break; /* none is open any more */
    }
}

static void some(struct slot *slot, bool test)
{
    const int count = (int)slot->requests;
    int n, which[MOST_RANKS + 1];
    MPI_Status statuses[MOST_RANKS + 1];
    for (int left = count; left > 0; left -= n) {
        if (test)
            MPI_Testsome(count, slot->open, &n, which, statuses);
        else
            MPI_Waitsome(count, slot->open, &n, which, MPI_STATUSES_IGNORE);
        if (n == MPI_UNDEFINED)
            break;
    }
}

static void each(struct slot *slot)
{
    for (int i = (int)slot->requests - 1; i >= 0; i--) {
        int flag = 0;
        if ((mix->step + i) % 2 == 0) {
            MPI_Wait(&slot->open[i], MPI_STATUS_IGNORE);
            continue;
        }
        while (!flag)
            MPI_Test(&slot->open[i], &flag, MPI_STATUS_IGNORE);
    }
}

static void by_their_statuses(struct slot *slot)
{
    MPI_Status status;
    for (int i = 0; i < (int)slot->requests; i++) {
        int flag = 0;
        while (!flag)
            MPI_Request_get_status(slot->open[i], &flag, &status);
        MPI_Wait(&slot->open[i], &status);
    }
}

void finish(struct slot *slot)
{
    const int count = (int)slot->requests;
    MPI_Status statuses[MOST_RANKS + 1];
    int flag = 0;
    if (has(ASKED_STATUS) && chance(100) == 0)
        by_their_statuses(slot);
    switch (chance(6)) {
    case 0:
        MPI_Waitall(count, slot->open, statuses);
        break;
    case 1:
        while (!flag)
            MPI_Testall(count, slot->open, &flag, MPI_STATUSES_IGNORE);
        break;
    case 2:
        one_after_the_other(slot);
        break;
    case 3:
        some(slot, false);
        break;
    case 4:
        some(slot, true);
        break;
    default:
        each(slot);
    }
    slot->requests = 0;
}

static void turn(struct slot *slot, int number)
{
    if (slot->kind >= 100)
        end_collective(slot);
    else if (slot->kind > 0)
        end_messages(slot, number);
    else if (chance(3) == 0)
        begin_collective(slot);
    else
        begin_messages(slot, number);
}

static void step(void)
{
    for (int number = 0; number < SLOTS; number++) {
        if (chance(2) == 0)
            turn(&mix->slots[number], number);
        if (chance(5) == 0)
            messages_at_once();
        if (chance(5) == 0)
            collectives_at_once();
    }
    requests_step();
    refused_step();
    communicators_step();
}

int main(int argc, char **argv)
{
    corpus = corpus_begin(&argc, &argv);
    corpus_check(corpus.ranks <= MOST_RANKS, "at most 8 ranks");
    const int periods = 1;
    world = MPI_COMM_WORLD;
    MPI_Comm_dup(world, &copy);
    MPI_Comm_dup(world, &any);
    MPI_Comm_split(world, corpus.rank % 2, -corpus.rank, &half);
    MPI_Cart_create(world, 1, &corpus.ranks, &periods, 0, &ring);
    mix = corpus_protected(sizeof *mix);
    make_persistent();
    requests_begin();
    refused_begin();
    vectors_begin();
    communicators_begin();
    const int room = 1 << 22;
    MPI_Buffer_attach(malloc(room), room);
    for (; mix->step < corpus.steps; mix->step++) {
        corpus_spot();
        corpus_pause();
        step();
    }
    for (int number = 0; number < SLOTS; number++)
        if (mix->slots[number].kind != 0)
            turn(&mix->slots[number], number);
    requests_end();
    corpus_end(mix->hash);
}
