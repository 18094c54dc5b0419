/*
 * The choice between copy and fork. A copy costs the time in which the rank copies. A fork costs
 * its own time, and more later: the child has a processor, and each page that the program writes to
 * meanwhile is copied. So its cost is the time from the fork to the first spot after the child's
 * end, less the usual time of so many spots. The cost includes that of other ranks' children to
 * this one.
 *
 * `auto` takes each way in turn, twice, and compares the lesser costs of both, since other
 * disturbances of a rank make them greater. Every 16 waves it tries the other way again.
 */
#include "snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "changes.h"
#include "child.h"
#include "clock.h"
#include "control.h"
#include "failure.h"
#include "inherit.h"
#include "layer.h"
#include "protocol.h"
#include "regions.h"
#include "wrappers/real.h"

#define AGAIN 16

enum way { COPY, FORK };

/* The costs of a way, the last two in nanoseconds; INT64_MAX: unknown. */
struct costs {
    int64_t last[2];
    int64_t tries;
};

static enum { BY_COPY, BY_FORK, AUTO } mode;
static struct costs costs[2] = {{{INT64_MAX, INT64_MAX}, 0}, {{INT64_MAX, INT64_MAX}, 0}};
static struct sluice_mpi_child child = {.pipe = -1};
static int result; /* of the last snapshot. 1: in the image; 0: not yet; -1: never */
static enum way taken;
static bool tried;  /* the dearer way, or one of the first tries: to learn its cost */
static bool cannot; /* a child failed */

/* The costs of both ways at the time of the choice, which are reported. */
static int64_t known[2];

/* The time when the program was last left alone, and its spots at that time. */
static int64_t calm_since;
static int64_t calm_spots;

/* The fork that is watched. */
static int64_t forked_at;
static int64_t forked_spots;
static double spot_nanos;

struct work {
    int64_t wave;
    const struct sluice_mpi_bytes *begin;
};

void sluice_mpi_snapshot_begin(void)
{
    const char *name = getenv("SLUICE_MPI_SNAPSHOT");
    sluice_mpi_changes_begin();
    mode = name == NULL || strcmp(name, "auto") == 0 ? AUTO
        : strcmp(name, "fork") == 0                  ? BY_FORK
                                                     : BY_COPY;
}

/* ---- the choice ---- */

static int64_t least(enum way way)
{
    return MIN(costs[way].last[0], costs[way].last[1]);
}

static bool has_learned(void)
{
    return costs[COPY].tries >= 2 && costs[FORK].tries >= 2;
}

static enum way choose(void)
{
    tried = false;
    if (mode != AUTO)
        return mode == BY_FORK ? FORK : COPY;
    if (cannot)
        return COPY;
    tried = true;
    if (!has_learned())
        return costs[COPY].tries <= costs[FORK].tries ? COPY : FORK;
    const enum way better = least(FORK) < least(COPY) ? FORK : COPY;
    const int64_t waves = costs[COPY].tries + costs[FORK].tries;
    tried = waves % AGAIN == 0;
    return !tried ? better : better == COPY ? FORK : COPY;
}

static void learn(enum way way, int64_t nanos)
{
    costs[way].last[1] = costs[way].last[0];
    costs[way].last[0] = MAX(nanos, 1);
}

static void be_calm(int64_t now)
{
    calm_since = now;
    calm_spots = sluice_mpi.spots;
}

static void watch(int64_t began)
{
    const int64_t spots = sluice_mpi.spots - calm_spots;
    spot_nanos = spots > 0 && calm_since > 0 ? (double)(began - calm_since) / (double)spots : 0;
    forked_at = began;
    forked_spots = sluice_mpi.spots;
    sluice_mpi.snapshot_watches = true;
}

void sluice_mpi_snapshot_spot(void)
{
    if (sluice_mpi_child_is_there(&child))
        return;
    const int64_t now = sluice_clock();
    const double usual = (double)(sluice_mpi.spots - forked_spots) * spot_nanos;
    if (spot_nanos > 0 && result == 1)
        learn(FORK, now - forked_at - (int64_t)usual);
    sluice_mpi.snapshot_watches = false;
    be_calm(now);
}

