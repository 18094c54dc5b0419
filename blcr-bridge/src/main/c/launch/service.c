#include "service.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agreement.h"
#include "client.h"
#include "clock.h"
#include "command.h"
#include "profile.h"
#include "server.h"
#include "start.h"
#include "status.h"
#include "stopping.h"

/*
 * Times in milliseconds. A rank that starts an I/O process gives up before the ranks that wait for
 * it.
 */
#define PATIENCE 30000
#define START_PATIENCE (SLUICE_LAUNCH_START_MOST + PATIENCE)
#define NAP 5
#define LOCK_PATIENCE 1000

/* The vain attempts to resume an I/O process that no command has used yet. */
#define MOST_FAILURES 3

/*
 * The pause after a vain start, in milliseconds. The pause doubles each time, until is_patient()
 * gives up.
 */
#define FIRST_PAUSE 100
#define LONGEST_PAUSE 5000

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = NAP * 1000000}, NULL);
}

/*
 * Returns whether the directory is this user's alone. Another user who had made it would get the
 * ranks' data.
 */
static bool is_private(const char *directory)
{
    struct stat found;
    return lstat(directory, &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == getuid()
        && (found.st_mode & 0777) == 0700;
}

/* Names the directory of the I/O process, absolute, and creates those above it. */
static void name_directory(struct sluice_launch_service *service)
{
    char base[512];
    char absolute[PATH_MAX];
    const char *runtime = getenv("SLUICE_RUNTIME");
    if (runtime != NULL && *runtime != 0)
        snprintf(base, sizeof base, "%s", runtime);
    else
        snprintf(base, sizeof base, "/dev/shm/sluice-%u", (unsigned)getuid());
    if ((mkdir(base, 0700) != 0 && errno != EEXIST) || realpath(base, absolute) == NULL) {
        sluice_launch_fail(sluice_launch_status(-errno), "cannot create %s: %m; set SLUICE_RUNTIME",
                           base);
    }
    if (!is_private(base)) {
        sluice_launch_fail(SLUICE_STATUS_DENIED,
                           "%s is not a directory of yours with mode 0700; remove it or set "
                           "SLUICE_RUNTIME",
                           base);
    }
    snprintf(service->directory, sizeof service->directory, "%s/%s", absolute,
             service->options->name);
    snprintf(service->start_file, sizeof service->start_file, "%s.start", service->directory);
}

/*
 * Returns whether the locked file still has its name. A rank that leaves removes the file, so a
 * lock taken meanwhile locks nothing.
 */
static bool still_there(int fd, const struct sluice_launch_service *service)
{
    struct stat opened;
    struct stat named;
    return fstat(fd, &opened) == 0 && stat(service->start_file, &named) == 0
        && opened.st_ino == named.st_ino;
}

/*
 * Takes the lock that guards the start of an I/O process, on a file beside its directory. A rank
 * that starts one in vain leaves the exit status in the file, for those that waited. A rank that
 * did not wait empties the file. -EWOULDBLOCK: another rank has the lock.
 */
static int try_lock_start_file(const struct sluice_launch_service *service, bool waited)
{
    const int fd = open(service->start_file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    int error = -EWOULDBLOCK;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && still_there(fd, service)) {
        if (waited || ftruncate(fd, 0) == 0)
            return fd;
        error = -errno;
    }
    close(fd);
    return error;
}

static int lock_start_file(const struct sluice_launch_service *service)
{
    for (int waited = 0; waited < START_PATIENCE; waited += NAP) {
        const int fd = try_lock_start_file(service, waited > 0);
        if (fd >= 0)
            return fd;
        if (fd != -EWOULDBLOCK) {
            sluice_launch_fail(sluice_launch_status(fd), "cannot open %s: %s", service->start_file,
                               strerror(-fd));
        }
        nap();
    }
    sluice_launch_fail(
        SLUICE_STATUS_FAILED,
        "the I/O process for %s is still being started by another rank after %d s; try "
        "again, or --name another",
        service->directory, START_PATIENCE / 1000);
}

static void remove_start_file(const struct sluice_launch_service *service)
{
    const int fd = open(service->start_file, O_RDWR | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && still_there(fd, service))
        unlink(service->start_file);
    if (fd >= 0)
        close(fd);
}

/* Runs the command without Sluice, for SLUICE_LAUNCH_SLOW. Does not return. */
static void run_plainly(const struct sluice_launch_service *service)
{
    sluice_launch_say("the command runs without Sluice: its files are plain, and none of its "
                      "checkpoints are in the store");
    exit(sluice_launch_command_run(service->options->command, &(struct sluice_launch_ears){0}));
}

static void end_with(const struct sluice_launch_service *service, int status)
{
    if (status == SLUICE_LAUNCH_SLOW)
        run_plainly(service);
    exit(status);
}

/* Ends like the rank that failed to start the I/O process while this rank was waiting. */
static void heed_failure(int fd, const struct sluice_launch_service *service)
{
    unsigned char status;
    if (pread(fd, &status, 1, 0) != 1)
        return;
    close(fd);
    end_with(service, status);
}

static int start_server(struct sluice_launch_service *service, bool resumes)
{
    return sluice_launch_server_start(service->options, service->environment, resumes,
                                      &service->server);
}

static void start(int fd, struct sluice_launch_service *service)
{
    const int status = start_server(service, false);
    if (status == 0)
        return;
    const unsigned char left = (unsigned char)status;
    if (pwrite(fd, &left, 1, 0) != 1)
        sluice_launch_say("cannot tell the other ranks in %s: %m", service->start_file);
    close(fd);
    end_with(service, status);
}

/*
 * Returns whether there is a journal, as a killed I/O process leaves it. An I/O process that ends
 * removes its journal before it releases its lock.
 */
static bool has_journal(const struct sluice_launch_service *service)
{
    char path[PATH_MAX + 300];
    snprintf(path, sizeof path, "%s/journal", service->directory);
    return access(path, F_OK) == 0;
}

/*
 * Returns whether the I/O process was killed: its lock is free and its journal is there. The caller
 * holds the start file's lock. So nobody who starts an I/O process finds the lock taken by this
 * check.
 */
static bool was_killed(const struct sluice_launch_service *service)
{
    char path[PATH_MAX + 300];
    snprintf(path, sizeof path, "%s/lock", service->directory);
    const int lock = open(path, O_RDWR | O_CLOEXEC);
    const bool killed = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0 && has_journal(service);
    if (lock >= 0)
        close(lock);
    return killed;
}

static void note_outcome(struct sluice_launch_service *service, int status)
{
    int64_t pause = FIRST_PAUSE;
    for (int i = 0; i < service->failures && pause < LONGEST_PAUSE; i++)
        pause *= 2;
    service->failures = status == 0 ? 0 : service->failures + 1;
    service->next_try = status == 0 ? 0 : sluice_clock_ms() + pause;
}

/* Resumes an I/O process that was killed. The caller holds the start file's lock. */
static void resume(struct sluice_launch_service *service)
{
    sluice_launch_say("the I/O process %s was killed and is resumed", service->options->name);
    if (service->server != 0)
        waitpid(service->server, NULL, 0);
    note_outcome(service, start_server(service, true));
}

/*
 * Resumes the I/O process if this is the first rank of the node to notice; other ranks wait for the
 * socket.
 */
static bool revive(void *argument)
{
    struct sluice_launch_service *service = argument;
    const bool early = sluice_clock_ms() < service->next_try;
    const int fd = early ? -1 : try_lock_start_file(service, false);
    if (fd < 0)
        return true;
    if (was_killed(service))
        resume(service);
    close(fd);
    return true;
}

/*
 * Tells a resumed I/O process that the job is to stop, and since when. The last signal began the
 * stop if the first one's time was over.
 */
static void pass_on(struct sluice_connection *connection,
                    const struct sluice_launch_service *service)
{
    for (int i = 0; i < 2; i++) {
        const int64_t when = service->stopping[i];
        if (when != 0) {
            const struct sluice_request_preempt preempt = {1 + (int)(sluice_clock_ms() - when)};
            sluice_connection_tell(connection, SLUICE_REQUEST_PREEMPT, SLUICE_BODY(preempt));
        }
    }
}

static int greet(struct sluice_connection *connection, void *argument)
{
    const struct sluice_launch_service *service = argument;
    const struct sluice_request_join join = {SLUICE_HEADER_VERSION};
    const int error = sluice_connection_exchange(
        connection, SLUICE_REQUEST_JOIN, SLUICE_BODY_AND(join, service->options->store), NULL);
    if (error == 0)
        pass_on(connection, service);
    return error;
}

/* Joins the I/O process if there is one that is not about to end. */
static int try_join(struct sluice_launch_service *service)
{
    int error = sluice_connection_open(service->directory, 0, &service->connection);
    if (error != 0)
        return error;
    error = greet(&service->connection, service);
    if (error != 0)
        sluice_connection_close(&service->connection);
    else
        sluice_connection_greet(&service->connection, greet, revive, service);
    return error;
}

static int join_running(struct sluice_launch_service *service)
{
    int error = try_join(service);
    for (int waited = 0; error == -EPIPE && waited < PATIENCE; waited += NAP) {
        nap();
        error = try_join(service);
    }
    return error;
}

/* Waits a moment for the I/O process's lock, which is released after its socket. */
static bool turns_out_killed(const struct sluice_launch_service *service)
{
    bool killed = was_killed(service);
    for (int waited = 0; waited < LOCK_PATIENCE && !killed; waited += NAP) {
        nap();
        killed = was_killed(service);
    }
    return killed;
}

/*
 * Joins the I/O process that this process has started, and resumes it if it is killed before the
 * command begins.
 */
static int join_started(struct sluice_launch_service *service)
{
    int error = try_join(service);
    while (error != 0 && service->failures < MOST_FAILURES && turns_out_killed(service)) {
        resume(service);
        error = try_join(service);
    }
    return error;
}

static char **copy_environment(void)
{
    size_t count = 1;
    while (environ[count - 1] != NULL)
        count++;
    char **copy = malloc(count * sizeof *copy);
    if (copy == NULL)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "no memory");
    return memcpy(copy, environ, count * sizeof *copy);
}

