/* Waves, whatever the protocol. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "changes.h"
#include "control.h"
#include "drained.h"
#include "engine.h"
#include "freed.h"
#include "handle.h"
#include "held.h"
#include "line.h"
#include "open_requests.h"
#include "protocol.h"
#include "regions.h"
#include "rehearsal.h"
#include "snapshot.h"
#include "stream.h"
#include "watch.h"
#include "wrappers/request.h"

/*
 * Between two looks at what the coordinator orders. A look takes up to half a microsecond: Open MPI may give the processor
 * away in it. Who has nothing to do with a wave can hear of the next one later.
 */
#define LOOK_NANOS 20000
#define IDLE_LOOKS 10

bool sluice_mpi_busy;
uint64_t sluice_mpi_look_at;
unsigned sluice_mpi_polls;
int64_t sluice_mpi_wave;
int64_t sluice_mpi_spots;
double sluice_mpi_patience = 60;
const struct sluice_mpi_protocol *sluice_mpi_protocol = &sluice_mpi_pcl;

static uint64_t ticks_between;
static bool within; /* an order may come while one is carried out */

int64_t sluice_mpi_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* How many ticks the counter makes: measured once, over a tenth of a millisecond. */
static void measure(void)
{
    const int64_t began = sluice_mpi_now();
    const uint64_t ticks = sluice_mpi_ticks();
    int64_t now;
    do {
        now = sluice_mpi_now();
    } while (now - began < 100000);
    ticks_between = (sluice_mpi_ticks() - ticks) * LOOK_NANOS / (now - began) + 1;
}

void sluice_mpi_look_busy(void)
{
    sluice_mpi_busy = sluice_mpi_wave != 0 || sluice_mpi_drained != NULL || sluice_mpi_rehearsing
        || sluice_mpi_protocol->repeats();
}

static void end_freed(void)
{
    for (struct sluice_mpi_handle *one = sluice_mpi_handles; one != NULL;) {
        struct sluice_mpi_handle *next = one->next;
        if (one->freed && sluice_mpi_handle_look(one))
            sluice_mpi_handle_end(one);
        one = next;
    }
}

static void get_on(void)
{
    sluice_mpi_control_look();
    if (sluice_mpi_busy) {
        sluice_mpi_protocol->progress();
        sluice_mpi_look_busy(); /* the last message of a recovery may have left in here */
    }
    sluice_mpi_rehearsal_look();
    if (sluice_mpi_freed_requests > 0 && sluice_mpi_wave == 0) /* a wave says when it may look */
        end_freed();
}

void sluice_mpi_progress(void)
{
    if (ticks_between == 0)
        measure();
    if (sluice_mpi_session != NULL && !within) {
        within = true;
        get_on();
        within = false;
    }
    sluice_mpi_look_at =
        sluice_mpi_ticks() + (sluice_mpi_busy ? ticks_between : ticks_between * IDLE_LOOKS);
}

