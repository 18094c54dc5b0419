/* The exit statuses of sluice run and sluice profile record, where the command's own is not the answer. */
#pragma once

#include <stdlib.h>

#include "sluice_commands.h"

/* Besides those of all commands. */
enum {
    SLUICE_STATUS_NOT_EXECUTABLE = 126,
    SLUICE_STATUS_NO_COMMAND = 127,
    SLUICE_STATUS_SIGNAL = 128,
};

/* The status for a negative errno. */
int sluice_launch_status(int error);

/* What the user calls this program; lines on standard error begin with it. */
extern const char *sluice_launch_name;

/* One line on standard error. */
void sluice_launch_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One line on standard error, and the end of the process. errno is as it was when the line is formatted. */
#define sluice_launch_fail(status, ...)                                                            \
    do {                                                                                           \
        const int status_ = (status);                                                              \
        sluice_launch_say(__VA_ARGS__);                                                            \
        exit(status_);                                                                             \
    } while (0)
