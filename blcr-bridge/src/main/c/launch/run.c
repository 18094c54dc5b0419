/*
 * sluice run: runs a command, captured by an I/O process of its own or, in a rank, by the job's on
 * this node.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "job.h"
#include "launcher.h"
#include "options.h"
#include "service.h"
#include "status.h"

/*
 * Ends the process if the number of local ranks is unknown: no checkpoint would ever be complete on
 * this node.
 */
static void need_local_ranks(void)
{
    int rank, ranks;
    sluice_launcher_rank(&rank, &ranks);
    if (sluice_launcher_local_ranks(ranks) == SLUICE_LAUNCHER_SPREAD) {
        sluice_launch_fail(
            SLUICE_STATUS_USAGE,
            "the job has %d ranks on several nodes, and the launcher does not say how many on "
            "this one; say it with --writers N",
            ranks);
    }
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value == NULL || *value == 0 ? NULL : value;
}

/*
 * Makes a name that all ranks of the job on this node find, and no others. The name is the
 * launcher's for the job, or else the process id of the parent, the launcher's daemon on the node.
 *
 * MPICH's Hydra, which sets PMI_RANK alone, names no job, and several of its jobs may share one
 * Slurm step: its daemon is the parent. So Slurm is asked only where Slurm itself started the rank.
 */
static void name_job(char *name, size_t capacity)
{
    const char *open_mpi = variable("PMIX_NAMESPACE");
    open_mpi = open_mpi != NULL ? open_mpi : variable("OMPI_MCA_ess_base_jobid");
    const char *cray = variable("PMI_JOBID");
    const char *slurm = variable("HYDI_CONTROL_FD") == NULL ? variable("SLURM_STEP_ID") : NULL;
    if (open_mpi != NULL)
        snprintf(name, capacity, "job-%s", open_mpi);
    else if (cray != NULL)
        snprintf(name, capacity, "job-%s", cray);
    else if (slurm != NULL && variable("SLURM_JOB_ID") != NULL)
        snprintf(name, capacity, "job-%s.%s", variable("SLURM_JOB_ID"), slurm);
    else
        snprintf(name, capacity, "parent-%d", getppid());
    for (char *at = name; *at != 0; at++)
        *at = isalnum((unsigned char)*at) || *at == '.' ? *at : '-';
}

/*
 * Returns whether sluice mpi has started this process, perhaps itself in a rank, as by srun --pty.
 */
static bool is_of_mpi(void)
{
    return variable("SLUICE_MPI_BEGUN") != NULL;
}

/*
 * Returns whether this process is a rank that shares an I/O process. A job of one rank shares none,
 * unless sluice mpi has started one beside it.
 */
static bool is_rank(void)
{
    int rank, ranks;
    sluice_launcher_rank(&rank, &ranks);
    return rank >= 0 && !is_of_mpi() && (ranks != 1 || variable("SLUICE_MPI_LAYER") != NULL);
}

/*
 * Ends the process if the launcher itself runs under sluice run, which captures the ranks on its
 * node. Ranks on other nodes are not captured, and begin here as well.
 */
static void refuse_twice(void)
{
    struct sluice_connection connection;
    const char *outer = variable("SLUICE_DIRECTORY");
    if (outer != NULL && sluice_connection_open(outer, 0, &connection) == 0) {
        sluice_connection_close(&connection);
        sluice_launch_fail(SLUICE_STATUS_USAGE,
                           "the launcher runs under sluice run already, which captures what its "
                           "ranks write; leave one of the two out, the outer one on several nodes");
    }
}

/*
 * Handles an I/O process that sluice mpi has started and no rank uses. sluice mpi could not see
 * that ranks start I/O processes, as in a script.
 */
static void heed_other_process(void)
{
    const char *beside = getenv("SLUICE_MPI_BESIDE");
    int rank, ranks;
    sluice_launcher_rank(&rank, &ranks);
    if (beside == NULL)
        return;
    if (*beside != 0) {
        sluice_launch_fail(SLUICE_STATUS_USAGE,
                           "--run %s of sluice mpi has no use where ranks run sluice run; give it "
                           "that option",
                           beside);
    }
    if (rank == 0) {
        sluice_launch_say("sluice mpi could not see that its ranks run sluice run: it has an I/O "
                          "process that no rank uses; name sluice-run in its command");
    }
    sluice_launch_job_share("SLUICE_MPI_TAKEN", "");
    sluice_launch_job_share("SLUICE_MPI_BESIDE", NULL);
}

/* Begins a rank: the first one of the node starts the I/O process, the last one stops it. */
static void begin_rank(struct sluice_launch_service *service, struct sluice_launch_options *options)
{
    static char name[256];
    if (getenv("SLUICE_MPI_LAYER") != NULL)
        heed_other_process();
    else
        refuse_twice();
    if (options->counts_ranks)
        need_local_ranks();
    if (options->name == NULL) {
        name_job(name, sizeof name);
        options->name = name;
    }
    sluice_launch_service_join(service, options);
}

static void begin_alone(struct sluice_launch_service *service,
                        struct sluice_launch_options *options)
{
    static char name[32];
    options->restarts = is_of_mpi();
    if (is_of_mpi())
        sluice_launch_name = "sluice mpi"; /* the command that the user called */
    if (options->name == NULL) {
        snprintf(name, sizeof name, "run-%d", (int)getpid());
        options->name = name;
    }
    sluice_launch_service_start(service, options);
    sluice_launch_job_begins();
}

int main(int count, char **arguments)
{
    static struct sluice_launch_options options;
    static struct sluice_launch_service service;
    sluice_launch_options_parse(count, arguments, &options);
    if (is_rank())
        begin_rank(&service, &options);
    else
        begin_alone(&service, &options);
    return sluice_launch_service_use(&service);
}
