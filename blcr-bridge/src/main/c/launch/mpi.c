/*
 * sluice mpi: runs the command of an MPI launcher, and again from the newest wave when ranks die.
 */
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include "command.h"
#include "job.h"
#include "status.h"
#include "waves.h"

/* The status with which the layer ends a job by MPI_Abort() where another run would not help. */
#define REFUSED 3

/* The statuses with which the two runs of a rehearsal end: see core/rehearsal.c of the layer. */
#define REHEARSED 118
#define REPEATED 119

/* The ends with one status, without a wave in between, that are no accident. */
#define MOST_ALIKE 3

static bool ended; /* a user wants the job to end */

/*
 * The part of the next run in a rehearsal. The first run goes to two waves; the second run is
 * compared with it.
 */
static enum { NONE, FIRST, SECOND } rehearsal;

static void hear(int signal, void *argument)
{
    if (signal == SIGUSR1)
        sluice_launch_waves_ask(argument);
    else if (signal == SIGTERM || signal == SIGINT || signal == SIGQUIT || signal == SIGHUP)
        ended = true;
}

/*
 * Returns the words to run: sluice run and the command. Only the command, where its ranks join I/O
 * processes of their nodes.
 */
static char **words(const struct sluice_launch_job *job)
{
    static char run[3100];
    if (job->joins) {
        sluice_launch_job_share("SLUICE_MPI_BESIDE", NULL);
        return job->command;
    }
    sluice_launch_job_share("SLUICE_MPI_BESIDE", *job->run == NULL ? "" : *job->run);
    const size_t options = sluice_launch_length(job->run);
    const size_t count = sluice_launch_length(job->command);
    char **all = calloc(options + count + 3, sizeof *all);
    if (all == NULL)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "no memory");
    sluice_launch_installed(run, sizeof run, "blcr-bridge/target/native/sluice-run");
    all[0] = run;
    memcpy(all + 1, job->run, options * sizeof *all);
    all[1 + options] = "--";
    memcpy(all + 2 + options, job->command, count * sizeof *all);
    return all;
}

/*
 * Makes the name in which the names of its runs end. By it a restart knows if another job has begun
 * meanwhile.
 */
static void name_launch(long number, char *name, size_t capacity)
{
    static uint64_t job;
    if (number == 0 && getrandom(&job, sizeof job, 0) != sizeof job)
        job = (uint64_t)getpid();
    snprintf(name, capacity, "%016" PRIx64 "-%ld", job, number);
    sluice_launch_job_share("SLUICE_MPI_LAUNCH", name);
}

/*
 * Names the file by which ranks agree who says why the job cannot go on: see
 * wrappers/abort_reason.c of the layer.
 */
static void name_said(const struct sluice_launch_job *job, const char *launch, char *said,
                      size_t capacity)
{
    snprintf(said, capacity, "%s/said-%s", job->store, launch);
    sluice_launch_job_share("SLUICE_MPI_SAID", job->elsewhere ? NULL : said);
}

/* Prints the line that a rank has left, if any. Returns whether a user was told. */
static bool tell(const char *said)
{
    FILE *file = fopen(said, "re");
    char line[1000];
    if (file == NULL)
        return false;
    while (fgets(line, sizeof line, file) != NULL)
        if (*line != '\n')
            fputs(line, stderr);
    fclose(file);
    return unlink(said) == 0;
}

/* Says that no rank could be checkpointed. The program runs as ever then, as if all were well. */
static void say_unheard(void)
{
    static bool said;
    if (!said) {
        sluice_launch_say(
            "no rank of the command could be checkpointed: its program is none of MPI, "
            "or runs on other nodes without sluice run before it");
    }
    said = true;
}

/*
 * Makes the descriptor by which sluice run tells that it has begun. -1 where ranks start the I/O
 * processes.
 */
static int share_begun(const struct sluice_launch_job *job)
{
    char text[40];
    const int begun = job->joins ? -1 : eventfd(0, EFD_NONBLOCK);
    snprintf(text, sizeof text, "%d", begun);
    sluice_launch_job_share("SLUICE_MPI_BEGUN", begun < 0 ? NULL : text);
    return begun;
}

