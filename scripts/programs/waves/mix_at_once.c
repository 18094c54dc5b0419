/* Messages of mix that are over in a step: each mode of sends, MPI_PROC_NULL, the own rank, and data that lies far apart. */
#include "mix.h"

enum { ROOM = 64 };

static int32_t out[ROOM], in[ROOM];

static void in_turns(int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm), int count,
                     MPI_Status *status)
{
    if (corpus.rank % 2 == 0)
        send(out, count, MPI_INT, to_right(), 6, world);
    MPI_Recv(in, ROOM, MPI_INT, to_left(), 6, world, status);
    if (corpus.rank % 2 == 1)
        send(out, count, MPI_INT, to_right(), 6, world);
}

/* Once the receiver has said that its receive is posted. */
static void ready(int count, MPI_Status *status)
{
    MPI_Request receive, send;
    MPI_Irecv(in, ROOM, MPI_INT, MPI_ANY_SOURCE, 8, copy, &receive);
    MPI_Send(NULL, 0, MPI_INT, to_left(), 9, copy);
    MPI_Recv(NULL, 0, MPI_INT, to_right(), 9, copy, MPI_STATUS_IGNORE);
    if (chance(2) == 0) {
        MPI_Rsend(out, count, MPI_INT, to_right(), 8, copy);
    } else {
        MPI_Irsend(out, count, MPI_INT, to_right(), 8, copy, &send);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&receive, status);
}

/* The first number lies on the stack. */
static void far_apart(int count, MPI_Status *status)
{
    const int lengths[2] = {1, count - 1};
    int32_t first = out[0];
    MPI_Aint at[2];
    MPI_Datatype type;
    MPI_Request receive;
    MPI_Get_address(&first, &at[0]);
    MPI_Get_address(&out[1], &at[1]);
    MPI_Type_create_hindexed(2, lengths, at, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Irecv(in, ROOM, MPI_INT, to_left(), 10, ring, &receive);
    MPI_Send(MPI_BOTTOM, 1, type, to_right(), 10, ring);
    MPI_Type_free(&type);
    MPI_Wait(&receive, status);
}

/* Nothing comes from nowhere; then the message comes by way of the own rank. */
static void from_nowhere(int count, MPI_Status *status)
{
    int flag = 0, got;
    MPI_Message message;
    MPI_Sendrecv(out, count, MPI_INT, MPI_PROC_NULL, 11, in, ROOM, MPI_INT, MPI_PROC_NULL, 11, copy,
                 status);
    MPI_Improbe(MPI_PROC_NULL, 11, copy, &flag, &message, status);
    corpus_check(flag && message == MPI_MESSAGE_NO_PROC, "nowhere is always asked at once");
    MPI_Mrecv(in, ROOM, MPI_INT, &message, status);
    MPI_Get_count(status, MPI_INT, &got);
    corpus_check(status->MPI_SOURCE == MPI_PROC_NULL && got == 0, "nothing comes from nowhere");
    MPI_Sendrecv(out, count, MPI_INT, to_right(), 12, in, ROOM, MPI_INT, MPI_ANY_SOURCE, 12, copy,
                 status);
    memcpy(out, in, sizeof out);
    const int left = status->MPI_SOURCE;
    MPI_Sendrecv(out, count, MPI_INT, corpus.rank, 13, in, ROOM, MPI_INT, corpus.rank, 13, copy,
                 status);
    corpus_check(status->MPI_SOURCE == corpus.rank, "from the own rank");
    status->MPI_SOURCE = left;
}

void messages_at_once(void)
{
    const int count = 1 + chance(ROOM);
    MPI_Status status;
    for (int i = 0; i < count; i++)
        out[i] = value(mix->step + 1, corpus.rank, i);
    switch (chance(8)) {
    case 0:
        MPI_Sendrecv(out, count, MPI_INT, to_right(), 3, in, ROOM, MPI_INT, to_left(), 3, copy,
                     &status);
        break;
    case 1:
        memcpy(in, out, sizeof in);
        MPI_Sendrecv_replace(in, count, MPI_INT, to_right(), 4, to_left(), 4, ring, &status);
        break;
    case 2:
        MPI_Bsend(out, count, MPI_INT, to_right(), 5, world);
        MPI_Recv(in, ROOM, MPI_INT, MPI_ANY_SOURCE, 5, world, &status);
        break;
    case 3:
        in_turns(MPI_Send, count, &status);
        break;
    case 4:
        in_turns(MPI_Ssend, count, &status);
        break;
    case 5:
        ready(count, &status);
        break;
    case 6:
        far_apart(count, &status);
        break;
    default:
        from_nowhere(count, &status);
    }
    corpus_check(status.MPI_SOURCE == to_left(), "from the left");
    check_values(in, PLAIN, count, mix->step + 1, to_left());
}
