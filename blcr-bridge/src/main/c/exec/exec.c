/* sluice exec: runs a command inside a rank, captured by the I/O process of the rank's node. */
#include <stddef.h>

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

int main(int count, char **arguments)
{
    static struct sluice_exec_options options;
    static struct sluice_exec_service service;
    char name[256];
    sluice_exec_options_parse(count, arguments, ".", &options);
    if (options.counts_ranks)
        need_local_ranks();
    if (options.name == NULL) {
        sluice_exec_job_name(name, sizeof name);
        options.name = name;
    }
    sluice_exec_service_join(&service, &options);
    return sluice_exec_service_use(&service);
}