static bool has_begun(int begun)
{
    eventfd_t times;
    const bool told = begun < 0 || eventfd_read(begun, &times) == 0;
    close(begun);
    return told;
}

/* Returns whether sluice run ends so if its I/O process cannot begin, for a reason that lasts. */
static bool is_of_beginning(int status)
{
    return status == SLUICE_STATUS_BUSY || status == SLUICE_STATUS_NO_ROOM
        || status == SLUICE_STATUS_DENIED || status == SLUICE_STATUS_OTHER_VERSION
        || status == SLUICE_STATUS_FEW_DESCRIPTORS;
}

/* The end of an attempt. */
struct outcome {
    int status;
    bool begun; /* the command was run */
    bool said;  /* a user was told why the job cannot go on */
    bool heard; /* the log of waves shows that ranks began */
};

/*
 * Lets each run read its standard input, if that is a file, from where the first run began. A pipe
 * has no such place.
 */
static void rewind_input(void)
{
    static off_t began = -1;
    static bool known;
    if (!known)
        began = lseek(STDIN_FILENO, 0, SEEK_CUR);
    else if (began >= 0)
        lseek(STDIN_FILENO, began, SEEK_SET);
    known = true;
}

/*
 * Returns whether a run was cut short. Open MPI 5.0 ends with 0 where it loses a node, so its ranks
 * must have come to MPI_Finalize. MPICH ends with 0 also where ranks just exit.
 */
static bool is_cut_short(const struct sluice_launch_job *job, const struct outcome *outcome,
                         int64_t before)
{
    return !ended && outcome->status == 0 && strcmp(job->mpi, "openmpi") == 0
        && !sluice_launch_waves_ended(job, before);
}

/*
 * Runs the command once. The I/O process of sluice run tells the wave as it starts. I/O processes
 * of several nodes may not be asked before their ranks.
 */
static struct outcome attempt(struct sluice_launch_job *job, char **command, long number)
{
    char text[40];
    char said[PATH_MAX + 300];
    const struct sluice_launch_ears ears = {
        .own = SIGUSR1, .heard = hear, .argument = job, .launcher = job->joins};
    snprintf(text, sizeof text, "%ld", number);
    sluice_launch_job_share("SLUICE_MPI_ATTEMPT", text);
    name_launch(number, text, sizeof text);
    if (job->joins)
        sluice_launch_job_begin(sluice_launch_waves_newest(job));
    name_said(job, text, said, sizeof said);
    const int64_t before = sluice_launch_waves_heard(job);
    const int begun = share_begun(job);
    rewind_input();
    struct outcome outcome = {.status = sluice_launch_command_run(command, &ears)};
    outcome.begun = has_begun(begun);
    const bool told = !job->elsewhere && tell(said);
    outcome.said = told || job->elsewhere;
    outcome.heard = before < 0 || sluice_launch_waves_heard(job) != before;
    if (job->joins && (told || !outcome.heard)) /* the log may be of another job */
        outcome.begun = !is_of_beginning(outcome.status);
    if (is_cut_short(job, &outcome, before)) {
        sluice_launch_say(
            "the command ended with 0, and not all ranks had come to MPI_Finalize, as "
            "where Open MPI loses a node: that counts as a failure");
        outcome.status = SLUICE_STATUS_FAILED;
    }
    return outcome;
}

/*
 * Returns whether another run would change nothing. If the first sluice run did not begin, its
 * options are wrong or there is no place for it. A later one may have waited for the former one's
 * I/O process.
 */
static bool is_final(const struct outcome *outcome, long number)
{
    const int status = outcome->status;
    return ended || status == 0 || status == SLUICE_STATUS_USAGE || status == REFUSED
        || status == SLUICE_STATUS_NOT_EXECUTABLE || status == SLUICE_STATUS_NO_COMMAND
        || (!outcome->begun && (number == 0 || status == SLUICE_STATUS_BUSY));
}

