/*
 * C3 at one rank. The rank takes its line at a spot and records behind it until the coordinator has
 * all ranks stop. Then the rank writes the record. No rank waits for another one.
 * org.sluice.iop.wave.protocol.C3Rank of the simulator is the same in Java.
 */
#include "c3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "core/changes.h"
#include "core/completion.h"
#include "core/control.h"
#include "core/drained.h"
#include "core/held.h"
#include "core/layer.h"
#include "core/open_requests.h"
#include "core/protocol.h"
#include "core/snapshot.h"
#include "core/state_take.h"
#include "core/stream.h"
#include "core/wave.h"
#include "record.h"
#include "replay.h"
#include "wrappers/real.h"

/* The progress of this rank in a wave. */
static enum {
    NOTHING,
    ASKED,     /* the line is taken at the next possible spot */
    RECORDING, /* the messages to come are unknown */
    EXPECTING,
    READY,   /* all expected messages have come */
    STOPPED, /* waiting for the plan */
    PLANNED, /* waiting for the snapshot */
} phase;

static int64_t drains;
static struct sluice_mpi_bytes plan;
static struct sluice_mpi_counts sent;     /* messages sent before the line */
static struct sluice_mpi_bytes unentered; /* communicators with a straddling collective to come */
static bool loaded;                       /* a recovery has its plan */
static bool resuming;                     /* late messages of it have no receive yet */

static void forget(void)
{
    phase = NOTHING;
    sluice_mpi_bytes_free(&plan);
    sluice_mpi_bytes_free(&unentered);
    sluice_mpi_record_end();
    for (struct sluice_mpi_drained *one = sluice_mpi.drained; one != NULL; one = one->next)
        one->name = 0;
}

static void request_wave(int64_t wave)
{
    (void)wave;
    forget();
    phase = ASKED;
}

/* ---- the line ---- */

/*
 * Returns whether the counts tell which messages were received. Otherwise the line is put off to
 * the next spot.
 */
static bool can_take_line(void)
{
    sluice_mpi_look_at_all();
    if (sluice_mpi_replay_is_on() || sluice_mpi_c3_buffers() || !sluice_mpi_drained_all())
        return false;
    if (loaded && sluice_mpi_replay_is_needed())
        return false;
    for (const struct sluice_mpi_handle *one = sluice_mpi.handles; one != NULL; one = one->next) {
        if (one->kind != SLUICE_MPI_RECEIVE || !one->active || one->complete)
            continue;
        if (one->drained != NULL
            || sluice_mpi_is_overtaken(one->comm, one->peer, one->tag, one->posted)) {
            return false;
        }
    }
    return true;
}

/* Records the receives that are open at the line, as the first ones. */
static void post_open(void)
{
    size_t count;
    struct sluice_mpi_handle **open = sluice_mpi_open_receives(&count);
    for (size_t i = 0; i < count; i++)
        sluice_mpi_c3_calls.asks(open[i], open[i]->peer, open[i]->tag);
    free(open);
}

static bool has_inter(void)
{
    const struct sluice_mpi_comm *comm = sluice_mpi_comms;
    while (comm != NULL && !comm->inter)
        comm = comm->next;
    return comm != NULL;
}

static void take_line(const struct sluice_mpi_place *place)
{
    const int64_t began = sluice_clock();
    const int64_t wave = sluice_mpi.wave;
    if (has_inter()) {
        sluice_mpi_refuse_wave("an inter-communicator is there, which C3 does not carry: use "
                               "--protocol pcl, or free it");
        return;
    }
    const int64_t bytes = sluice_mpi_take_state(place);
    if (bytes < 0)
        return;
    const int64_t held = sluice_clock() - began;
    struct sluice_mpi_bytes marker = {0};
    sluice_mpi_put_marker(&marker);
    sluice_mpi_counts_copy(&sent, &sluice_mpi.sent);
    sluice_mpi_record_begin();
    post_open();
    drains = 0;
    phase = RECORDING;
    sluice_mpi_snapshot_tell(bytes, held, 0, 0); /* reused and late bytes are told at the end */
    sluice_mpi_tell(SLUICE_CONTROL_MARKER, wave, marker.data, marker.length);
    sluice_mpi_bytes_free(&marker);
}

static void spot(const struct sluice_mpi_place *place)
{
    const char *why = phase == ASKED ? sluice_mpi_unfit() : NULL;
    if (why != NULL)
        sluice_mpi_refuse_wave(why);
    else if (phase == ASKED && can_take_line())
        take_line(place);
}

