/*
 * Pcl at one rank. The rank stops at the spot that the coordinator names, and takes messages under
 * way into memory. When all ranks have done so, the rank writes its image and goes on.
 * org.sluice.iop.wave.protocol.PclRank of the simulator is the same in Java.
 */
#include <stdlib.h>

#include "clock.h"
#include "core/changes.h"
#include "core/completion.h"
#include "core/control.h"
#include "core/drained.h"
#include "core/handle.h"
#include "core/held.h"
#include "core/layer.h"
#include "core/open_requests.h"
#include "core/progress.h"
#include "core/protocol.h"
#include "core/snapshot.h"
#include "core/state_take.h"
#include "core/stream.h"
#include "core/wave.h"

#define DRAIN_NANOS INT64_C(1000000) /* time for messages before other work */

static int64_t stop_at; /* the spot; 0: not known */
static int64_t hold;    /* ns that the rank may stand before all do */
static struct sluice_mpi_counts late;

/* The progress of a held rank. */
static enum {
    FREE,
    STOPPED,   /* receiving any message */
    EXPECTING, /* the number of messages to come is known */
    DRAINED,   /* receiving nothing more: others may have gone on */
} phase;

static struct sluice_mpi_place here;
static int64_t held_since;
static struct sluice_mpi_comm *next_drained; /* NULL: begin with the first one */

/*
 * Set once the image is taken; 0 bytes: not yet. The rank may be free before the image is written.
 */
static int64_t taken_bytes;
static int64_t taken_late;
static int64_t held;

static void go_on(void)
{
    phase = FREE;
    stop_at = 0;
    taken_bytes = 0;
    sluice_mpi_counts_clear(&late);
}

static void request_wave(int64_t wave)
{
    go_on();
    sluice_mpi_tell(SLUICE_PCL_COUNTED, wave, &sluice_mpi.spots, sizeof sluice_mpi.spots);
}

static void stop(int64_t spot, int64_t most)
{
    hold = most;
    if (sluice_mpi.spots >= spot)
        sluice_mpi_tell(SLUICE_PCL_PASSED, sluice_mpi.wave, NULL, 0);
    else
        stop_at = spot;
}

/* ---- messages under way ---- */

static void drain_from(struct sluice_mpi_comm *comm, int source)
{
    for (;;) {
        int flag = 0;
        MPI_Status found;
        real.Iprobe(source, MPI_ANY_TAG, comm->handle, &flag, &found);
        if (!flag)
            return;
        sluice_mpi_drain(comm, &found);
    }
}

/*
 * Takes messages for which no receive waits: a sender may wait for that before its own spot. A look
 * may give the processor away, and a program may have tens of thousands of communicators. So not
 * all are looked at in one call.
 */
static void drain_any(void)
{
    const int64_t began = sluice_clock();
    struct sluice_mpi_comm *comm = next_drained != NULL ? next_drained : sluice_mpi_comms;
    for (; comm != NULL && sluice_clock() - began < DRAIN_NANOS; comm = comm->next)
        drain_from(comm, MPI_ANY_SOURCE);
    next_drained = comm;
}

/* Takes the messages of one rank in the order of sending, whatever their tags. */
static void drain_expected(void)
{
    for (size_t at = 0; at < late.capacity; at++) {
        const struct sluice_mpi_count *one = &late.entries[at];
        if (!one->used || sluice_mpi_counts_get(&sluice_mpi.got, &one->stream) >= one->count)
            continue;
        struct sluice_mpi_comm *comm = sluice_mpi_comm_by_id(one->stream.communicator);
        const int source = comm != NULL ? sluice_mpi_rank_in(comm, one->stream.source) : -1;
        if (source >= 0)
            drain_from(comm, source);
    }
}

static bool has_all(void)
{
    bool all = sluice_mpi_drained_all();
    for (size_t at = 0; at < late.capacity && all; at++) {
        const struct sluice_mpi_count *one = &late.entries[at];
        all = !one->used || sluice_mpi_counts_get(&sluice_mpi.got, &one->stream) >= one->count;
    }
    for (struct sluice_mpi_handle *one = sluice_mpi.handles; one != NULL && all; one = one->next)
        all = one->kind != SLUICE_MPI_COLLECTIVE || sluice_mpi_handle_look(one);
    return all;
}