/* A rank that waits leaves the processor to others: it may be one of many on a core. */
void sluice_mpi_wait(unsigned round)
{
    sluice_mpi_progress();
    if (round > 20)
        sched_yield();
    if (round > 2000)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

void sluice_mpi_wave_ends(void)
{
    if (sluice_mpi_wave != 0) {
        sluice_mpi_wave = 0;
        sluice_mpi_snapshot_end();
        sluice_mpi_protocol->give_up();
    }
    sluice_mpi_look_busy();
}

void sluice_mpi_refuse_wave(const char *why)
{
    sluice_mpi_tell(SLUICE_CONTROL_REFUSED, sluice_mpi_wave, why, strlen(why));
    sluice_mpi_wave_ends();
}

/* Others may need nothing; the first rank of a program that forgot to say what it needs has nothing either. */
static void say_nothing_is_protected(void)
{
    static bool said;
    if (!said && sluice_mpi_rank == 0 && sluice_mpi_region_count == 0) {
        sluice_mpi_say(
            "nothing is protected here: what sluice_protect() does not name a restart does "
            "not put back");
    }
    said = true;
}

int64_t sluice_mpi_take_state(const struct sluice_mpi_place *place)
{
    struct sluice_mpi_bytes own = {0};
    say_nothing_is_protected();
    sluice_mpi_bytes_put_i64(&own, sluice_mpi_spots);
    sluice_mpi_bytes_put_i64(&own, sluice_mpi_value(MPI_REQUEST_NULL));
    const char *why = sluice_mpi_regions_unfit();
    if (sluice_mpi_left) {
        why = "an error handler left a call of MPI by a jump or an exception, so nobody knows what "
              "was sent behind it: let it return";
    }
    if (why == NULL)
        why = sluice_mpi_save(&own);
    sluice_mpi_bytes_put_i64(&own, sluice_mpi_watch_usual());
    if (why == NULL
        && (sluice_mpi_held_begin(sluice_mpi_wave) != 0
            || sluice_mpi_snapshot_take(sluice_mpi_wave, place, &own) != 0)) {
        why = sluice_message();
    }
    const int64_t bytes = (int64_t)own.length + sluice_mpi_region_bytes();
    sluice_mpi_bytes_free(&own);
    if (why != NULL) {
        sluice_mpi_refuse_wave(why);
        return -1;
    }
    sluice_mpi_rehearsal_line(sluice_mpi_wave);
    return bytes;
}

static const char *never;

/* An I/O process that was resumed has not heard it. */
static void tell_never(void)
{
    sluice_mpi_tell(SLUICE_CONTROL_NEVER, 0, never, strlen(never));
}

void call_refused(const char *why)
{
    never = why;
    if (sluice_mpi_busy)
        sluice_mpi_protocol->calls->cannot(why);
    tell_never();
}

static void please(int64_t wave, const void *bytes, size_t length)
{
    struct sluice_mpi_reader reader = {bytes, (const unsigned char *)bytes + length, false};
    sluice_mpi_wave_ends();
    if (never != NULL) {
        tell_never();
        return;
    }
    const int protocol = sluice_mpi_get_i32(&reader);
    if (sluice_mpi_rehearsal_repeats()
        || (protocol == SLUICE_CONTROL_PCL && sluice_mpi_protocol->repeats())) {
        sluice_mpi_wave = wave;
        sluice_mpi_refuse_wave("ranks still repeat what they did behind the checkpoint");
        return;
    }
    sluice_mpi_protocol = protocol == SLUICE_CONTROL_PCL ? &sluice_mpi_pcl : &sluice_mpi_c3;
    sluice_mpi_wave = wave;
    sluice_mpi_look_busy();
    sluice_mpi_protocol->please(wave);
}

static void pass_on(int kind, const void *bytes, size_t length)
{
    struct sluice_mpi_reader reader = {bytes, (const unsigned char *)bytes + length, false};
    if (kind == SLUICE_CONTROL_EXPECT)
        sluice_mpi_line_expect(&reader);
    sluice_mpi_protocol->order(kind, bytes, length);
}

void sluice_mpi_order(int kind, int64_t wave, const void *bytes, size_t length)
{
    if (kind == SLUICE_CONTROL_COMMIT || kind == SLUICE_CONTROL_GIVE_UP) {
        sluice_mpi_held_decide(wave, kind == SLUICE_CONTROL_COMMIT);
        sluice_mpi_changes_decide(wave, kind == SLUICE_CONTROL_COMMIT);
        sluice_mpi_rehearsal_decide(wave, kind == SLUICE_CONTROL_COMMIT);
    }
    if (kind == SLUICE_CONTROL_COMMIT)
        sluice_mpi_line_committed(wave);
    if (kind == SLUICE_CONTROL_PLEASE)
        please(wave, bytes, length);
    else if (kind == SLUICE_CONTROL_END)
        sluice_mpi_may_end = true;
    else if (kind == SLUICE_CONTROL_GIVE_UP && wave >= sluice_mpi_wave)
        sluice_mpi_wave_ends();
    else if (wave != sluice_mpi_wave)
        return;
    else
        pass_on(kind, bytes, length);
}

void sluice_mpi_put_marker(struct sluice_mpi_bytes *bytes)
{
    sluice_mpi_freed_end(); /* others may have dropped the counts of such a communicator */
    sluice_mpi_line_taken(sluice_mpi_wave);
    sluice_mpi_bytes_put_i32(bytes, sluice_mpi_rank);
    sluice_mpi_bytes_put_i32(bytes, 0);
    sluice_mpi_counts_put(bytes, &sluice_mpi_sent);
    sluice_mpi_counts_put(bytes, &sluice_mpi_got);
    sluice_mpi_put_collectives(bytes);
    size_t count;
    struct sluice_mpi_handle **open = sluice_mpi_open_receives(&count);
    sluice_mpi_bytes_put_i64(bytes, (int64_t)count);
    for (size_t i = 0; i < count; i++) {
        const struct sluice_mpi_handle *one = open[i];
        sluice_mpi_bytes_put_i64(bytes, one->number);
        sluice_mpi_bytes_put_i64(bytes, one->comm->id);
        sluice_mpi_bytes_put_i32(bytes,
                                 one->peer == MPI_ANY_SOURCE ? -1 : one->comm->world[one->peer]);
        sluice_mpi_bytes_put_i32(bytes, one->tag == MPI_ANY_TAG ? -1 : one->tag);
    }
    free(open);
}

void sluice_mpi_get_late(struct sluice_mpi_reader *reader, struct sluice_mpi_counts *late)
{
    sluice_mpi_counts_clear(late);
    sluice_mpi_counts_read(reader, late);
}

void sluice_mpi_look_at_all(void)
{
    for (struct sluice_mpi_handle *one = sluice_mpi_handles; one != NULL; one = one->next)
        sluice_mpi_handle_look(one);
    sluice_mpi_drained_all();
}
