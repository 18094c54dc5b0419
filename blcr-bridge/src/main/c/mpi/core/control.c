#include "control.h"

#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "clock.h"
#include "layer.h"
#include "session.h"
#include "wrappers/real.h"

#define TAG 1
#define ASK_MILLIS 1000 /* the time to notice that the I/O process was replaced */
#define MOST 60000      /* bytes of a message in one request */

/*
 * The head of a message between ranks. The message's own source or destination is the rank that an
 * order is for, or that reports.
 */
struct head {
    int32_t kind;
    int32_t nothing;
    int64_t wave;
};

/* A message that is sent and not yet received; `head` and the bytes follow. */
struct sending {
    struct sending *next;
    MPI_Request request;
    unsigned char message[];
};

static struct sending *sendings;
static int64_t taken; /* count of orders when rank 0 had taken all */
static int64_t asked; /* time of its last request */
static uint32_t resumptions;

static void send_to(int rank, int kind, int64_t wave, const void *bytes, size_t length)
{
    const struct head head = {kind, 0, wave};
    struct sending *sending = malloc(sizeof *sending + sizeof head + length);
    if (sending == NULL)
        sluice_mpi_abort("no memory for a message of %zu bytes", length);
    memcpy(sending->message, &head, sizeof head);
    if (length > 0)
        memcpy(sending->message + sizeof head, bytes, length);
    real.Isend(sending->message, (int)(sizeof head + length), MPI_BYTE, rank, TAG,
               sluice_mpi.control, &sending->request);
    sending->next = sendings;
    sendings = sending;
}

static void look_at_sendings(void)
{
    for (struct sending **at = &sendings; *at != NULL;) {
        struct sending *sending = *at;
        int flag = 0;
        real.Test(&sending->request, &flag, MPI_STATUS_IGNORE);
        if (flag) {
            *at = sending->next;
            free(sending);
        } else {
            at = &sending->next;
        }
    }
}

static struct sluice_connection *connection(void)
{
    int error;
    struct sluice_client *client = sluice_session_client(sluice_mpi.session, &error);
    return client != NULL ? &client->connection : NULL;
}

/* Forwards a rank's report, by rank 0 to the coordinator, in pieces. */
static void forward(int kind, int rank, int64_t wave, const unsigned char *bytes, size_t length)
{
    for (size_t at = 0;; at += MOST) {
        const size_t piece = length - at < MOST ? length - at : MOST;
        const bool more = at + piece < length;
        unsigned char body[sizeof(struct sluice_request_wave) + 4 + MOST];
        const struct sluice_request_wave wave_request = {
            .kind = kind, .rank = rank, .wave = wave, .more = more};
        const int32_t size = (int32_t)piece;
        memcpy(body, &wave_request, sizeof wave_request);
        memcpy(body + sizeof wave_request, &size, sizeof size);
        if (piece > 0)
            memcpy(body + sizeof wave_request + sizeof size, bytes + at, piece);
        const struct sluice_body sent = {.fields = body,
                                         .length = sizeof wave_request + sizeof size + piece};
        if (sluice_session_request(sluice_mpi.session, SLUICE_REQUEST_WAVE, &sent, NULL) != 0
            || !more) {
            return;
        }
    }
}

void sluice_mpi_tell(int kind, int64_t wave, const void *bytes, size_t length)
{
    if (sluice_mpi.rank == 0)
        forward(kind, 0, wave, bytes, length);
    else
        send_to(0, kind, wave, bytes, length);
}

static void deliver(sluice_mpi_carry_out *order, int rank, int kind, int64_t wave,
                    const void *bytes, size_t length)
{
    for (int to = sluice_mpi.size - 1; to > 0; to--)
        if (rank == to || rank < 0)
            send_to(to, kind, wave, bytes, length);
    if (rank <= 0)
        order(kind, wave, bytes, length);
}

static bool has_orders(void)
{
    int error;
    struct sluice_client *client = sluice_session_client(sluice_mpi.session, &error);
    if (client == NULL)
        return false;
    const int64_t orders =
        atomic_load_explicit(&client->segment->header->orders, memory_order_acquire);
    const int64_t now = sluice_clock_ms();
    if (orders == taken && now - asked < ASK_MILLIS)
        return false;
    taken = orders; /* all of these are taken now, and perhaps more */
    asked = now;
    return true;
}

static bool was_resumed(void)
{
    const struct sluice_connection *to = connection();
    const uint32_t before = resumptions;
    if (to != NULL)
        resumptions = atomic_load(&to->resumptions);
    return resumptions != before;
}

