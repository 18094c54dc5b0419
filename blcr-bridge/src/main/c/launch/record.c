/* sluice profile record: runs a command and records its writes, without an I/O process. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "command.h"
#include "profile.h"
#include "status.h"

struct record_options {
    const char *capture;
    const char *trace;
    char **command;
};

/*
 * Options come before the command; "+" keeps getopt from looking for them among the command's
 * words.
 */
static struct record_options parse(int count, char **arguments)
{
    struct record_options options = {.capture = ".", .trace = "sluice.trace"};
    opterr = 0;
    for (int option;
         (option = getopt_long(count, arguments, "+:", sluice_record_known, NULL)) != -1;) {
        if (option == SLUICE_OPTION_CAPTURE)
            options.capture = optarg;
        else if (option == SLUICE_OPTION_TO)
            options.trace = optarg;
        else
            sluice_launch_command_refuse(option, arguments + optind, sluice_record_known);
    }
    options.command = sluice_launch_command_behind(arguments + optind);
    return options;
}

static void set_capture(const char *directory)
{
    char absolute[PATH_MAX];
    mkdir(directory, 0777); /* as run makes it; the next line meets any other error */
    if (realpath(directory, absolute) == NULL)
        sluice_launch_fail(sluice_launch_status(-errno), "--capture %s: %m", directory);
    setenv("SLUICE_CAPTURE", absolute, 1);
    unsetenv("SLUICE_DIRECTORY");
}

int main(int count, char **arguments)
{
    sluice_launch_name = "sluice profile record";
    const struct record_options options = parse(count, arguments);
    set_capture(options.capture);
    sluice_launch_profile(options.trace);
    sluice_launch_preload();
    return sluice_launch_command_run(options.command, &(struct sluice_launch_ears){0});
}
