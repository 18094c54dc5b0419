#include "every.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "program.h"
#include "result.h"
#include "status.h"
#include "writer.h"

/* Returns when each process to dump started. */
static long long *note_starts(const struct sluice_criu_options *options)
{
    long long *starts = calloc(options->tree_count, sizeof *starts);
    if (starts == NULL)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "no memory");
    for (size_t i = 0; i < options->tree_count; i++)
        starts[i] = sluice_criu_program_started(options->trees[i]);
    return starts;
}

/* Returns the first process to dump that has ended, NULL while all run. Its number may be another's. */
static const char *find_ended(const struct sluice_criu_options *options, const long long *starts)
{
    for (size_t i = 0; i < options->tree_count; i++)
        if (sluice_criu_program_started(options->trees[i]) != starts[i] || starts[i] < 0)
            return options->trees[i];
    return NULL;
}

/* Handles signals until a time, or the next one. */
static void await(struct sluice_writer *writer, int64_t until)
{
    const int64_t left = until - sluice_clock_ms();
    const int wait = left > SLUICE_WRITER_LOOK ? SLUICE_WRITER_LOOK : left > 0 ? (int)left : 0;
    struct pollfd polled = {.fd = writer->signals, .events = POLLIN};
    poll(&polled, 1, wait);
    sluice_writer_heed(writer);
}

/* Dumps once, in a process that a signal to this one reaches. Returns its exit status. */
static int dump_once(struct sluice_writer *writer, struct sluice_criu_options *options,
                     int (*dump)(struct sluice_criu_options *))
{
    const pid_t parent = getpid();
    const pid_t child = fork();
    int status = 0;
    if (child < 0)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "cannot start a dump: %m");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent)
            _exit(SLUICE_STATUS_FAILED);
        close(writer->signals);
        if (options->writer.json)
            sluice_result_promise();
        exit(dump(options));
    }
    writer->command = child;
    while (waitpid(child, &status, WNOHANG) != child)
        await(writer, INT64_MAX);
    writer->command = 0;
    return WIFSIGNALED(status) ? SLUICE_STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

int sluice_every(struct sluice_criu_options *options, int (*dump)(struct sluice_criu_options *))
{
    static struct sluice_writer writer;
    const char *ended = NULL;
    int status = 0;
    int64_t next;
    const long long *starts = note_starts(options);
    sluice_writer_enter(&writer, &options->writer, true);
    setenv("SLUICE_DIRECTORY", writer.service.directory, 1); /* the dumps join its I/O process */
    while (writer.signal == 0 && ended == NULL) {
        next = sluice_clock_ms() + options->every;
        status = dump_once(&writer, options, dump);
        while (writer.signal == 0 && (ended = find_ended(options, starts)) == NULL
               && sluice_clock_ms() < next) {
            await(&writer, next);
        }
    }
    if (ended != NULL)
        sluice_launch_say("process %s has ended, and with it the dumps", ended);
    else
        status = SLUICE_STATUS_SIGNAL + writer.signal;
    if (waitpid(writer.service.server, NULL, WNOHANG) > 0)
        writer.service.alone = false; /* a dump has resumed it, and it is no child */
    const int failure = sluice_launch_service_leave(&writer.service, status);
    return status != 0 ? status : failure;
}