static void begin(struct sluice_launch_service *service,
                  const struct sluice_launch_options *options)
{
    sluice_launch_inherited_note(&service->inherited, options->capture);
    if (options->profile != NULL)
        sluice_launch_profile(options->profile);
    service->options = options;
    service->environment = copy_environment();
    name_directory(service);
}

static void heed(int error)
{
    if (error != 0)
        sluice_launch_fail(sluice_launch_status(error), "%s", sluice_failure_message());
}

/*
 * Leaves a session whose options differ, as a rank whose command went well, and ends the process.
 */
static void agree(struct sluice_launch_service *service, bool strict)
{
    const struct sluice_request_leave request = {0};
    if (sluice_launch_agreement_holds(service->connection.socket, service->options, strict))
        return;
    sluice_connection_request(&service->connection, SLUICE_REQUEST_LEAVE, SLUICE_BODY(request),
                              NULL);
    exit(SLUICE_STATUS_BUSY);
}

void sluice_launch_service_start(struct sluice_launch_service *service,
                                 const struct sluice_launch_options *options)
{
    begin(service, options);
    const int error = join_running(service);
    if (error != -ENOENT && error != -ECONNREFUSED) {
        heed(error);
        agree(service, false);
        return;
    }
    service->alone = true;
    const int status = start_server(service, false);
    if (status != 0)
        end_with(service, status);
    heed(join_started(service));
}

