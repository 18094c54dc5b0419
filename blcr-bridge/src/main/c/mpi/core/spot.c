/* The begin and the end of the layer in a process, and the program's calls to it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "clock.h"
#include "compare.h"
#include "control.h"
#include "differs.h"
#include "handle.h"
#include "launcher.h"
#include "layer.h"
#include "open_requests.h"
#include "progress.h"
#include "protocol.h"
#include "regions.h"
#include "rehearsal.h"
#include "snapshot.h"
#include "stream.h"
#include "watch.h"
#include "wave.h"
#include "wrappers/real.h"
#include "wrappers/request.h"

#define DONE_NANOS INT64_C(2000000000)

static bool begun;       /* the first spot is behind this rank */
static int64_t early[2]; /* messages sent and received before it, of all ranks */
static MPI_Request checking;

/* Reads a whole number of the environment, independently of the program's locale. */
static int64_t number(const char *name, int64_t otherwise)
{
    const char *value = getenv(name);
    return value == NULL || *value == 0 ? otherwise : strtoll(value, NULL, 10);
}

/* Returns the number of the protocol with this name, which sluice mpi has checked; NULL: the usual one. */
static int protocol_named(const char *name)
{
    const struct sluice_mpi_protocol *const *one = sluice_mpi.protocols;
    while (name != NULL && *one != NULL && strcmp(name, (*one)->name) != 0)
        one++;
    return *one != NULL ? (*one)->number : SLUICE_CONTROL_AUTO;
}

static void read_environment(void)
{
    sluice_mpi.asked = protocol_named(getenv("SLUICE_MPI_PROTOCOL"));
    sluice_mpi.restored = number("SLUICE_MPI_RESTORE", -1);
    sluice_mpi.attempt = number("SLUICE_MPI_ATTEMPT", 0);
    sluice_mpi.every = number("SLUICE_MPI_EVERY", 0) * INT64_C(1000000);
    sluice_mpi.patience = (double)number("SLUICE_MPI_PATIENCE", 60000) / 1e3;
    sluice_mpi_snapshot_begin();
}

/*
 * Ends the job where ranks on other nodes may lack the layer: they would not come to its
 * collectives.
 */
static void need_all_ranks(void)
{
    int ranks;
    real.Comm_size(MPI_COMM_WORLD, &ranks);
    if (getenv("SLUICE_MPI_BESIDE") != NULL && sluice_launcher_local_ranks(ranks) != 0) {
        sluice_mpi_abort("the job has ranks on other nodes: put sluice run before the program, as "
                         "in mpirun -n %d sluice run -- ./app",
                         ranks);
    }
}

void call_init(void)
{
    MPI_Comm parent;
    sluice_mpi.protocols = sluice_mpi_protocols;
    sluice_mpi.protocol = sluice_mpi_protocols[0];
    checking = MPI_REQUEST_NULL;
    real.Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) /* of a job that goes on without checkpoints */
        return;
    read_environment();
    need_all_ranks();
    if (getenv("SLUICE_DIRECTORY") == NULL || !sluice_mpi_control_begin())
        return;
    sluice_mpi.restored = sluice_mpi_rehearsal_begin(sluice_mpi.restored);
    if (sluice_mpi_rehearsal_repeats())
        sluice_mpi.every = 0;
    sluice_mpi_on = true;
    if (sluice_mpi.rank == 0)
        sluice_mpi_hello(false);
}

void call_finalize(void)
{
    if (sluice_mpi.session == NULL)
        return;
    int64_t told = 0;
    sluice_mpi_watch_end();
    if (!begun && sluice_mpi.rank == 0) {
        sluice_mpi_say(
            "the program ends without a sluice_potential_checkpoint(): nothing of it could "
            "be checkpointed; see sluice_mpi.h");
    }
    for (unsigned round = 0; sluice_mpi_snapshot_is_under_way(); round++)
        sluice_mpi_wait(round);
    for (unsigned round = 0; !sluice_mpi.may_end; round++) {
        /* A resumed I/O process has not heard it. */
        if (sluice_clock() - told > DONE_NANOS) {
            told = sluice_clock();
            sluice_mpi_tell(SLUICE_CONTROL_DONE, 0, NULL, 0);
        }
        sluice_mpi_wait(round);
    }
    for (unsigned round = 0; sluice_mpi_rehearsal_is_ending(); round++)
        sluice_mpi_wait(round);
    sluice_mpi_differs_end();
    sluice_mpi_control_end();
}

int call_protect(int id, void *pointer, size_t bytes)
{
    return sluice_mpi_region_protect(id, pointer, bytes);
}

size_t call_protected_bytes(int id)
{
    return begun || sluice_mpi.restored < 0 || sluice_mpi.session == NULL
        ? 0
        : sluice_mpi_saved_bytes(sluice_mpi.restored, id);
}

/* Cancels receives that the program posted on its way: the checkpoint has its own. */
static void cancel_early(void)
{
    for (struct sluice_mpi_handle *one = sluice_mpi.handles; one != NULL;) {
        struct sluice_mpi_handle *next = one->next;
        if (one->active && one->real != MPI_REQUEST_NULL) {
            if (one->kind == SLUICE_MPI_RECEIVE)
                real.Cancel(&one->real);
            real.Wait(&one->real, MPI_STATUS_IGNORE);
            if (one->kind == SLUICE_MPI_COMMUNICATOR) {
                sluice_mpi.copying--;
                sluice_mpi_comm_done(one->comm);
            }
        }
        if (one->persistent) {
            one->active = false;
            one->complete = false;
        } else {
            sluice_mpi_handle_end(one);
        }
        one = next;
    }
}

