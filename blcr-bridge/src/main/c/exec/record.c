/* sluice profile record: runs a command and records its writes, without an I/O process. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "profile.h"
#include "sluice_commands.h"
#include "status.h"

struct record_options {
    const char *capture;
    const char *trace;
    char **command;
};

/* Options come before the command; "+" keeps getopt from looking for them in the command's. */
static struct record_options parse(int count, char **arguments)
{
    struct record_options options = {.capture = ".", .trace = "sluice.trace"};
    opterr = 0;
    for (int option;
         (option = getopt_long(count, arguments, "+:", sluice_record_known, NULL)) != -1;) {
        if (option == SLUICE_OPTION_CAPTURE) {
            options.capture = optarg;
        } else if (option == SLUICE_OPTION_TO) {
            options.trace = optarg;
        } else {
            sluice_exec_fail(SLUICE_STATUS_USAGE, "%s %s; see sluice profile record --help",
                             option == ':' ? "a value is missing after" : "unknown option",
                             arguments[optind - 1]);
        }
    }
    options.command = arguments + optind;
    if (*options.command == NULL) {
        sluice_exec_fail(SLUICE_STATUS_USAGE,
                         "no command to run; see sluice profile record --help");
    }
    return options;
}

static void set_capture(const char *directory)
{
    char absolute[PATH_MAX];
    if (realpath(directory, absolute) == NULL) {
        const int error = errno;
        sluice_exec_fail(sluice_exec_status(-error), "--capture %s: %s", directory,
                         strerror(error));
    }
    setenv("SLUICE_CAPTURE", absolute, 1);
    unsetenv("SLUICE_DIRECTORY");
}

int main(int count, char **arguments)
{
    sluice_exec_name = "sluice profile record";
    const struct record_options options = parse(count, arguments);
    set_capture(options.capture);
    sluice_exec_profile(options.trace);
    sluice_exec_preload();
    return sluice_exec_command_run(options.command);
}
