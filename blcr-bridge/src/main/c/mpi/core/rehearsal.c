#include "rehearsal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "completion.h"
#include "control.h"
#include "datatype.h"
#include "differs.h"
#include "inputs.h"
#include "layer.h"
#include "protocol.h"
#include "state.h"
#include "stream.h"
#include "wrappers/real.h"

#define IMAGE "rehearsal"
#define MOST (1 << 20) /* most calls noted */

/*
 * The statuses by which MPI_Abort() tells sluice mpi that a run has come to its end: its REHEARSED
 * and REPEATED.
 */
#define REHEARSED 118
#define REPEATED 119

/* The head of the image, before its calls. */
struct head {
    int64_t begin; /* the wave before */
    int64_t spot;  /* spot of this wave */
    int64_t spots; /* spots of the wave before */
    int64_t calls; /* count of calls, with those not noted */
};

/* A message, or a collective with its flow as `tag`. */
struct call {
    int64_t communicator;
    int32_t dest; /* rank in the world; -1: a collective */
    int32_t tag;
    uint32_t check;
    uint32_t nothing;
};

static enum { NONE, FIRST, SECOND } run;
static struct sluice_mpi_bytes noted; /* calls behind the line of `head.begin` */
static struct head head;              /* `begin` is 0 before there is one */
static int64_t calls;

/* Values of the last line; a later decision says if it counts. */
static int64_t line_wave;
static int64_t line_spots;
static size_t line_noted;
static int64_t line_calls;

static int64_t compared; /* wave at whose spot the second run ends */
static bool ending;      /* this rank has come to the end */
static MPI_Request meeting;

bool sluice_mpi_rehearsal_repeats(void)
{
    return run == SECOND;
}

static void read_first_run(int64_t newest)
{
    struct sluice_mpi_bytes image = {0};
    const int error = newest < 0 ? -ENOENT : sluice_mpi_read_image(newest, IMAGE, &image);
    if (error != 0 || image.length < sizeof head) {
        sluice_mpi_abort("there is no checkpoint to compare with: run sluice mpi --rehearse again; "
                         "the job goes on from checkpoint %lld without it",
                         (long long)newest);
    }
    memcpy(&head, image.data, sizeof head);
    sluice_mpi_bytes_put(&noted, image.data + sizeof head, image.length - sizeof head);
    sluice_mpi_bytes_free(&image);
}

int64_t sluice_mpi_rehearsal_begin(int64_t newest)
{
    const char *name = getenv("SLUICE_MPI_REHEARSE");
    run = name == NULL || *name == 0 ? NONE : strcmp(name, "second") == 0 ? SECOND : FIRST;
    if (run != SECOND)
        return newest;
    read_first_run(newest);
    compared = newest;
    return head.begin;
}

void sluice_mpi_rehearsal_restarted(void)
{
    sluice_mpi.rehearsing = run == SECOND;
}

/* ---- calls ---- */

static const struct call *next(void)
{
    return (const struct call *)noted.data + calls;
}

static void compare(const struct call *now, const char *what, const struct sluice_mpi_piece *data)
{
    char text[200];
    snprintf(text, sizeof text, "call %lld behind checkpoint %lld, %s,", (long long)calls + 1,
             (long long)head.begin, what);
    if (calls >= head.calls || memcmp(next(), now, offsetof(struct call, check)) != 0)
        sluice_mpi_abort("%s is another one than in the first run: %s", text, SLUICE_MPI_FORGOTTEN);
    if (next()->check != now->check)
        sluice_mpi_differs(text, data->buffer, data->count, data->type, NULL);
}

static void note(const struct call *now, const char *what, const struct sluice_mpi_piece *data)
{
    if (run == SECOND && !ending && (calls < MOST || calls >= head.calls))
        compare(now, what, data);
    if (run == FIRST && calls < MOST)
        sluice_mpi_bytes_put(&noted, now, sizeof *now);
    calls++;
}

