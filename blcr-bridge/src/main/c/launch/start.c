#include "start.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "status.h"

/*
 * Times in milliseconds. PATIENCE: for a start without progress. UNNEEDED: for a start that no
 * command needs. SILENCE: until the user is told.
 */
#define PATIENCE 30000
#define UNNEEDED 60000
#define SILENCE 10000

/*
 * The processor time, in milliseconds, that shows progress. A start that is stuck takes some, too.
 */
#define STEP 100

/* The time for an I/O process to remove its mount and end, in milliseconds. */
#define FAREWELL 10000
#define NAP 20

static int64_t most_of(bool needed)
{
    const char *told = getenv("SLUICE_START_PATIENCE");
    const int seconds = told == NULL ? 0 : atoi(told);
    if (needed)
        return SLUICE_LAUNCH_START_MOST;
    return seconds > 0 && seconds < SLUICE_LAUNCH_START_MOST / 1000 ? seconds * 1000 : UNNEEDED;
}

struct sluice_launch_start sluice_launch_start_of(const char *name, pid_t server, bool needed)
{
    const int64_t now = sluice_clock_ms();
    return (struct sluice_launch_start){
        .name = name, .server = server, .began = now, .most = most_of(needed), .got_on = now};
}

static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/* Returns whether the signal would end this process. An ignored one, as behind nohup, does not. */
static bool would_end(int signal)
{
    struct sigaction now;
    return sigaction(signal, NULL, &now) == 0 && now.sa_handler == SIG_DFL;
}

void sluice_launch_start_heed(struct sluice_launch_start *start)
{
    sigset_t signals;
    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (would_end(ends[i]))
            sigaddset(&signals, ends[i]);
    start->heeds = pthread_sigmask(SIG_BLOCK, &signals, &start->former) == 0;
}

bool sluice_launch_start_is_to_end(const struct sluice_launch_start *start)
{
    sigset_t pending;
    if (!start->heeds || sigpending(&pending) != 0)
        return false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (sigismember(&pending, ends[i]) == 1 && sigismember(&start->former, ends[i]) == 0)
            return true;
    return false;
}

void sluice_launch_start_leave(const struct sluice_launch_start *start)
{
    if (start->heeds)
        pthread_sigmask(SIG_SETMASK, &start->former, NULL);
}

static int64_t processor_time(pid_t process)
{
    clockid_t clock;
    return clock_getcpuclockid(process, &clock) != 0 ? 0 : sluice_clock_of(clock) / 1000000;
}

bool sluice_launch_start_goes_on(struct sluice_launch_start *start)
{
    const int64_t now = sluice_clock_ms();
    const int64_t taken = processor_time(start->server);
    if (taken - start->taken >= STEP) {
        start->taken = taken;
        start->got_on = now;
    }
    const bool silent = !start->told && start->waits[0] == 0; /* else it has told */
    if (silent && now - start->began >= SILENCE) {
        start->told = true;
        sluice_launch_say("waiting for the I/O process %s, which is not ready after %d s",
                          start->name, SILENCE / 1000);
    }
    return !sluice_launch_start_is_to_end(start) && now - start->got_on < PATIENCE
        && now - start->began < start->most;
}

bool sluice_launch_start_is_slow(const struct sluice_launch_start *start)
{
    const int64_t now = sluice_clock_ms();
    return start->waits[0] == 0 && now - start->got_on < PATIENCE
        && now - start->began >= start->most;
}

/*
 * Takes a line with this beginning out of a text, and copies its rest. False when there is no whole
 * one.
 */
static bool take_line(char *text, const char *begins, char *rest, size_t capacity)
{
    char *line = strstr(text, begins);
    char *end = line == NULL ? NULL : strchr(line + 1, '\n');
    if (end == NULL)
        return false;
    const char *said = line + strlen(begins);
    snprintf(rest, capacity, "%.*s", (int)(end - said), said);
    memmove(line, end, strlen(end) + 1);
    return true;
}

void sluice_launch_start_heard(struct sluice_launch_start *start, char *text)
{
    char nothing[2];
    start->got_on = sluice_clock_ms();
    while (take_line(text, "\nwaits: ", start->waits, sizeof start->waits)) {
    }
    start->begun |= take_line(text, "\nbegins:", nothing, sizeof nothing);
}

bool sluice_launch_start_forestall(struct sluice_launch_start *start, int fd)
{
    char text[512] = "\n";
    siginfo_t change = {0};
    kill(start->server, SIGSTOP);
    waitid(P_PID, (id_t)start->server, &change, WSTOPPED | WEXITED | WNOWAIT);
    struct pollfd input = {.fd = fd, .events = POLLIN};
    const ssize_t got = poll(&input, 1, 0) > 0 ? read(fd, text + 1, sizeof text - 2) : 0;
    text[got > 0 ? got + 1 : 1] = 0;
    sluice_launch_start_heard(start, text);
    if (!start->begun)
        kill(start->server, SIGKILL);
    kill(start->server, SIGCONT);
    return !start->begun;
}

/* Returns whether a thread of a process is in a state of /proc/PID/stat. */
static bool has_thread_in(pid_t process, char state)
{
    char path[64];
    char line[512];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *tasks = opendir(path);
    for (const struct dirent *task; !found && tasks != NULL && (task = readdir(tasks)) != NULL;) {
        snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", process, task->d_name);
        FILE *stat = fopen(path, "re");
        const bool read = stat != NULL && fgets(line, sizeof line, stat) != NULL;
        const char *name_end = read ? strrchr(line, ')') : NULL;
        found = name_end != NULL && strlen(name_end) > 2 && name_end[2] == state;
        if (stat != NULL)
            fclose(stat);
    }
    if (tasks != NULL)
        closedir(tasks);
    return found;
}

/* Describes why the start makes no progress, and what a user can do. */
static void describe(const struct sluice_launch_start *start, char *text, size_t capacity)
{
    if (start->waits[0] != 0) {
        snprintf(text, capacity, "it waits for %s, which does not answer; look at the network",
                 start->waits);
    } else if (has_thread_in(start->server, 'T')) {
        snprintf(text, capacity, "a signal has stopped it; try again");
    } else if (has_thread_in(start->server, 'D')) {
        snprintf(text, capacity,
                 "a file system does not answer it; look at those of the store and of --capture");
    } else if (sluice_launch_start_is_slow(start)) {
        snprintf(text, capacity, "it got on, though slowly, as on a busy machine");
    } else {
        snprintf(text, capacity, "it did nothing for %d s; try again", PATIENCE / 1000);
    }
}

static bool has_ended(pid_t process)
{
    siginfo_t end = {0};
    return waitid(P_PID, (id_t)process, &end, WEXITED | WNOHANG | WNOWAIT) != 0 || end.si_pid != 0;
}

void sluice_launch_start_stop(const struct sluice_launch_start *start, bool keeps)
{
    char why[400];
    describe(start, why, sizeof why);
    if (!keeps)
        kill(start->server, SIGTERM);
    for (int waited = 0; !keeps && waited < FAREWELL && !has_ended(start->server); waited += NAP)
        poll(NULL, 0, NAP);
    kill(start->server, SIGKILL);
    if (sluice_launch_start_is_to_end(start))
        return;
    sluice_launch_say("the I/O process %s was not ready after %d s and was ended: %s", start->name,
                      (int)((sluice_clock_ms() - start->began) / 1000), why);
}
