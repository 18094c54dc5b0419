/* sluice exec: runs a command inside a rank, captured by the I/O process of the rank's node. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"
#include "job.h"
#include "launcher.h"
#include "options.h"
#include "service.h"
#include "status.h"

/* Without it no checkpoint would ever be complete on this node. */
static void need_local_ranks(void)
{
    int rank, ranks;
    sluice_launcher_rank(&rank, &ranks);
    if (rank >= 0 && sluice_launcher_local_ranks(ranks) == SLUICE_LAUNCHER_SPREAD) {
        sluice_exec_fail(
            SLUICE_STATUS_USAGE,
            "the job has %d ranks on several nodes, and the launcher does not say how many on "
            "this one; say it with --writers N",
            ranks);
    }
}

/* A script that sluice mpi could not read has started this, and so sluice mpi an I/O process that no rank uses. */
static void heed_other_process(void)
{
    const char *beside = getenv("SLUICE_MPI_BESIDE");
    int rank, ranks;
    sluice_launcher_rank(&rank, &ranks);
    if (beside != NULL && *beside != 0) {
        sluice_exec_fail(SLUICE_STATUS_USAGE,
                         "--run %s of sluice mpi has no use where ranks run sluice exec; give it "
                         "that option",
                         beside);
    }
    if (beside != NULL && rank <= 0) {
        sluice_exec_say("sluice mpi could not see that its command runs sluice exec: it has "
                        "an I/O process that no rank uses; name sluice-exec in the command");
    }
    if (beside != NULL)
        sluice_exec_job_share("SLUICE_MPI_TAKEN", "");
    sluice_exec_job_share("SLUICE_MPI_BESIDE", NULL);
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value == NULL || *value == 0 ? NULL : value;
}

/*
 * A name that all ranks of the job on this node find, and no others: what the launcher calls the
 * job, or else the process id of the parent, which is the launcher's daemon on the node. MPICH's Hydra, which sets PMI_RANK alone, names no job, and several of its jobs may share one
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

int main(int count, char **arguments)
{
    static struct sluice_exec_options options;
    static struct sluice_exec_service service;
    char name[256];
    sluice_exec_options_parse(count, arguments, ".", &options);
    heed_other_process();
    if (options.counts_ranks)
        need_local_ranks();
    if (options.name == NULL) {
        name_job(name, sizeof name);
        options.name = name;
    }
    sluice_exec_service_join(&service, &options);
    return sluice_exec_service_use(&service);
}
