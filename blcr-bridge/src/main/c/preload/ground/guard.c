#include "guard.h"

_Thread_local struct sluice_guard sluice_guard;

/* Delivers the waiting signals. No signal is put off meanwhile. */
void sluice_guard_deliver(void)
{
    const sigset_t waiting = sluice_guard.waiting;
    sigemptyset(&sluice_guard.waiting);
    sluice_guard.deferred = false;
    pthread_sigmask(SIG_UNBLOCK, &waiting, NULL);
}
