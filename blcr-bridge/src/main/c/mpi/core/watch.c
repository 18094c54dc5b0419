#include "watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/param.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "layer.h"
#include "protocol.h"
#include "rehearsal.h"
#include "stream.h"
#include "wrappers/abort_reason.h"

#define TIMES 10
#define LEAST INT64_C(3000000000) /* ns; a busy machine causes some pauses */
#define LOOK 50000000

static int64_t first_at; /* time of this process's first spot, and the spots before it */
static int64_t first_spots;
static bool ended;

static int64_t from; /* the wave */
static int64_t usual_nanos;

int64_t sluice_mpi_watch_usual(void)
{
    const int64_t spots = sluice_mpi.spots - first_spots;
    return first_at == 0 || spots <= 0 ? 0 : (sluice_clock() - first_at) / spots;
}

void sluice_mpi_watch_first(void)
{
    first_at = sluice_clock();
    first_spots = sluice_mpi.spots;
}

static size_t compose(char *line, size_t capacity, double seconds)
{
    return (size_t)snprintf(
        line, capacity,
        "sluice: rank 0: no sluice_potential_checkpoint() for %.1f s since the restart from "
        "checkpoint %lld, where one came each %.3g s before: loop state that is not protected "
        "may do that, such as SAVE or static locals and counters; %s\n",
        seconds, (long long)from, (double)usual_nanos / 1e9,
        sluice_mpi.rehearsing ? "the rehearsal ends" : "sluice mpi --rehearse finds out which");
}

/*
 * Says that the program does not come to a spot. In a rehearsal that ends the job, unless another
 * rank ends it.
 */
static void say(double seconds)
{
    char line[600];
    const size_t length = compose(line, sizeof line, seconds);
    if (!sluice_mpi.rehearsing)
        (void)!write(STDERR_FILENO, line, length);
    else if (sluice_mpi_say_last(line, length))
        _exit(SLUICE_MPI_REFUSED);
}

static int64_t spots_now(void)
{
    return __atomic_load_n(&sluice_mpi.spots, __ATOMIC_RELAXED);
}

/* Watches the spots; in a rehearsal, until that is over. */
static void *watch(void *argument)
{
    (void)argument;
    int64_t most = MAX(TIMES * usual_nanos, LEAST);
    if (sluice_mpi.rehearsing)
        most = MAX(most, (int64_t)(sluice_mpi.patience * 1e9));
    int64_t spots = spots_now();
    int64_t since = sluice_clock();
    while (!__atomic_load_n(&ended, __ATOMIC_RELAXED)) {
        nanosleep(&(struct timespec){.tv_nsec = LOOK}, NULL);
        const int64_t now = sluice_clock();
        if (spots_now() != spots) {
            if (!sluice_mpi.rehearsing)
                break;
            spots = spots_now();
            since = now;
        } else if (now - since > most) {
            say((double)(now - since) / 1e9);
            break;
        }
    }
    return NULL;
}

void sluice_mpi_watch_begin(int64_t wave, int64_t usual)
{
    sigset_t all;
    sigset_t former;
    pthread_t thread;
    sluice_mpi_watch_first();
    from = wave;
    usual_nanos = usual;
    if (sluice_mpi.rank != 0 || usual <= 0)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &former); /* handlers are for the program's own threads */
    if (pthread_create(&thread, NULL, watch, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &former, NULL);
}

void sluice_mpi_watch_end(void)
{
    __atomic_store_n(&ended, true, __ATOMIC_RELAXED);
}