void sluice_launch_service_join(struct sluice_launch_service *service,
                                const struct sluice_launch_options *options)
{
    begin(service, options);
    const int fd = lock_start_file(service);
    int error = join_running(service);
    if (error == -ENOENT || error == -ECONNREFUSED) {
        heed_failure(fd, service);
        start(fd, service);
        error = join_started(service);
    } else if (error == 0) {
        agree(service, true);
    }
    close(fd);
    heed(error);
}

/*
 * Says that only the wait is over: as long as the directory is there, another I/O process can go
 * on.
 */
static void tell_what_is_kept(struct sluice_launch_service *service)
{
    if (!service->told && has_journal(service)) {
        service->told = true;
        sluice_launch_say("what was not drained is kept: bash '%s/resume' brings it to storage",
                          service->directory);
    }
}

/* Watches the I/O process; ends when it has ended, or is gone for good. */
static void *watch_io_process(void *argument)
{
    struct sluice_launch_service *service = argument;
    int error = 0;
    while (error == 0) {
        struct pollfd hangup = {.fd = service->connection.socket, .events = POLLRDHUP};
        if (poll(&hangup, 1, -1) > 0)
            error = sluice_connection_check(&service->connection);
    }
    tell_what_is_kept(service);
    return NULL;
}

void sluice_launch_service_watch(struct sluice_launch_service *service)
{
    sigset_t all;
    sigset_t former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    const int error = pthread_create(&service->watcher, NULL, watch_io_process, service);
    service->watched = error == 0;
    if (error != 0)
        sluice_launch_say("nobody watches the I/O process: %s", strerror(error));
    pthread_sigmask(SIG_SETMASK, &former, NULL);
}

