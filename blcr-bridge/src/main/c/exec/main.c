/* sluice exec: runs a command inside a rank, captured by the I/O process of the rank's node. */
#include <stddef.h>

#include "command.h"
#include "options.h"
#include "profile.h"
#include "service.h"

int main(int count, char **arguments)
{
    static struct sluice_exec_options options;
    static struct sluice_exec_service service;
    sluice_exec_options_parse(count, arguments, &options);
    if (options.profile != NULL) {
        sluice_exec_profile(options.profile);
    }
    sluice_exec_service_join(&service, &options);
    sluice_exec_capture(service.directory);
    sluice_exec_service_watch(&service);
    const int status = sluice_exec_command_run(options.command);
    return sluice_exec_service_leave(&service, status);
}
