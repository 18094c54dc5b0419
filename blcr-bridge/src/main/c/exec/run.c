/* sluice run: runs a command, captured by an I/O process of its own. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "job.h"
#include "options.h"
#include "service.h"
#include "status.h"

int main(int count, char **arguments)
{
    static struct sluice_exec_options options;
    static struct sluice_exec_service service;
    char name[32];
    sluice_exec_name = "sluice run";
    sluice_exec_options_parse(count, arguments, NULL, &options);
    options.restarts = getenv("SLUICE_MPI_LAYER") != NULL;
    if (options.restarts)
        sluice_exec_name = "sluice mpi"; /* which is what the user called */
    if (options.name == NULL) {
        snprintf(name, sizeof name, "run-%d", (int)getpid());
        options.name = name;
    }
    sluice_exec_service_start(&service, &options);
    sluice_exec_job_begins();
    return sluice_exec_service_use(&service);
}