/* ---- behind the line ---- */

/* Takes late messages that the program has not asked for, and may never ask for. */
static void drain(const struct sluice_mpi_stream *late)
{
    struct sluice_mpi_comm *comm = sluice_mpi_comm_by_id(late->communicator);
    const int source = comm != NULL ? sluice_mpi_rank_in(comm, late->source) : -1;
    int flag = 0;
    MPI_Status found;
    if (source < 0)
        return;
    real.Iprobe(source, MPI_ANY_TAG, comm->handle, &flag, &found);
    if (!flag)
        return;
    const struct sluice_mpi_message message = {
        {comm->id, late->source, sluice_mpi.rank, found.MPI_TAG, 0},
        sluice_mpi_numbering_next(&(struct sluice_mpi_stream){comm->id, late->source,
                                                              sluice_mpi.rank, found.MPI_TAG, 0})};
    if (message.number == 0 || !sluice_mpi_record_is_late(&message))
        return;
    struct sluice_mpi_drained *one = sluice_mpi_drain(comm, &found);
    one->name = -++drains;
    one->number = message.number; /* needed also for a wave that is given up */
    sluice_mpi_numbering_posted(one->name, comm->id, late->source, found.MPI_TAG);
}

static bool has_late(const struct sluice_mpi_count *late)
{
    return !late->used || sluice_mpi_numbering_got(&late->stream) >= late->count;
}

/*
 * Notes the communicators with a straddling collective to be entered. A program may have tens of
 * thousands of communicators, so the frequent question is asked of few.
 */
static void note_unentered(void)
{
    for (const struct sluice_mpi_comm *comm = sluice_mpi_comms; comm != NULL; comm = comm->next)
        if (comm->collectives < sluice_mpi_record_straddling(comm->id))
            sluice_mpi_bytes_put_i64(&unentered, comm->id);
}

static bool has_entered(void)
{
    struct sluice_mpi_reader reader = {unentered.data, unentered.data + unentered.length, false};
    while (reader.at < reader.end) {
        const int64_t id = sluice_mpi_get_i64(&reader);
        const struct sluice_mpi_comm *comm = sluice_mpi_comm_by_id(id);
        if (comm != NULL && comm->collectives < sluice_mpi_record_straddling(id))
            return false;
    }
    return true;
}

static bool has_all(void)
{
    const struct sluice_mpi_counts *late = sluice_mpi_record_late();
    for (size_t at = 0; at < late->capacity; at++)
        if (!has_late(&late->entries[at]))
            return false;
    if (!has_entered())
        return false;
    for (const struct sluice_mpi_handle *one = sluice_mpi.handles; one != NULL; one = one->next) {
        if (one->kind == SLUICE_MPI_COLLECTIVE && !one->complete
            && one->collective <= sluice_mpi_record_straddling(one->comm->id)) {
            return false;
        }
    }
    return true;
}

static void write_record(void);

static void look_at_snapshot(void)
{
    if (sluice_mpi_state_is_taken() && phase == PLANNED)
        write_record();
}

static void progress(void)
{
    sluice_mpi_c3_buffers();
    if (phase >= RECORDING)
        look_at_snapshot();
    if (phase < RECORDING || phase >= STOPPED)
        return;
    sluice_mpi_look_at_all();
    sluice_mpi_numbering_settle(sluice_mpi_record_taken);
    if (phase >= EXPECTING) {
        const struct sluice_mpi_counts *late = sluice_mpi_record_late();
        for (size_t at = 0; at < late->capacity; at++)
            if (late->entries[at].used && !has_late(&late->entries[at]))
                drain(&late->entries[at].stream);
    }
    if (phase == EXPECTING && has_all()) {
        phase = READY;
        sluice_mpi_tell(SLUICE_C3_READY, sluice_mpi.wave, NULL, 0);
    }
    if (sluice_mpi_record_has_stopped()) {
        struct sluice_mpi_bytes recording = {0};
        sluice_mpi_record_put(&recording);
        phase = STOPPED;
        sluice_mpi_tell(SLUICE_C3_STOPPED, sluice_mpi.wave, recording.data, recording.length);
        sluice_mpi_bytes_free(&recording);
    }
}

