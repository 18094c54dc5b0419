/* Messages of mix: what is sent and received in the same step or in another one. */
#include "mix.h"

enum kind {
    EXCHANGED = 1, /* receives are posted first */
    ASKED_LATER,   /* receives are posted, or probed for, when it ends */
    GATHERED,      /* root receives from any source */
    ANY_TAG,       /* two messages, whose order counts */
    PERSISTENT,
};

static MPI_Comm comms(int number)
{
    const MPI_Comm all[4] = {world, copy, half, ring};
    return all[number];
}

/* All that the shared chance says of one operation: made anew from its step when it ends. */
struct plan {
    MPI_Comm comm;
    int rank, ranks;
    int to, from; /* ranks in `comm` */
    int root;
    int count;
    int tag;
    enum shape out, in;
};

static struct plan plan_of(int64_t step, int number)
{
    const uint64_t drawn = corpus_mix((uint64_t)corpus.size, (uint64_t)step, (uint64_t)number);
    const int counts[7] = {0, 1, 3, 17, 300, 4000, 8000};
    struct plan plan = {.comm = comms((int)(drawn % 4))};
    MPI_Comm_rank(plan.comm, &plan.rank);
    MPI_Comm_size(plan.comm, &plan.ranks);
    const int shift = (int)(drawn >> 8 & 0xff) % plan.ranks;
    plan.to = (plan.rank + shift) % plan.ranks;
    plan.from = (plan.rank - shift + plan.ranks) % plan.ranks;
    if ((drawn >> 48) % 8 == 0 && plan.rank + shift >= plan.ranks)
        plan.to = MPI_PROC_NULL; /* a chain, and no ring */
    if ((drawn >> 48) % 8 == 0 && plan.rank < shift)
        plan.from = MPI_PROC_NULL;
    plan.root = (int)(drawn >> 16 & 0xff) % plan.ranks;
    plan.count = counts[(drawn >> 24 & 0xff) % 7];
    plan.tag = (int)(100 * (1 + step % 50) + number);
    plan.out = (enum shape)((drawn >> 32 & 0xff) % SHAPES);
    plan.in = (enum shape)((drawn >> 40 & 0xff) % SHAPES);
    return plan;
}

static void fill(struct slot *slot, const struct plan *plan, int64_t step)
{
    for (int i = 0; i < plan->count; i++)
        slot->out[place(plan->out, plan->count, i)] = value(step, plan->rank, i);
}

void check_values(const int32_t *in, enum shape shape, int count, int64_t step, int from)
{
    for (int i = 0; i < count; i++) {
        const int32_t *one = &in[place(shape, count, i)];
        corpus_check(*one == value(step, from, i), "a message is the right one");
        remember(one, sizeof *one);
    }
}

static MPI_Request *next(struct slot *slot)
{
    return &slot->open[slot->requests++];
}

static void send(struct slot *slot, const struct plan *plan, int to)
{
    MPI_Datatype type = shaped(plan->out, plan->count, slot->out);
    void *data = from(plan->out, slot->out);
    fill(slot, plan, slot->step);
    switch (chance(4)) {
    case 0:
        MPI_Issend(data, 1, type, to, plan->tag, plan->comm, next(slot));
        break;
    case 1:
        MPI_Ibsend(data, 1, type, to, plan->tag, plan->comm, next(slot));
        break;
    default:
        MPI_Isend(data, 1, type, to, plan->tag, plan->comm, next(slot));
    }
    MPI_Type_free(&type);
}

static void receive(struct slot *slot, const struct plan *plan)
{
    MPI_Datatype type = shaped(plan->in, plan->count, slot->in);
    MPI_Irecv(from(plan->in, slot->in), 1, type, plan->from, plan->tag, plan->comm, next(slot));
    MPI_Type_free(&type);
}

static int part(const struct plan *plan)
{
    const int most = GIVEN / MOST_RANKS;
    return plan->count < most ? plan->count : most;
}

/* Root's receives differ in nothing: which message each gets does not count. */
static void gather(struct slot *slot, struct plan *plan)
{
    plan->count = part(plan);
    plan->out = PLAIN;
    for (int i = 0; plan->rank == plan->root && i < plan->ranks; i++) {
        MPI_Irecv(slot->in + i * plan->count, plan->count, MPI_INT, MPI_ANY_SOURCE, plan->tag,
                  plan->comm, next(slot));
    }
    fill(slot, plan, slot->step);
    MPI_Isend(slot->out, plan->count, MPI_INT, plan->root, plan->tag, plan->comm, next(slot));
}

static void end_gather(struct slot *slot, struct plan *plan)
{
    uint64_t sum = 0;
    plan->count = part(plan);
    finish(slot);
    for (int i = 0; plan->rank == plan->root && i < plan->ranks; i++)
        sum += corpus_hash(5, slot->in + i * plan->count, (size_t)plan->count * sizeof(int32_t));
    remember(&sum, sizeof sum);
}

/* Two messages whose tags differ: a receive of any tag gets the first one. */
static void send_two(struct slot *slot)
{
    for (int i = 0; i < 2; i++) {
        slot->out[i] = value(slot->step, corpus.rank, i);
        MPI_Isend(&slot->out[i], 1, MPI_INT, to_right(), 7 + i, any, next(slot));
    }
}