void sluice_mpi_rehearsal_sends(const struct sluice_mpi_comm *comm, int dest, int tag,
                                const void *buffer, int count, MPI_Datatype type)
{
    char what[100];
    const struct sluice_mpi_piece data = {(void *)buffer, count, type, false};
    const struct call now = {comm->id, comm->world[dest], tag,
                             sluice_mpi_datatype_check(buffer, count, type), 0};
    if (!sluice_mpi.rehearsing)
        return;
    snprintf(what, sizeof what, "a message to rank %d with tag %d", comm->world[dest], tag);
    note(&now, what, &data);
}

void sluice_mpi_rehearsal_enters(const struct sluice_mpi_comm *comm,
                                 const struct sluice_mpi_collective *collective)
{
    if (!sluice_mpi.rehearsing)
        return;
    int count;
    struct sluice_mpi_piece *data = sluice_mpi_inputs_of(collective, &count);
    const struct call now = {comm->id, -1, (int32_t)collective->flow,
                             sluice_mpi_inputs_check(collective), 0};
    note(&now, collective->name, data);
    free(data);
}

/* ---- the first run ---- */

void sluice_mpi_rehearsal_line(int64_t wave)
{
    if (run == FIRST && head.begin == 0) /* earlier calls never count */
        noted.length = calls = 0;
    sluice_mpi.rehearsing = run == FIRST;
    line_wave = wave;
    line_spots = sluice_mpi.spots;
    line_noted = noted.length;
    line_calls = calls;
}

int sluice_mpi_rehearsal_write(int64_t wave)
{
    if (run != FIRST || head.begin == 0)
        return 0;
    struct sluice_mpi_bytes image = {0};
    head.spot = line_spots;
    head.calls = line_calls;
    sluice_mpi_bytes_put(&image, &head, sizeof head);
    sluice_mpi_bytes_put(&image, noted.data, line_noted);
    const int error = sluice_mpi_write_image(wave, IMAGE, image.data, image.length);
    sluice_mpi_bytes_free(&image);
    return error;
}

static void meet(void)
{
    if (!ending)
        real.Ibarrier(sluice_mpi.control, &meeting);
    ending = true;
}

void sluice_mpi_rehearsal_decide(int64_t wave, bool commit)
{
    if (run != FIRST || !commit || wave != line_wave)
        return;
    if (head.begin > 0) {
        meet();
    } else {
        head.begin = wave;
        head.spots = line_spots;
    }
}

/* ---- the second run ---- */

static void compare_memory(void)
{
    if (calls < head.calls) {
        sluice_mpi_abort("%lld messages and collectives behind checkpoint %lld were %lld in the "
                         "first run: %s",
                         (long long)calls, (long long)head.begin, (long long)head.calls,
                         SLUICE_MPI_FORGOTTEN);
    }
    sluice_mpi_compare(compared, head.begin, sluice_mpi.spots - head.spots);
}

void sluice_mpi_rehearsal_spot(void)
{
    if (run != SECOND || ending || sluice_mpi.spots != head.spot)
        return;
    sluice_mpi_look_at_all();
    compare_memory();
    meet();
}

/* ---- the end of both ---- */

static void end(void) __attribute__((noreturn));

static void end(void)
{
    if (run == FIRST) {
        sluice_mpi_end(REHEARSED,
                       "the job is started a second time from checkpoint %lld, and compared at the "
                       "spot of checkpoint %lld",
                       (long long)head.begin, (long long)line_wave);
    }
    sluice_mpi_end(REPEATED,
                   "from checkpoint %lld to checkpoint %lld both runs %s%s: the job goes on from "
                   "there",
                   (long long)head.begin, (long long)compared,
                   sluice_mpi_differs_stops() ? "did the same" : "were compared",
                   head.calls > MOST ? ", as far as the first 1048576 messages tell" : "");
}

void sluice_mpi_rehearsal_look(void)
{
    int all = 0;
    if (ending)
        real.Test(&meeting, &all, MPI_STATUS_IGNORE);
    if (all && sluice_mpi.rank == 0)
        end();
}

bool sluice_mpi_rehearsal_is_ending(void)
{
    if (run == SECOND && !ending) {
        sluice_mpi_abort("the program ends at spot %lld behind checkpoint %lld, and came to %lld "
                         "in the first run: %s",
                         (long long)(sluice_mpi.spots - head.spots), (long long)head.begin,
                         (long long)(head.spot - head.spots), SLUICE_MPI_FORGOTTEN);
    }
    return ending;
}