/* Counts early messages: those that the plan suppresses. */
static int64_t count_early(void)
{
    struct sluice_mpi_reader reader = {plan.data, plan.data + plan.length, false};
    struct sluice_mpi_plan read = {0};
    sluice_mpi_plan_read(&reader, &read);
    int64_t early = 0;
    for (size_t at = 0; at < read.suppressed.capacity; at++) {
        const struct sluice_mpi_count *one = &read.suppressed.entries[at];
        if (one->used)
            early += one->count - sluice_mpi_counts_get(&sent, &one->stream);
    }
    sluice_mpi_counts_clear(&read.suppressed);
    return early;
}

static void write_record(void)
{
    const int64_t wave = sluice_mpi.wave;
    struct sluice_mpi_bytes late = {0};
    struct sluice_mpi_bytes events = {0};
    const int64_t messages = sluice_mpi_record_put_late(&late);
    sluice_mpi_record_put_events(&events);
    int error = sluice_mpi_write_image(wave, "late", late.data, late.length);
    if (error == 0)
        error = sluice_mpi_write_image(wave, "record", events.data, events.length);
    if (error == 0)
        error = sluice_mpi_write_image(wave, "plan", plan.data, plan.length);
    if (error == 0)
        error = sluice_mpi_held_complete(wave);
    const int64_t written[6] = {
        (int64_t)late.length, (int64_t)events.length,     sluice_mpi_record_events(), messages,
        count_early(),        sluice_mpi_changes_reused()};
    sluice_mpi_bytes_free(&late);
    sluice_mpi_bytes_free(&events);
    if (error != 0) {
        sluice_mpi_refuse_wave(sluice_message());
        return;
    }
    sluice_mpi_tell(SLUICE_C3_WRITTEN, wave, written, sizeof written);
    sluice_mpi_wave_ends();
}

static void order(int kind, const void *bytes, size_t length)
{
    struct sluice_mpi_reader reader = {bytes, (const unsigned char *)bytes + length, false};
    if (kind == SLUICE_CONTROL_EXPECT && phase == RECORDING) {
        sluice_mpi_record_expect(&reader);
        note_unentered();
        phase = EXPECTING;
    } else if (kind == SLUICE_C3_STOP && phase == READY) {
        sluice_mpi_record_stop();
    } else if (kind == SLUICE_C3_PLAN && phase == STOPPED) {
        sluice_mpi_bytes_put(&plan, bytes, length);
        phase = PLANNED;
        look_at_snapshot();
    }
}

static void cannot(const char *why)
{
    if (phase >= RECORDING) {
        char all[300];
        snprintf(all, sizeof all, "%s; use --protocol pcl, which records nothing", why);
        sluice_mpi_refuse_wave(all);
    }
}

/* ---- a recovery ---- */

static bool repeats(void)
{
    loaded = loaded && (resuming || sluice_mpi_replay_is_needed());
    return loaded || sluice_mpi_c3_buffers();
}

static void restart(int64_t wave)
{
    sluice_mpi_replay_begin(wave);
    loaded = true;
    resuming = true;
}

static void give_drained(const struct sluice_mpi_message *message,
                         const struct sluice_mpi_kept *kept)
{
    struct sluice_mpi_comm *comm = sluice_mpi_comm_by_id(message->stream.communicator);
    if (comm == NULL) {
        sluice_mpi_abort(
            "the checkpoint has a late message of a communicator that is not there: make the same "
            "communicators before the first sluice_potential_checkpoint()");
    }
    struct sluice_mpi_drained *one = sluice_mpi_drained_again(
        comm, sluice_mpi_rank_in(comm, message->stream.source), message->stream.tag, kept->bytes);
    memcpy(one->data, kept->data, kept->bytes);
    one->number = message->number;
    sluice_mpi_counts_of(&sluice_mpi.got, message->stream.communicator, message->stream.source,
                         message->stream.destination, message->stream.tag)
        ->count++;
}

static void resume(void)
{
    if (!loaded)
        return;
    sluice_mpi_replay_drained(give_drained);
    for (struct sluice_mpi_handle *one = sluice_mpi.handles; one != NULL; one = one->next)
        if (one->kind == SLUICE_MPI_COLLECTIVE && one->active && !one->complete)
            sluice_mpi_c3_answer_open(one);
}

static void resumed(void)
{
    resuming = false;
}

const struct sluice_mpi_protocol sluice_mpi_c3 = {
    .name = "c3",
    .number = SLUICE_C3_NUMBER,
    .request_wave = request_wave,
    .order = order,
    .spot = spot,
    .progress = progress,
    .cannot = cannot,
    .give_up = forget,
    .repeats = repeats,
    .restart = restart,
    .resume = resume,
    .resumed = resumed,
    .calls = &sluice_mpi_c3_calls,
};
