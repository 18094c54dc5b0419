/*
 * The lives of requests in mix: receives that are posted before the first spot, persistent ones that are freed and made
 * anew, and what is freed or cancelled while it is open.
 */
#include "mix.h"

enum { WINDOW = 400, PAIRS = 3, ROOM = 128, COUNT = 16 };

/* A persistent send to the right, and a receive from the left: the last pair's end nowhere. `step` -1: they are not started. */
struct pair {
    MPI_Request both[2];
    int64_t step;
    int64_t uses;
    int64_t shape;
    int32_t in[ROOM], out[ROOM];
};

static struct lives {
    MPI_Request ahead[WINDOW];
    int32_t values[WINDOW];
    int64_t taken; /* messages of the window */
    struct pair pairs[PAIRS];
    MPI_Request doomed; /* nobody sends it anything */
    int64_t doom;       /* 0: there is none, 1: it is open, 2: it is cancelled */
    int32_t nothing;
    int64_t freed; /* 0: none, or 1 and the step in which a receive was freed */
    int32_t lost, found;
} *lives;

static MPI_Comm queue, pairs;

/* Any of these takes the next message of the left rank: in the order in which they are posted. */
static void post(int at)
{
    MPI_Irecv(&lives->values[at], 1, MPI_INT, at % 3 == 1 ? MPI_ANY_SOURCE : to_left(),
              at % 3 == 2 ? MPI_ANY_TAG : 7, queue, &lives->ahead[at]);
}

static void wait(MPI_Request *request)
{
    int flag = 0, index;
    switch (chance(3)) {
    case 0:
        MPI_Wait(request, MPI_STATUS_IGNORE);
        break;
    case 1:
        while (!flag)
            MPI_Test(request, &flag, MPI_STATUS_IGNORE);
        break;
    default:
        MPI_Waitany(1, request, &index, MPI_STATUS_IGNORE);
    }
}

static void pass_on(int count)
{
    for (int i = 0; i < count; i++) {
        const int32_t number = (int32_t)lives->taken + i;
        MPI_Send(&number, 1, MPI_INT, to_right(), 7, queue);
    }
    for (; count > 0; count--, lives->taken++) {
        const int at = (int)(lives->taken % WINDOW);
        wait(&lives->ahead[at]);
        corpus_check(lives->values[at] == lives->taken, "the oldest receive has the next message");
        post(at);
    }
}

static enum shape shape_of(const struct pair *pair)
{
    return (enum shape)((pair->shape + corpus.rank) % SHAPES);
}

static int receiver(int number)
{
    return number == PAIRS - 1 && to_right() == 0 ? MPI_PROC_NULL : to_right();
}

static int sender(int number)
{
    return number == PAIRS - 1 && corpus.rank == 0 ? MPI_PROC_NULL : to_left();
}

/* A generation differs from the one before by its type and its mode. Others may be at another one. */
static void make(struct pair *pair, int number)
{
    const enum shape shape = shape_of(pair);
    MPI_Datatype in = shaped(shape, COUNT, pair->in), out = shaped(shape, COUNT, pair->out);
    int (*const modes[])(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                         MPI_Request *) = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init};
    modes[pair->shape % 3](from(shape, pair->out), 1, out, receiver(number), number, pairs,
                           &pair->both[1]);
    MPI_Recv_init(from(shape, pair->in), 1, in, sender(number), number, pairs, &pair->both[0]);
    MPI_Type_free(&in);
    MPI_Type_free(&out);
    pair->step = -1;
}

static void begin_pair(struct pair *pair)
{
    for (int i = 0; i < COUNT; i++)
        pair->out[place(shape_of(pair), COUNT, i)] = value(mix->step, corpus.rank, i);
    pair->step = mix->step;
    if (chance(2) == 0) {
        MPI_Startall(2, pair->both);
    } else {
        MPI_Start(&pair->both[1]);
        MPI_Start(&pair->both[0]);
    }
}

/* Each rank makes its own anew when it has used them often enough. */
static void end_pair(struct pair *pair, int number)
{
    wait(&pair->both[0]);
    wait(&pair->both[1]);
    if (sender(number) != MPI_PROC_NULL)
        check_values(pair->in, shape_of(pair), COUNT, pair->step, to_left());
    pair->step = -1;
    pair->uses++;
    if (has(PAIRS_ANEW) && (pair->uses + corpus.rank) % 3 == 0) {
        MPI_Request_free(&pair->both[number % 2]);
        MPI_Request_free(&pair->both[1 - number % 2]);
        pair->shape++;
        make(pair, number);
    }
}

