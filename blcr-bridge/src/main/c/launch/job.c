#include "job.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "sluice_mpi_kinds.h"
#include "status.h"
#include "store.h"
#include "which.h"

/*
 * Reads 90s, 1.5m, 2h, 500ms, or seconds without a unit. Sets the variable to milliseconds, from 1
 * on, or 0.
 */
static void share_time(const char *variable, const char *option, const char *value, bool or_0)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}};
    char *unit;
    const double number = strtod(value, &unit);
    const bool decimal =
        isdigit((unsigned char)*value) != 0 && unit == value + strspn(value, "0123456789.");
    for (size_t i = 0; decimal && i < sizeof units / sizeof *units; i++) {
        const double time = number * units[i].seconds;
        if (strcmp(unit, units[i].name) == 0 && time < 1e9
            && (time >= 0.001 || (or_0 && number == 0))) {
            char milliseconds[40];
            snprintf(milliseconds, sizeof milliseconds, "%.0f", time * 1000);
            sluice_launch_job_share(variable, milliseconds);
            return;
        }
    }
    sluice_launch_fail(SLUICE_STATUS_USAGE, "--%s takes a time as 10m or 500ms, not %s", option,
                       value);
}

/* Returns the value if it is one of the names, else ends the process. A NULL ends the names. */
static const char *one_of(const char *option, const char *value, const char *const *names)
{
    char all[200] = "";
    for (int at = 0; names[at] != NULL; at++) {
        const char *between = at == 0 ? "" : names[at + 1] == NULL ? " and " : ", ";
        const size_t length = strlen(all);
        if (strcmp(value, names[at]) == 0)
            return value;
        snprintf(all + length, sizeof all - length, "%s%s", between, names[at]);
    }
    sluice_launch_fail(SLUICE_STATUS_USAGE, "--%s: there is no %s, only %s", option, value, all);
}

#define ONE_OF(option, value, ...) one_of(option, value, (const char *const[]){__VA_ARGS__, NULL})

static const char *const protocols[] = {SLUICE_PROTOCOL_NAMES, NULL};

static long restarts(const char *value)
{
    char *end;
    const long number = strtol(value, &end, 10);
    if (*value < '0' || *value > '9' || *end != 0 || number > INT_MAX)
        sluice_launch_fail(SLUICE_STATUS_USAGE, "--restarts takes a number, not %s", value);
    return number;
}

static void set_store(struct sluice_launch_job *job, const char *store)
{
    job->elsewhere = sluice_launch_store(store, job->store);
    sluice_launch_job_share("SLUICE_STORE", job->store);
    if (job->elsewhere && getenv("SLUICE_STAGE") != NULL)
        sluice_launch_job_share("SLUICE_STAGE", getenv("SLUICE_STAGE"));
    sluice_launch_job_share("SLUICE_MPI_SERIES", job->series);
}

/*
 * Returns whether each rank joins the I/O process of its node by sluice run, perhaps in a line for
 * a shell.
 */
static bool joins(char **command)
{
    for (char **word = command; *word != NULL; word++) {
        const char *slash = strrchr(*word, '/');
        const bool sluice = strcmp(slash == NULL ? *word : slash + 1, "sluice") == 0;
        if (strstr(*word, "sluice run ") != NULL || strstr(*word, "sluice\" run ") != NULL
            || strstr(*word, "sluice-run") != NULL
            || (sluice && word[1] != NULL && strcmp(word[1], "run") == 0)) {
            return true;
        }
    }
    return false;
}

