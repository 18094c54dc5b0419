#include "waves.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "status.h"
#include "which.h"

static bool has_log(const char *folder, struct stat *log)
{
    char path[PATH_MAX + 300];
    snprintf(path, sizeof path, "%s/waves.log", folder);
    return stat(path, log) == 0;
}

/* Where the log is, WaveFiles in Java says: in the store, or in the series' folder. False before there is one. */
static bool find_log(const struct sluice_exec_job *job, char *folder, size_t capacity,
                     struct stat *log)
{
    snprintf(folder, capacity, "%s", job->store);
    if (has_log(folder, log))
        return true;
    snprintf(folder, capacity, "%s/%s", job->store, job->series != NULL ? job->series : "default");
    return has_log(folder, log);
}

int64_t sluice_exec_waves_heard(const struct sluice_exec_job *job)
{
    char folder[PATH_MAX + 256];
    struct stat log;
    if (job->elsewhere)
        return -1;
    return find_log(job, folder, sizeof folder, &log) ? log.st_size : 0;
}

/* Runs sluice mpi WHAT for the store, with one more option that may be NULL. */
static int ask_sluice(const struct sluice_exec_job *job, const char *what, const char *option,
                      char *text, size_t capacity)
{
    char sluice[3100];
    char *command[9] = {sluice, "mpi", (char *)what, "--store", (char *)job->store};
    size_t count = 5;
    sluice_exec_installed(sluice, sizeof sluice, "scripts/sluice");
    if (option != NULL)
        command[count++] = (char *)option;
    if (job->series != NULL) {
        command[count++] = "--series";
        command[count++] = (char *)job->series;
    }
    return sluice_exec_which_says(command, false, text, capacity);
}

int64_t sluice_exec_waves_newest(const struct sluice_exec_job *job)
{
    char folder[PATH_MAX + 256];
    char text[40];
    struct stat log;
    if (!job->elsewhere && !find_log(job, folder, sizeof folder, &log))
        return -1;
    const int status = ask_sluice(job, "status", "--newest", text, sizeof text);
    if (status != 0) {
        sluice_exec_fail(status,
                         "cannot tell the newest checkpoint of %s; see sluice verify, and "
                         "name another --store to begin anew",
                         job->store);
    }
    return *text == 0 ? -1 : strtoll(text, NULL, 10);
}

/* Where it is looked for, the option of sluice run says, or else the environment. */
static void ask_stage(const struct sluice_exec_job *job)
{
    const char *stage = NULL;
    char text[40];
    for (char **option = job->run; *option != NULL; option++)
        stage = strncmp(*option, "--stage=", 8) == 0 ? *option : stage;
    ask_sluice(job, "checkpoint", stage, text, sizeof text);
}

/* Before there is a log there may be no store, and a directory in its place would be taken for something else. */
void sluice_exec_waves_ask(const struct sluice_exec_job *job)
{
    char folder[PATH_MAX + 256];
    char path[PATH_MAX + 300];
    struct stat log;
    if (job->elsewhere) {
        ask_stage(job);
        return;
    }
    if (!find_log(job, folder, sizeof folder, &log)) {
        sluice_exec_say("no ranks are there yet to be checkpointed");
        return;
    }
    snprintf(path, sizeof path, "%s/waves", folder);
    int fd = -1;
    if (mkdir(path, 0777) == 0 || errno == EEXIST) {
        snprintf(path, sizeof path, "%s/waves/ask", folder);
        fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    }
    if (fd < 0)
        sluice_exec_say("cannot ask for a checkpoint by %s: %m", path);
    else
        close(fd);
}