/* Begins the counts here: at a restart the program does the same on its way here. */
static void begin_counts(void)
{
    const int64_t mine[2] = {sluice_mpi_counts_sum(&sluice_mpi.sent),
                             sluice_mpi_counts_sum(&sluice_mpi.got)};
    static int64_t sums[2];
    memcpy(sums, mine, sizeof sums);
    real.Iallreduce(sums, early, 2, MPI_INT64_T, MPI_SUM, sluice_mpi.control, &checking);
    sluice_mpi_counts_clear(&sluice_mpi.sent);
    sluice_mpi_counts_clear(&sluice_mpi.got);
    for (struct sluice_mpi_comm *comm = sluice_mpi_comms; comm != NULL; comm = comm->next)
        comm->collectives = 0;
    for (struct sluice_mpi_handle *one = sluice_mpi.handles; one != NULL; one = one->next)
        one->early = one->persistent;
    sluice_mpi.requests = 0;
    sluice_mpi_comms_late();
    begun = true;
}

/*
 * Returns whether all ranks have passed their first spots and no message was under way there.
 * Otherwise a line says what was.
 */
static bool is_checked(void)
{
    int flag = 1;
    if (checking != MPI_REQUEST_NULL)
        real.Test(&checking, &flag, MPI_STATUS_IGNORE);
    if (flag && early[0] != early[1]) {
        sluice_mpi_abort(
            "%lld messages were sent before the first sluice_potential_checkpoint() and %lld "
            "received: receive all before it",
            (long long)early[0], (long long)early[1]);
    }
    return flag;
}

/*
 * Waits for the check without a time limit: any limit shorter than all ranks' way to their first
 * spots would be wrong. Says so if it takes long, as in a program that breaks the rule.
 */
static void await_check(void)
{
    const int64_t began = sluice_clock();
    bool told = false;
    for (unsigned round = 0; !is_checked(); round++) {
        sluice_mpi_wait(round);
        if (!told && sluice_clock() - began > (int64_t)(sluice_mpi.patience * 1e9)) {
            sluice_mpi_say("waits for other ranks at the first sluice_potential_checkpoint() of a "
                           "restart; a rank must come there without messages of others");
            told = true;
        }
    }
}

/*
 * Replaces the former value of MPI_REQUEST_NULL in the regions. Requests keep their values, but
 * that one is an address under Open MPI, another in each process.
 */
static void take_null(int64_t former)
{
    const int64_t now = sluice_mpi_value(MPI_REQUEST_NULL);
    sluice_mpi.former_null = former;
    if (former != now)
        sluice_mpi_regions_replace(former, now);
}

static void restart(const struct sluice_mpi_place *place)
{
    cancel_early();
    begin_counts();
    await_check();
    struct sluice_mpi_bytes own = {0};
    const int of = sluice_mpi_read_state(sluice_mpi.restored, place, &own);
    sluice_mpi.protocol = sluice_mpi_protocol_of(of);
    struct sluice_mpi_reader reader = {own.data, own.data + own.length, false};
    sluice_mpi.spots = sluice_mpi_get_i64(&reader);
    take_null(sluice_mpi_get_i64(&reader));
    sluice_mpi.protocol->restart(sluice_mpi.restored);
    sluice_mpi_restore(&reader);
    const int64_t usual = sluice_mpi_get_i64(&reader);
    if (reader.damaged)
        sluice_mpi_unreadable(sluice_mpi.restored, "image state is damaged");
    sluice_mpi_rehearsal_restarted();
    sluice_mpi_watch_begin(sluice_mpi.restored, usual);
    sluice_mpi_bytes_free(&own);
    sluice_mpi_look_busy();
}

/*
 * Returns whether this is another place than the first. A restart begins at the first place that
 * the program comes to, so no line is taken elsewhere. A program that comes only to others is told
 * so.
 */
static bool is_elsewhere(const void *address)
{
    static const void *first;
    static int64_t reached; /* last wave that found this rank at the first place */
    static int64_t missed;  /* last wave that found it elsewhere, since then */
    static int64_t since;
    if (first == NULL)
        first = address;
    if (address == first) {
        reached = sluice_mpi.wave;
        return false;
    }
    sluice_mpi_poll_between();
    if (sluice_mpi.wave == 0 || sluice_mpi.wave == reached)
        return true;
    const int64_t now = sluice_clock();
    if (missed != sluice_mpi.wave) {
        missed = sluice_mpi.wave;
        since = now;
    } else if ((double)(now - since) > sluice_mpi.patience * 5e8) {
        sluice_mpi_refuse_wave(
            "it calls sluice_potential_checkpoint() at other places than the first, where a "
            "restart would begin: call it at one place of the program, such as its main loop; "
            "from Fortran, without -funroll-loops, which makes several of one");
    }
    return true;
}

int call_potential_checkpoint(const void *address)
{
    if (sluice_mpi.session == NULL || __builtin_expect(is_elsewhere(address), 0))
        return 0;
    struct sluice_mpi_place place = {.address = address};
    if (!begun && sluice_mpi.restored >= 0) {
        place.protocol = sluice_mpi.asked;
        restart(&place);
        return 1;
    }
    if (!begun) {
        begin_counts();
        sluice_mpi_watch_first();
    }
    if (__builtin_expect(checking != MPI_REQUEST_NULL, 0) && sluice_mpi.copying == 0)
        is_checked();
    sluice_mpi.spots++;
    sluice_mpi_rehearsal_spot();
    if (__builtin_expect(sluice_mpi.snapshot_watches, 0))
        sluice_mpi_snapshot_spot();
    sluice_mpi_look_between();
    if (sluice_mpi.wave != 0) {
        place.protocol = sluice_mpi.protocol->number; /* the wave's, known by now */
        sluice_mpi.protocol->spot(&place);
    }
    return 0;
}