static void set_mpi(struct sluice_launch_job *job, const char *given)
{
    char path[PATH_MAX];
    char file[100];
    if (!sluice_launch_which(job->command[0], path, sizeof path))
        sluice_launch_fail(SLUICE_STATUS_NO_COMMAND, "cannot find %s", job->command[0]);
    job->mpi = given != NULL ? ONE_OF("mpi", given, "openmpi", "mpich")
                             : sluice_launch_which_mpi(job->command);
    if (job->mpi == NULL) {
        sluice_launch_fail(SLUICE_STATUS_USAGE,
                           "cannot tell the MPI of this command; say --mpi openmpi or --mpi mpich");
    }
    snprintf(file, sizeof file, "blcr-bridge/target/native/libsluice_mpi_%s.so", job->mpi);
    sluice_launch_installed(path, sizeof path, file);
    if (access(path, R_OK) != 0) {
        sluice_launch_fail(SLUICE_STATUS_USAGE,
                           "Sluice was built without %s; install it, remove target/built and run "
                           "scripts/build, which says why it leaves it out if it does",
                           job->mpi);
    }
    sluice_launch_job_share("SLUICE_MPI_LAYER", job->mpi);
}

/* Shares the settings with the ranks and their coordinator. */
static void share_settings(const char *const *values)
{
    sluice_launch_job_share("SLUICE_MPI_PROTOCOL",
                            one_of("protocol", values[SLUICE_OPTION_PROTOCOL], protocols));
    sluice_launch_job_share(
        "SLUICE_MPI_SNAPSHOT",
        ONE_OF("snapshot", values[SLUICE_OPTION_SNAPSHOT], "copy", "fork", "auto"));
    sluice_launch_job_share(
        "SLUICE_MPI_WRITE",
        ONE_OF("write", values[SLUICE_OPTION_WRITE], "full", "incremental", "auto"));
    sluice_launch_job_share(
        "SLUICE_MPI_DIFFERENCES",
        ONE_OF("differences", values[SLUICE_OPTION_DIFFERENCES], "stop", "tell"));
    sluice_launch_job_share("SLUICE_MPI_REFUSED",
                            ONE_OF("refused", values[SLUICE_OPTION_REFUSED], "end", "continue"));
    share_time("SLUICE_MPI_EVERY", "every", values[SLUICE_OPTION_EVERY], true);
    share_time("SLUICE_MPI_PATIENCE", "patience", values[SLUICE_OPTION_PATIENCE], false);
}

void sluice_launch_job_parse(int count, char **arguments, struct sluice_launch_job *job)
{
    const char *values[SLUICE_OPTIONS] = {
        [SLUICE_OPTION_STORE] = getenv("SLUICE_STORE"),
        [SLUICE_OPTION_PROTOCOL] = protocols[0],
        [SLUICE_OPTION_SNAPSHOT] = "auto",
        [SLUICE_OPTION_WRITE] = "auto",
        [SLUICE_OPTION_DIFFERENCES] = "stop",
        [SLUICE_OPTION_EVERY] = "10m",
        [SLUICE_OPTION_PATIENCE] = "60s",
        [SLUICE_OPTION_RESTARTS] = "10",
        [SLUICE_OPTION_REFUSED] = "end",
    };
    size_t passed = 0;
    bool rehearses = false;
    job->run = calloc((size_t)count + 1, sizeof *job->run);
    if (job->run == NULL)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "no memory");
    opterr = 0;
    for (int option;
         (option = getopt_long(count, arguments, "+:", sluice_mpi_known, NULL)) != -1;) {
        if (option == ':' || option == '?')
            sluice_launch_command_refuse(option, arguments + optind, sluice_mpi_known);
        values[option] = optarg;
        rehearses |= option == SLUICE_OPTION_REHEARSE;
        if (option == SLUICE_OPTION_RUN)
            job->run[passed++] = optarg;
    }
    job->series = values[SLUICE_OPTION_SERIES];
    job->rehearses = rehearses;
    job->command = sluice_launch_command_behind(arguments + optind);
    set_store(job, values[SLUICE_OPTION_STORE]);
    share_settings(values);
    job->restarts = restarts(values[SLUICE_OPTION_RESTARTS]);
    job->joins = joins(job->command);
    if (job->joins && passed > 0) {
        sluice_launch_fail(SLUICE_STATUS_USAGE,
                           "--run %s has no use where ranks run sluice run; give it that option",
                           job->run[0]);
    }
    set_mpi(job, values[SLUICE_OPTION_MPI]);
}