/* ---- taking a snapshot ---- */

#define NOT_INHERITED "protected memory is shared, or left out of forks"

static int write_in_child(void *argument, char *why)
{
    const struct work *work = argument;
    if (!sluice_mpi_inherited()) {
        strcpy(why, NOT_INHERITED ": use --snapshot copy");
        return -EINVAL;
    }
    int error = sluice_mpi_state_write(work->wave, work->begin, true);
    if (error == 0)
        error = sluice_session_close(sluice_mpi.session);
    if (error != 0)
        strncpy(why, sluice_message(), SLUICE_MPI_CHILD_SAYS - 1);
    return error;
}

/*
 * Returns an error if memory cannot be read: a signal would end the rank in the middle of the copy.
 */
static int check_readable(void)
{
    const struct sluice_mpi_region *region = sluice_mpi_region_unreadable();
    return region == NULL ? 0
                          : sluice_failure(EFAULT,
                                           "the memory of the region with id %d cannot be read: "
                                           "protect what the program uses",
                                           region->id);
}

static int copy(const struct work *work, int64_t began)
{
    int error = check_readable();
    if (error == 0)
        error = sluice_mpi_state_write(work->wave, work->begin, false);
    result = error == 0 ? 1 : 0;
    const int64_t now = sluice_clock();
    if (error == 0)
        learn(COPY, now - began);
    be_calm(now);
    return error;
}

/* Returns NULL, or why there is none. */
static const char *start_child(struct work *work, int64_t began)
{
    if (!sluice_mpi_inherits())
        return NOT_INHERITED;
    const int error = sluice_mpi_child_begin(&child, write_in_child, work);
    if (error != 0)
        return strerror(-error);
    result = 0;
    watch(began);
    return NULL;
}

static void say_that_it_cannot(const char *why)
{
    if (!cannot)
        sluice_mpi_say("no snapshots by fork: %s", why);
    cannot = true;
}

int sluice_mpi_snapshot_take(int64_t wave, const struct sluice_mpi_place *place,
                             const struct sluice_mpi_bytes *own)
{
    struct sluice_mpi_bytes begin = {0};
    struct work work = {wave, &begin};
    const int64_t began = sluice_clock();
    const char *why = NULL;
    int error = 0;
    sluice_mpi_snapshot_end();
    sluice_mpi_changes_expect(wave);
    sluice_mpi_state_begin(wave, place, own, &begin);
    taken = choose();
    known[COPY] = least(COPY);
    known[FORK] = least(FORK);
    costs[taken].tries++;
    if (taken == FORK)
        why = start_child(&work, began);
    if (why != NULL) {
        say_that_it_cannot(why);
        taken = COPY;
        tried = false;
    }
    if (taken == COPY)
        error = copy(&work, began);
    sluice_mpi_bytes_free(&begin);
    return error;
}

int sluice_mpi_snapshot_look(const char **why)
{
    if (sluice_mpi_child_is_there(&child)) {
        result = sluice_mpi_child_look(&child);
        if (result < 0 && mode == AUTO)
            say_that_it_cannot(child.why);
    }
    *why = child.why;
    return result;
}

bool sluice_mpi_snapshot_is_under_way(void)
{
    return sluice_mpi_child_is_there(&child);
}

void sluice_mpi_snapshot_end(void)
{
    sluice_mpi_child_end(&child);
}

void sluice_mpi_snapshot_tell(int64_t bytes, int64_t held, int64_t reused, int64_t late)
{
    const bool both = known[COPY] != INT64_MAX && known[FORK] != INT64_MAX;
    const int64_t said[8] = {
        bytes,  held, taken == FORK, both ? known[COPY] : 0, both ? known[FORK] : 0,
        reused, late, tried};
    sluice_mpi_tell(SLUICE_CONTROL_TAKEN, sluice_mpi.wave, said, sizeof said);
}
