/* sluice mpi: runs the command of an MPI launcher, and again from the newest wave when ranks die. */
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
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
    if (job->joins) {
        sluice_exec_job_share("SLUICE_MPI_BESIDE", NULL);
        return job->command;
    }
    sluice_exec_job_share("SLUICE_MPI_BESIDE", *job->run == NULL ? "" : *job->run);
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

/* What this attempt is called where no launcher names it. A name that a user gave is used up by the first one. */
static void name_launch(long number, char *name, size_t capacity)
{
    static const char *given;
    uint64_t any = 0;
    if (getrandom(&any, sizeof any, 0) != sizeof any)
        any = (uint64_t)getpid();
    snprintf(name, capacity, "%016" PRIx64, any);
    sluice_exec_job_share("SLUICE_MPI_LAUNCH", name);
    given = number == 0 ? getenv("SLUICE_RUN") : given;
    if (number > 0 && given != NULL && *given != 0) {
        char next[PATH_MAX];
        snprintf(next, sizeof next, "%.180s-%ld", given, number);
        sluice_exec_job_share("SLUICE_RUN", next);
    }
}

/* The file by which ranks agree who says why the job cannot go on: see wrappers/said.c of the layer. */
static void name_said(const struct sluice_exec_job *job, const char *launch, char *said,
                      size_t capacity)
{
    snprintf(said, capacity, "%s/said-%s", job->store, launch);
    sluice_exec_job_share("SLUICE_MPI_SAID", job->elsewhere ? NULL : said);
}

/* A program that nobody checkpoints runs as ever: that looks as if all were well. */
static void say_unheard(void)
{
    static bool said;
    if (!said) {
        sluice_exec_say("no rank of the command could be checkpointed: its program is none of MPI, "
                        "or runs on other nodes without sluice exec before it");
    }
    said = true;
}

/* sluice run refuses by 2, and a command may not be there: to run it again would change nothing. */
static bool is_final(int status)
{
    return ended || status == 0 || status == SLUICE_STATUS_USAGE || status == REFUSED
        || status == SLUICE_STATUS_NOT_EXECUTABLE || status == SLUICE_STATUS_NO_COMMAND;
}

static int attempt(struct sluice_exec_job *job, char **command, long number, int64_t wave)
{
    char text[40];
    char said[PATH_MAX + 300];
    const struct sluice_exec_ears ears = {SIGUSR1, hear, job};
    snprintf(text, sizeof text, "%ld", number);
    sluice_exec_job_share("SLUICE_MPI_ATTEMPT", text);
    snprintf(text, sizeof text, "%" PRId64, wave);
    sluice_exec_job_share("SLUICE_MPI_RESTORE", wave < 0 ? NULL : text);
    name_launch(number, text, sizeof text);
    name_said(job, text, said, sizeof said);
    const int64_t heard = sluice_exec_waves_heard(job);
    const int status = sluice_exec_command_run(command, &ears);
    if (!job->elsewhere)
        unlink(said);
    if (heard >= 0 && (status == 0 || !is_final(status)) && sluice_exec_waves_heard(job) == heard)
        say_unheard();
    return status;
}

int main(int count, char **arguments)
{
    static struct sluice_exec_job job;
    sluice_exec_name = "sluice mpi";
    sluice_exec_job_parse(count, arguments, &job);
    char **command = words(&job);
    for (long number = 0;; number++) {
        const int64_t wave = sluice_exec_waves_newest(&job);
        if (wave >= 0)
            sluice_exec_say("attempt %ld begins with wave %" PRId64, number, wave);
        else if (number > 0)
            sluice_exec_say("attempt %ld begins anew", number);
        const int status = attempt(&job, command, number, wave);
        if (is_final(status))
            return status;
        if (number == job.restarts) {
            sluice_exec_say("ended with %d after %ld restarts", status, number);
            return status;
        }
    }
}