/* Says why the command is not run again, if nobody has said so. */
static void say_final(const struct outcome *outcome)
{
    const int status = outcome->status;
    if (!ended && outcome->begun && !outcome->said && rehearsal != SECOND
        && (status == SLUICE_STATUS_USAGE || status == REFUSED)) {
        sluice_launch_say(
            "ended with %d, and is not run again after that; let the program end with "
            "another status if that would help",
            status);
    }
}

static void share_rehearsal(void)
{
    static const char *const names[] = {NULL, "first", "second"};
    sluice_launch_job_share("SLUICE_MPI_REHEARSE", names[rehearsal]);
}

/* Returns whether the run ended as a rehearsal has to; else says why not. */
static bool rehearsed(const struct outcome *outcome)
{
    const bool done = !ended && outcome->status == (rehearsal == FIRST ? REHEARSED : REPEATED);
    if (rehearsal == FIRST && outcome->status == 0) {
        sluice_launch_say(
            "the program ended before its second checkpoint, so nothing was rehearsed: "
            "give a shorter --every");
    } else if (rehearsal == SECOND && !done && !ended && !outcome->said) {
        sluice_launch_say("the rehearsal ended with %d before it could be compared: either a rank "
                          "failed, or the program cannot go on from its checkpoint; see which by "
                          "running this again",
                          outcome->status);
    }
    if (done)
        rehearsal = rehearsal == FIRST ? SECOND : NONE;
    return done;
}

/* The count of equal ends of the job, without a commit in between. */
struct repetition {
    int status;
    long times;
    int64_t newest;
};

/* Returns whether a signal from outside has killed a rank, for reasons other than the program's. */
static bool is_killed_from_outside(int status)
{
    const int signal = status > SLUICE_STATUS_SIGNAL ? status - SLUICE_STATUS_SIGNAL : status;
    return signal == SIGKILL || signal == SIGTERM;
}

/* Returns whether an error recurs: each run would take as long as the last one. */
static bool repeats(struct repetition *former, const struct sluice_launch_job *job, int status)
{
    int64_t newest;
    if (is_killed_from_outside(status) || !sluice_launch_waves_know(job, &newest)) {
        former->times = 0;
        return false;
    }
    const bool alike = former->times > 0 && former->status == status && former->newest == newest;
    *former = (struct repetition){status, alike ? former->times + 1 : 1, newest};
    return former->times == MOST_ALIKE;
}

static void say_repeated(const struct repetition *of)
{
    char from[60] = "begins anew";
    if (of->newest >= 0)
        snprintf(from, sizeof from, "goes on from checkpoint %" PRId64, of->newest);
    sluice_launch_say(
        "ended with %d %ld times without another checkpoint, so the next run would end "
        "alike; mend what the program says, and call sluice mpi again: it %s",
        of->status, of->times, from);
}

int main(int count, char **arguments)
{
    static struct sluice_launch_job job;
    sluice_launch_name = "sluice mpi";
    sluice_launch_job_parse(count, arguments, &job);
    char **command = words(&job);
    rehearsal = job.rehearses ? FIRST : NONE;
    struct repetition repetition = {0};
    for (long number = 0, again = 0;; number++) {
        share_rehearsal();
        const struct outcome outcome = attempt(&job, command, number);
        if (rehearsal != NONE && rehearsed(&outcome))
            continue;
        const bool final = is_final(&outcome, number) || rehearsal == SECOND;
        if (!outcome.heard && (outcome.status == 0 || !final))
            say_unheard();
        if (final) {
            say_final(&outcome);
            return rehearsal == SECOND && !ended ? REFUSED : outcome.status;
        }
        if (again++ == job.restarts) {
            sluice_launch_say("ended with %d after %ld restarts", outcome.status, job.restarts);
            return outcome.status;
        }
        if (repeats(&repetition, &job, outcome.status)) {
            say_repeated(&repetition);
            return outcome.status;
        }
    }
}
