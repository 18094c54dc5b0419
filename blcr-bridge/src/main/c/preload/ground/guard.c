#include "guard.h"

_Thread_local struct sluice_guard sluice_guard;

bool sluice_guard_left_behind(void)
{
    sluice_presence_look();
    if (sluice_presence_counts(sluice_guard.life) || !sluice_presence_wrote())
        return false;
    sluice_guard.depth = 0;
    sluice_guard.held = 0;
    pthread_setcancelstate(sluice_guard.cancellation, NULL);
    return true;
}

/* Delivers the waiting signals. No signal is put off meanwhile. */
void sluice_guard_deliver(void)
{
    const sigset_t waiting = sluice_guard.waiting;
    sigemptyset(&sluice_guard.waiting);
    sluice_guard.deferred = false;
    pthread_sigmask(SIG_UNBLOCK, &waiting, NULL);
}