/*
 * Ends the watch: the I/O process may end from here on. A rank that sends a request still resumes a
 * killed one.
 */
static void end_watch(const struct sluice_launch_service *service)
{
    if (service->watched) {
        pthread_cancel(service->watcher);
        pthread_join(service->watcher, NULL);
    }
}

/* Waits until the I/O process is gone, so that another one can go on with what it kept. */
static void await_hangup(const struct sluice_launch_service *service)
{
    struct pollfd hangup = {.fd = service->connection.socket, .events = POLLRDHUP};
    poll(&hangup, 1, PATIENCE);
    if (service->alone)
        waitpid(service->server, NULL, 0);
}

/* Returns 0, or the exit status for the I/O process's failure. */
static int leave(struct sluice_launch_service *service, int status)
{
    const struct sluice_request_leave request = {status};
    sluice_launch_stopping_heed(service);
    const int error = sluice_connection_request(&service->connection, SLUICE_REQUEST_LEAVE,
                                                SLUICE_BODY(request), NULL);
    if (error == -ETIMEDOUT) {
        await_hangup(service);
        tell_what_is_kept(service);
        return SLUICE_STATUS_PREEMPTED;
    }
    if (error != 0) {
        if (!service->connection.lost || !service->told) /* else that was said */
            sluice_launch_say("%s", sluice_failure_message());
        return sluice_launch_status(error);
    }
    return service->alone ? sluice_launch_server_await(service->server) : 0;
}

int sluice_launch_service_leave(struct sluice_launch_service *service, int status)
{
    end_watch(service);
    const int failure = leave(service, status);
    remove_start_file(service);
    return failure;
}

int sluice_launch_service_use(struct sluice_launch_service *service)
{
    sluice_launch_capture(service->directory, service->options->capture);
    sluice_launch_service_watch(service);
    const struct sluice_launch_ears ears = {.heard = sluice_launch_stopping_begin,
                                            .argument = service,
                                            .launcher = service->options->restarts};
    const int status = sluice_launch_command_run(service->options->command, &ears);
    const int failure = sluice_launch_service_leave(service, status);
    sluice_launch_inherited_tell(&service->inherited);
    return status == 0 || failure == SLUICE_STATUS_PREEMPTED ? failure : status;
}
