/* Linked to MPI programs of tests: ranks that wait for messages rest instead of spinning, for tests share few cores.
 * Open MPI yields between two looks for messages; MPICH only looks. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <time.h>

enum { LOOKS = 100 };

unsigned ucp_worker_progress(void *worker);
void *ucp_disconnect_nb(void *endpoint);

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

int sched_yield(void)
{
    rest();
    return 0;
}

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*look)(void *);
    static int in_vain;
    if (look == NULL)
        *(void **)&look = dlsym(RTLD_NEXT, "ucp_worker_progress");
    const unsigned events = look(worker);
    in_vain = events > 0 ? 0 : in_vain + 1;
    if (in_vain > LOOKS)
        rest();
    return events;
}

/*
 * In MPI_Finalize MPICH 4.0 waits until each connection of a rank has ended. Ranks whose have ended wait in a barrier
 * of the launcher's meanwhile, and answer nobody. So every other job of four ranks over TCP hangs, without Sluice as
 * well. Here nothing is waited for: connections end with the worker, behind the barrier.
 */
void *ucp_disconnect_nb(void *endpoint)
{
    (void)endpoint;
    return NULL;
}
