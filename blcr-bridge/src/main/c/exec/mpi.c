/* sluice mpi: runs the command of an MPI launcher, and again from the newest wave when ranks die. */
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "job.h"
#include "status.h"
#include "waves.h"

/* What the layer ends a job with by MPI_Abort() where another run would help nothing. */
#define REFUSED 3

static bool ended; /* a user wants the job to end */

static void hear(int signal, void *argument)
{
    if (signal == SIGUSR1)
        sluice_exec_waves_ask(argument);
    else if (signal == SIGTERM || signal == SIGINT)
        ended = true;
}

static size_t length_of(char **list)
{
    size_t length = 0;
    while (list[length] != NULL)
        length++;
    return length;
}

/* sluice run and the command; or that alone, where its ranks join I/O processes of their nodes. */
static char **words(const struct sluice_exec_job *job)
{
    static char run[3100];
    if (job->joins)
        return job->command;
    const size_t options = length_of(job->run);
    const size_t count = length_of(job->command);
    char **all = calloc(options + count + 3, sizeof *all);
    if (all == NULL)
        sluice_exec_fail(SLUICE_STATUS_FAILED, "no memory");
    sluice_exec_installed(run, sizeof run, "blcr-bridge/target/native/sluice-run");
    all[0] = run;
    memcpy(all + 1, job->run, options * sizeof *all);
    all[1 + options] = "--";
    memcpy(all + 2 + options, job->command, count * sizeof *all);
    return all;
}

/* The file by which ranks agree who says why the job cannot go on: see wrappers/said.c of the layer. */
static void name_said(const struct sluice_exec_job *job, long attempt, char *said, size_t capacity)
{
    snprintf(said, capacity, "%s/said-%d-%lld-%ld", job->store, (int)getpid(),
             (long long)time(NULL), attempt);
    sluice_exec_job_share("SLUICE_MPI_SAID", said);
}

/* The I/O process of sluice run tells the wave as it starts. Those of several nodes may not be asked before their ranks. */
static int attempt(struct sluice_exec_job *job, char **command, long number)
{
    char text[40];
    char said[PATH_MAX + 300];
    const struct sluice_exec_ears ears = {SIGUSR1, hear, job};
    snprintf(text, sizeof text, "%ld", number);
    sluice_exec_job_share("SLUICE_MPI_ATTEMPT", text);
    if (job->joins)
        sluice_exec_job_begin(sluice_exec_waves_newest(job));
    name_said(job, number, said, sizeof said);
    const int status = sluice_exec_command_run(command, &ears);
    unlink(said);
    return status;
}

/* sluice run refuses by 2, and a command may not be there: to run it again would change nothing. */
static bool is_final(int status)
{
    return ended || status == 0 || status == SLUICE_STATUS_USAGE || status == REFUSED
        || status == SLUICE_STATUS_NOT_EXECUTABLE || status == SLUICE_STATUS_NO_COMMAND;
}

int main(int count, char **arguments)
{
    static struct sluice_exec_job job;
    sluice_exec_name = "sluice mpi";
    sluice_exec_job_parse(count, arguments, &job);
    char **command = words(&job);
    for (long number = 0;; number++) {
        const int status = attempt(&job, command, number);
        if (is_final(status))
            return status;
        if (number == job.restarts) {
            sluice_exec_say("ended with %d after %ld restarts", status, number);
            return status;
        }
    }
}
