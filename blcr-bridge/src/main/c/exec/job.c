#include "job.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value == NULL || *value == 0 ? NULL : value;
}

/*
 * MPICH's Hydra, which sets PMI_RANK alone, names no job, and several of its jobs may share one
 * Slurm step: its daemon is the parent. So Slurm is asked only where Slurm itself started the rank.
 */
void sluice_exec_job_name(char *name, size_t capacity)
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