static void pairs_step(void)
{
    for (int number = 0; number < PAIRS; number++) {
        struct pair *pair = &lives->pairs[number];
        if (chance(3) != 0)
            continue;
        if (pair->step < 0)
            begin_pair(pair);
        else
            end_pair(pair, number);
    }
}

static void doom(void)
{
    MPI_Status status;
    int cancelled = 0;
    if (lives->doom == 0) {
        MPI_Irecv(&lives->nothing, 1, MPI_INT, MPI_ANY_SOURCE, 1, queue, &lives->doomed);
    } else if (lives->doom == 1) {
        MPI_Cancel(&lives->doomed);
    } else {
        MPI_Wait(&lives->doomed, &status);
        MPI_Test_cancelled(&status, &cancelled);
        corpus_check(cancelled, "a receive is cancelled");
    }
    lives->doom = (lives->doom + 1) % 3;
}

/* The receive is freed before its message is sent, and has it when a later message of its sender has come. */
static void free_receive(void)
{
    MPI_Request receive;
    MPI_Irecv(&lives->lost, 1, MPI_INT, to_left(), 12, pairs, &receive);
    MPI_Request_free(&receive);
    lives->freed = 1 + mix->step;
}

static void send_freed(void)
{
    const int64_t step = lives->freed - 1;
    const int32_t two[2] = {value(step, corpus.rank, 0), value(step, corpus.rank, 1)};
    MPI_Request send;
    MPI_Isend(&two[0], 1, MPI_INT, to_right(), 12, pairs, &send);
    MPI_Request_free(&send);
    MPI_Send(&two[1], 1, MPI_INT, to_right(), 13, pairs);
    MPI_Recv(&lives->found, 1, MPI_INT, to_left(), 13, pairs, MPI_STATUS_IGNORE);
    corpus_check(lives->found == value(step, to_left(), 1), "behind a freed request");
    corpus_check(lives->lost == value(step, to_left(), 0), "what was received by a freed request");
    MPI_Barrier(pairs); /* the data sent may go */
    lives->freed = 0;
}

/* Requests that end in the order of arrival: those that are made behind must not depend on it. */
static void mingle(void)
{
    MPI_Request requests[2 * MOST_RANKS];
    int32_t mine = corpus.rank, theirs[MOST_RANKS];
    int index;
    for (int rank = 0; rank < corpus.ranks; rank++)
        MPI_Irecv(&theirs[rank], 1, MPI_INT, rank, 0, queue, &requests[rank]);
    corpus_pause();
    for (int rank = 0; rank < corpus.ranks; rank++)
        MPI_Isend(&mine, 1, MPI_INT, rank, 0, queue, &requests[corpus.ranks + rank]);
    for (int left = 2 * corpus.ranks; left > 0; left--)
        MPI_Waitany(2 * corpus.ranks, requests, &index, MPI_STATUS_IGNORE);
}

void requests_begin(void)
{
    MPI_Comm_dup(world, &queue);
    MPI_Comm_dup(world, &pairs);
    lives = corpus_protected(sizeof *lives);
    mingle();
    for (int number = 0; number < PAIRS; number++) {
        lives->pairs[number].shape = number;
        make(&lives->pairs[number], number);
    }
    for (int at = 0; has(AHEAD) && at < WINDOW; at++)
        post(at);
}

void requests_step(void)
{
    pairs_step();
    if (has(AHEAD))
        pass_on(chance(4));
    if (has(CANCELLED) && chance(12) == 0)
        doom();
    if (!has(FREED))
        return;
    if (lives->freed != 0 && chance(2) == 0)
        send_freed();
    else if (lives->freed == 0 && chance(10) == 0)
        free_receive();
}

static void give_up(MPI_Request *request)
{
    MPI_Status status;
    int cancelled = 0;
    MPI_Cancel(request);
    MPI_Wait(request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    corpus_check(cancelled, "a receive of which nothing is left to take");
}

void requests_end(void)
{
    for (int number = 0; number < PAIRS; number++) {
        if (lives->pairs[number].step >= 0)
            end_pair(&lives->pairs[number], number);
        MPI_Request_free(&lives->pairs[number].both[0]);
        MPI_Request_free(&lives->pairs[number].both[1]);
    }
    if (lives->freed != 0)
        send_freed();
    while (lives->doom != 0)
        doom();
    for (int at = 0; has(AHEAD) && at < WINDOW; at++)
        give_up(&lives->ahead[at]);
    remember(&lives->taken, sizeof lives->taken);
}
