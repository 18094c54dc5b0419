/* sluice exec: runs a command inside a rank, captured by the I/O process of the rank's node. */
#include <stddef.h>

#include "job.h"
#include "options.h"
#include "profile.h"
#include "service.h"

int main(int count, char **arguments)
{
    static struct sluice_exec_options options;
    static struct sluice_exec_service service;
    char name[256];
    sluice_exec_options_parse(count, arguments, ".", &options);
    if (options.name == NULL) {
        sluice_exec_job_name(name, sizeof name);
        options.name = name;
    }
    if (options.profile != NULL) {
        sluice_exec_profile(options.profile);
    }
    sluice_exec_service_join(&service, &options);
    return sluice_exec_service_use(&service);
}