/* Takes the coordinator's orders, at rank 0; a long one comes in pieces. */
static void take_orders(sluice_mpi_carry_out *order)
{
    static unsigned char piece[SLUICE_REQUEST_MAX_LENGTH];
    struct sluice_mpi_bytes whole = {0};
    for (;;) {
        struct sluice_reply_order next;
        size_t length = 0;
        const struct sluice_reply reply = {.fields = &next,
                                           .length = sizeof next,
                                           .elements = piece,
                                           .element_length = 1,
                                           .capacity = sizeof piece,
                                           .count = &length};
        if (sluice_session_request(sluice_mpi.session, SLUICE_REQUEST_ORDERS, NULL, &reply) != 0
            || next.kind == 0) {
            break;
        }
        sluice_mpi_bytes_put(&whole, piece, length);
        if (!next.more) {
            deliver(order, next.rank, next.kind, next.wave, whole.data, whole.length);
            whole.length = 0;
        }
    }
    sluice_mpi_bytes_free(&whole);
}

/* Gives up waves when the I/O process is gone for good. No rank's end waits for it. */
static void look_whether_lost(sluice_mpi_carry_out *order)
{
    static bool told;
    const struct sluice_connection *to = connection();
    if (told || (to != NULL && !atomic_load(&to->lost)))
        return;
    told = true;
    sluice_mpi_say(
        "no more checkpoints: the I/O process of this node is gone; end the job and run sluice mpi "
        "again to go on from the newest one");
    deliver(order, -1, SLUICE_CONTROL_GIVE_UP, sluice_mpi.wave, NULL, 0);
    deliver(order, -1, SLUICE_CONTROL_END, 0, NULL, 0);
}

/* Handles messages from other ranks to rank 0, or from rank 0 to this one. */
static void look_at_ranks(sluice_mpi_carry_out *order)
{
    for (;;) {
        int flag = 0;
        MPI_Status status;
        real.Iprobe(MPI_ANY_SOURCE, TAG, sluice_mpi.control, &flag, &status);
        if (!flag)
            return;
        int length;
        real.Get_count(&status, MPI_BYTE, &length);
        unsigned char *message = malloc(length);
        if (message == NULL || length < (int)sizeof(struct head))
            sluice_mpi_abort("a message of %d bytes cannot be taken", length);
        real.Recv(message, length, MPI_BYTE, status.MPI_SOURCE, TAG, sluice_mpi.control,
                  MPI_STATUS_IGNORE);
        struct head head;
        memcpy(&head, message, sizeof head);
        const unsigned char *bytes = message + sizeof head;
        if (sluice_mpi.rank == 0)
            forward(head.kind, status.MPI_SOURCE, head.wave, bytes, length - sizeof head);
        else
            order(head.kind, head.wave, bytes, length - sizeof head);
        free(message);
    }
}

bool sluice_mpi_control_look(sluice_mpi_carry_out *order)
{
    look_at_sendings();
    if (sluice_mpi.size > 1)
        look_at_ranks(order);
    if (sluice_mpi.rank != 0)
        return false;
    if (has_orders())
        take_orders(order);
    const bool resumed = was_resumed();
    look_whether_lost(order);
    return resumed;
}

/*
 * Makes the layer's communicator without a collective of MPI_COMM_WORLD. Open MPI numbers the
 * collectives of a communicator, also those of MPI_Comm_dup, within its tags. Where a number meets
 * MPI_Dist_graph_create (the tags -50 and -51 in 4.1), its ranks wait for ever. So the program's
 * collectives keep the numbers that they have without the layer.
 */
static void make_control(void)
{
    MPI_Group world;
    real.Comm_group(MPI_COMM_WORLD, &world);
    real.Comm_create_group(MPI_COMM_WORLD, world, TAG, &sluice_mpi.control);
    real.Group_free(&world);
}

bool sluice_mpi_control_begin(void)
{
    make_control();
    real.Comm_rank(sluice_mpi.control, &sluice_mpi.rank);
    real.Comm_size(sluice_mpi.control, &sluice_mpi.size);
    const int error =
        sluice_session_open(NULL, sluice_mpi.rank, sluice_mpi.size, &sluice_mpi.session);
    const int failed = error != 0 ? sluice_mpi.rank : sluice_mpi.size;
    int first;
    real.Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, sluice_mpi.control);
    if (first == sluice_mpi.rank)
        sluice_mpi_say("no checkpoints: %s", sluice_message());
    return first == sluice_mpi.size;
}

void sluice_mpi_control_end(void)
{
    while (sendings != NULL)
        look_at_sendings();
    sluice_session_close(sluice_mpi.session);
    sluice_mpi.session = NULL;
    real.Comm_free(&sluice_mpi.control);
}
