#include "start.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "clock.h"
#include "status.h"

/* In milliseconds: how long one is waited for that does not get on, and when a user is told. */
#define PATIENCE 30000
#define SILENCE 10000

/* So much processor time, in milliseconds, takes one that gets on. One that is stuck takes some, too. */
#define STEP 100

/* How long one has to remove its mount and end, in milliseconds. */
#define FAREWELL 10000
#define NAP 20

struct sluice_exec_start sluice_exec_start_of(const char *name, pid_t server)
{
    const int64_t now = sluice_clock_ms();
    return (struct sluice_exec_start){.name = name, .server = server, .began = now, .got_on = now};
}

static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/* Those that are ignored, as behind nohup, end nothing. */
static bool would_end(int signal)
{
    struct sigaction now;
    return sigaction(signal, NULL, &now) == 0 && now.sa_handler == SIG_DFL;
}

void sluice_exec_start_heed(struct sluice_exec_start *start)
{
    sigset_t signals;
    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (would_end(ends[i]))
            sigaddset(&signals, ends[i]);
    start->heeds = pthread_sigmask(SIG_BLOCK, &signals, &start->former) == 0;
}

bool sluice_exec_start_is_to_end(const struct sluice_exec_start *start)
{
    sigset_t pending;
    if (!start->heeds || sigpending(&pending) != 0)
        return false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (sigismember(&pending, ends[i]) == 1 && sigismember(&start->former, ends[i]) == 0)
            return true;
    return false;
}

void sluice_exec_start_leave(const struct sluice_exec_start *start)
{
    if (start->heeds)
        pthread_sigmask(SIG_SETMASK, &start->former, NULL);
}

static int64_t processor_time(pid_t process)
{
    clockid_t clock;
    return clock_getcpuclockid(process, &clock) != 0 ? 0 : sluice_clock_of(clock) / 1000000;
}

bool sluice_exec_start_goes_on(struct sluice_exec_start *start)
{
    const int64_t now = sluice_clock_ms();
    const int64_t taken = processor_time(start->server);
    if (taken - start->taken >= STEP) {
        start->taken = taken;
        start->got_on = now;
    }
    if (!start->told && now - start->began >= SILENCE) {
        start->told = true;
        sluice_exec_say("waiting for the I/O process %s, which is not ready after %d s",
                        start->name, SILENCE / 1000);
    }
    return !sluice_exec_start_is_to_end(start) && now - start->got_on < PATIENCE
        && now - start->began < SLUICE_EXEC_START_MOST;
}

static bool has_ended(pid_t process)
{
    siginfo_t end = {0};
    return waitid(P_PID, (id_t)process, &end, WEXITED | WNOHANG | WNOWAIT) != 0 || end.si_pid != 0;
}

void sluice_exec_start_stop(const struct sluice_exec_start *start, bool keeps)
{
    if (!keeps)
        kill(start->server, SIGTERM);
    for (int waited = 0; !keeps && waited < FAREWELL && !has_ended(start->server); waited += NAP)
        poll(NULL, 0, NAP);
    kill(start->server, SIGKILL);
    if (sluice_exec_start_is_to_end(start))
        return;
    sluice_exec_say("the I/O process %s was not ready after %d s and was stopped; try again",
                    start->name, (int)((sluice_clock_ms() - start->began) / 1000));
}
