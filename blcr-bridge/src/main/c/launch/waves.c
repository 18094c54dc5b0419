#include "waves.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "status.h"
#include "which.h"

static bool has_log(const char *folder, struct stat *log)
{
    char path[PATH_MAX + 300];
    snprintf(path, sizeof path, "%s/mpi.log", folder);
    return stat(path, log) == 0;
}

/*
 * Finds the log, where WaveFiles in Java has it: in the store, or in the series' folder. False
 * before there is one.
 */
static bool find_log(const struct sluice_launch_job *job, char *folder, size_t capacity,
                     struct stat *log)
{
    snprintf(folder, capacity, "%s", job->store);
    if (has_log(folder, log))
        return true;
    snprintf(folder, capacity, "%s/%s", job->store, job->series != NULL ? job->series : "default");
    return has_log(folder, log);
}

int64_t sluice_launch_waves_heard(const struct sluice_launch_job *job)
{
    char folder[PATH_MAX + 256];
    struct stat log;
    if (job->elsewhere)
        return -1;
    return find_log(job, folder, sizeof folder, &log) ? log.st_size : 0;
}

bool sluice_launch_waves_ended(const struct sluice_launch_job *job, int64_t before)
{
    char path[PATH_MAX + 300];
    char folder[PATH_MAX + 256];
    struct stat log;
    if (job->elsewhere || !find_log(job, folder, sizeof folder, &log) || log.st_size < before)
        return true;
    snprintf(path, sizeof path, "%s/mpi.log", folder);
    FILE *file = fopen(path, "re");
    bool ended = true;
    char *line = NULL;
    size_t room = 0;
    if (file != NULL && fseeko(file, before, SEEK_SET) == 0) {
        while (getline(&line, &room, file) > 0) {
            if (strstr(line, "\"what\":\"start\"") || strstr(line, "\"what\":\"restart\""))
                ended = false;
            ended |= strstr(line, "\"what\":\"ended\"") != NULL;
        }
    }
    free(line);
    if (file != NULL)
        fclose(file);
    snprintf(path, sizeof path, "%s/mpi/ended", folder); /* on a full disk, instead of a line */
    return ended || access(path, F_OK) == 0;
}

/*
 * Returns the words of sluice mpi WHAT for the store, with one more option, which may be NULL. They
 * are good until the next call.
 */
static char **words(const struct sluice_launch_job *job, const char *what, const char *option)
{
    static char sluice[3100];
    static char *command[9];
    size_t count = 0;
    sluice_launch_installed(sluice, sizeof sluice, "scripts/sluice");
    command[count++] = sluice;
    command[count++] = "mpi";
    command[count++] = (char *)what;
    command[count++] = "--store";
    command[count++] = (char *)job->store;
    if (option != NULL)
        command[count++] = (char *)option;
    if (job->series != NULL) {
        command[count++] = "--series";
        command[count++] = (char *)job->series;
    }
    command[count] = NULL;
    return command;
}

/* Returns whether there is a store, or a remainder of one. */
static bool has_store(const struct sluice_launch_job *job)
{
    char path[PATH_MAX + 300];
    struct stat log;
    snprintf(path, sizeof path, "%s/format", job->store);
    return job->elsewhere || access(path, F_OK) == 0 || find_log(job, path, sizeof path, &log);
}

/* Asks for the newest wave; returns the status of that command. The first job makes the store. */
static int look(const struct sluice_launch_job *job, bool quiet, int64_t *newest)
{
    char text[40] = "";
    int status = 0;
    if (has_store(job)) {
        status =
            sluice_launch_which_says(words(job, "status", "--newest"), quiet, text, sizeof text);
    }
    *newest = *text == 0 ? -1 : strtoll(text, NULL, 10);
    return status;
}

bool sluice_launch_waves_know(const struct sluice_launch_job *job, int64_t *newest)
{
    return look(job, true, newest) == 0;
}

int64_t sluice_launch_waves_newest(const struct sluice_launch_job *job)
{
    int64_t newest;
    const int status = look(job, false, &newest);
    if (status == SLUICE_STATUS_BUSY)
        exit(status); /* the command has said why */
    if (status != 0) {
        sluice_launch_fail(status,
                           "cannot tell the newest checkpoint of %s; see sluice verify, and "
                           "name another --store to begin anew",
                           job->store);
    }
    return newest;
}

/* Returns the option that names the stage; NULL leaves that to the environment. */
static const char *stage_of(const struct sluice_launch_job *job)
{
    const char *stage = NULL;
    for (char **option = job->run; *option != NULL; option++)
        stage = strncmp(*option, "--stage=", 8) == 0 ? *option : stage;
    return stage;
}

/*
 * Runs a command without waiting for it. The command may need a minute to learn that no job takes
 * its request, and withdraws the request then.
 */
static void run_beside(char **command)
{
    sigset_t none;
    const pid_t between = fork();
    if (between == 0 && fork() == 0) {
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execv(command[0], command);
    }
    if (between == 0)
        _exit(SLUICE_STATUS_FAILED);
    while (waitpid(between, NULL, 0) < 0 && errno == EINTR) {
    }
}

void sluice_launch_waves_ask(const struct sluice_launch_job *job)
{
    char folder[PATH_MAX + 256];
    struct stat log;
    if (!job->elsewhere && !find_log(job, folder, sizeof folder, &log))
        sluice_launch_say("no ranks are there yet to be checkpointed");
    else
        run_beside(words(job, "checkpoint", stage_of(job)));
}