static void receive_two(struct slot *slot)
{
    const int left = to_left();
    MPI_Status status;
    for (int i = 0; i < 2; i++) {
        MPI_Recv(&slot->in[i], 1, MPI_INT, chance(2) ? left : MPI_ANY_SOURCE, MPI_ANY_TAG, any,
                 &status);
        corpus_check(status.MPI_TAG == 7 + i && status.MPI_SOURCE == left, "in their order");
    }
    check_values(slot->in, PLAIN, 2, slot->step, left);
    finish(slot);
}

static struct {
    MPI_Request send, receive;
    int32_t *out, *in;
} kept[SLOTS];

void make_persistent(void)
{
    for (int number = 0; number < SLOTS; number++) {
        kept[number].out = mix->slots[number].out;
        kept[number].in = mix->slots[number].in;
        MPI_Send_init(kept[number].out, 64, MPI_INT, to_right(), 90 + number, copy,
                      &kept[number].send);
        MPI_Recv_init(kept[number].in, 64, MPI_INT, to_left(), 90 + number, copy,
                      &kept[number].receive);
    }
}

static void start(struct slot *slot, int number)
{
    for (int i = 0; i < 64; i++)
        slot->out[i] = value(slot->step, corpus.rank, i);
    *next(slot) = kept[number].receive;
    *next(slot) = kept[number].send;
    if (chance(2) == 0) {
        MPI_Startall(2, slot->open);
    } else {
        MPI_Start(&slot->open[1]);
        MPI_Start(&slot->open[0]);
    }
}

void begin_messages(struct slot *slot, int number)
{
    slot->kind = EXCHANGED + chance(number == 0 ? 5 : 3);
    if (slot->kind == ANY_TAG && chance(2) == 0)
        slot->kind = PERSISTENT;
    if (number > 0 && chance(4) == 0)
        slot->kind = PERSISTENT;
    slot->step = mix->step;
    slot->requests = 0;
    struct plan plan = plan_of(slot->step, number);
    switch (slot->kind) {
    case EXCHANGED:
        receive(slot, &plan);
        send(slot, &plan, plan.to);
        break;
    case ASKED_LATER:
        send(slot, &plan, plan.to);
        break;
    case GATHERED:
        gather(slot, &plan);
        break;
    case ANY_TAG:
        send_two(slot);
        break;
    default:
        start(slot, number);
    }
}

static void probe(const struct plan *plan, MPI_Message *message)
{
    MPI_Status status;
    int flag = 0, count;
    const int source = chance(2) || plan->from == MPI_PROC_NULL ? plan->from : MPI_ANY_SOURCE;
    switch (chance(message == NULL ? 2 : 4)) {
    case 0:
        MPI_Probe(source, plan->tag, plan->comm, &status);
        break;
    case 1:
        while (!flag)
            MPI_Iprobe(source, plan->tag, plan->comm, &flag, &status);
        break;
    case 2:
        MPI_Mprobe(source, plan->tag, plan->comm, message, &status);
        break;
    default:
        while (!flag)
            MPI_Improbe(source, plan->tag, plan->comm, &flag, message, &status);
    }
    MPI_Get_count(&status, MPI_INT, &count);
    corpus_check(status.MPI_SOURCE == plan->from, "a probe finds it");
    corpus_check(count == (plan->from == MPI_PROC_NULL ? 0 : plan->count), "all of it");
}

static void ask(struct slot *slot, const struct plan *plan)
{
    MPI_Datatype type = shaped(plan->in, plan->count, slot->in);
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status = {.MPI_SOURCE = plan->from};
    void *data = from(plan->in, slot->in);
    const int source = chance(2) || plan->from == MPI_PROC_NULL ? plan->from : MPI_ANY_SOURCE;
    const bool now = chance(2) == 0;
    if (chance(2) == 0)
        probe(plan, &message);
    if (message != MPI_MESSAGE_NULL && now)
        MPI_Mrecv(data, 1, type, &message, &status);
    else if (message != MPI_MESSAGE_NULL)
        MPI_Imrecv(data, 1, type, &message, next(slot));
    else if (now)
        MPI_Recv(data, 1, type, source, plan->tag, plan->comm, &status);
    else
        MPI_Irecv(data, 1, type, source, plan->tag, plan->comm, next(slot));
    MPI_Type_free(&type);
    corpus_check(status.MPI_SOURCE == plan->from, "from the right rank");
}

void end_messages(struct slot *slot, int number)
{
    struct plan plan = plan_of(slot->step, number);
    if (slot->kind == GATHERED) {
        end_gather(slot, &plan);
    } else if (slot->kind == ANY_TAG) {
        receive_two(slot);
    } else if (slot->kind == PERSISTENT) {
        finish(slot);
        check_values(slot->in, PLAIN, 64, slot->step, to_left());
    } else {
        if (slot->kind == ASKED_LATER)
            ask(slot, &plan);
        finish(slot);
        if (plan.from != MPI_PROC_NULL)
            check_values(slot->in, plan.in, plan.count, slot->step, plan.from);
    }
    slot->kind = 0;
}
