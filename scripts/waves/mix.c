/* Random sequences of calls: see mix.h. --size is the seed of what is called. */
#include "mix.h"

struct corpus corpus;
struct mix *mix;
MPI_Comm world, copy, half, ring, any;

int chance(int most)
{
    return (int)(corpus_mix((uint64_t)corpus.size, mix->turn++, 77) % (uint64_t)most);
}

int32_t value(int64_t step, int rank, int i)
{
    return (int32_t)(corpus_mix((uint64_t)step, (uint64_t)rank, (uint64_t)i) & 0xffffff);
}

void remember(const void *data, size_t bytes)
{
    mix->hash = corpus_hash(mix->hash, data, bytes);
}

MPI_Datatype shaped(enum shape shape, int count)
{
    MPI_Datatype type;
    if (shape == STRIDED) {
        MPI_Type_vector(count, 1, 2, MPI_INT, &type);
    } else if (shape == TWO_BLOCKS) {
        const int lengths[2] = {count - count / 2, count / 2};
        const int places[2] = {count / 2, 0};
        MPI_Type_indexed(2, lengths, places, MPI_INT, &type);
    } else {
        MPI_Type_contiguous(count, MPI_INT, &type);
    }
    MPI_Type_commit(&type);
    return type;
}

int place(enum shape shape, int count, int i)
{
    if (shape == STRIDED)
        return 2 * i;
    if (shape == TWO_BLOCKS)
        return i < count - count / 2 ? count / 2 + i : i - (count - count / 2);
    return i;
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
        corpus_check(index != MPI_UNDEFINED, "a request is complete");
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
        corpus_check(n != MPI_UNDEFINED, "requests are open");
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

void finish(struct slot *slot)
{
    const int count = (int)slot->requests;
    MPI_Status statuses[MOST_RANKS + 1];
    int flag = 0;
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
    if (chance(40) == 0)
        communicators_at_once();
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
    corpus_end(mix->hash);
}