static void look_at_snapshot(void)
{
    if (!sluice_mpi_state_is_taken())
        return;
    if (sluice_mpi_held_complete(sluice_mpi.wave) != 0) {
        sluice_mpi_refuse_wave(sluice_message());
        return;
    }
    sluice_mpi_snapshot_tell(taken_bytes, held, sluice_mpi_changes_reused(), taken_late);
    sluice_mpi_wave_ends();
}

static void progress(void)
{
    if (taken_bytes > 0)
        look_at_snapshot();
    if (phase != STOPPED && phase != EXPECTING)
        return;
    sluice_mpi_look_at_all();
    if (phase == STOPPED)
        drain_any();
    else
        drain_expected();
    if (phase == EXPECTING && has_all()) {
        phase = DRAINED;
        sluice_mpi_tell(SLUICE_PCL_DRAINED, sluice_mpi.wave, NULL, 0);
    }
}

static void take(void)
{
    const int64_t bytes = sluice_mpi_take_state(&here);
    if (bytes < 0)
        return;
    go_on();
    taken_bytes = bytes;
    taken_late = sluice_mpi_drained_count();
    held = sluice_clock() - held_since;
    look_at_snapshot();
}

/*
 * Gives the wave up if the rank stands too long. Another rank may wait for this one in a collective
 * before its own spot. The other may be rank 0, which then forwards nothing. So each rank watches
 * its own time.
 */
static void look_at_time(void)
{
    if (phase == STOPPED && sluice_clock() - held_since > hold) {
        sluice_mpi_tell(SLUICE_PCL_STOOD, sluice_mpi.wave, NULL, 0);
        sluice_mpi_wave_ends();
    }
}

static void spot(const struct sluice_mpi_place *place)
{
    if (stop_at == 0 || sluice_mpi.spots != stop_at)
        return;
    const char *why = sluice_mpi_unfit();
    if (why != NULL) {
        sluice_mpi_refuse_wave(why);
        return;
    }
    here = *place;
    held_since = sluice_clock();
    phase = STOPPED;
    next_drained = NULL;
    sluice_mpi_look_at_all();
    drain_any();
    struct sluice_mpi_bytes marker = {0};
    sluice_mpi_put_marker(&marker);
    sluice_mpi_tell(SLUICE_CONTROL_MARKER, sluice_mpi.wave, marker.data, marker.length);
    sluice_mpi_bytes_free(&marker);
    for (unsigned round = 0; phase != FREE; round++) {
        sluice_mpi_wait(round);
        look_at_time();
    }
}

static void order(int kind, const void *bytes, size_t length)
{
    struct sluice_mpi_reader reader = {bytes, (const unsigned char *)bytes + length, false};
    switch (kind) {
    case SLUICE_PCL_STOP_AT: {
        const int64_t at = sluice_mpi_get_i64(&reader);
        stop(at, sluice_mpi_get_i64(&reader));
        break;
    }
    case SLUICE_CONTROL_EXPECT:
        sluice_mpi_counts_clear(&late);
        sluice_mpi_counts_read(&reader, &late);
        phase = phase == STOPPED ? EXPECTING : phase;
        break;
    case SLUICE_PCL_TAKE:
        if (phase == DRAINED)
            take();
        break;
    default:
        break;
    }
}

static bool repeats(void)
{
    return false;
}

static void restart(int64_t wave)
{
    (void)wave;
}

static void cannot(const char *why)
{
    (void)why;
}

static void resume(void)
{
}

const struct sluice_mpi_protocol sluice_mpi_pcl = {
    .name = "pcl",
    .number = SLUICE_PCL_NUMBER,
    .request_wave = request_wave,
    .order = order,
    .spot = spot,
    .progress = progress,
    .cannot = cannot,
    .give_up = go_on,
    .repeats = repeats,
    .restart = restart,
    .resume = resume,
    .resumed = resume,
    .calls = &sluice_mpi_plain_calls,
};
