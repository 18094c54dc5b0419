/*
 * The exit statuses of sluice run and sluice profile record, where they do not return the command's
 * own.
 */
#pragma once

#include <stdlib.h>

#include "sluice_commands.h"

/* Statuses besides those of all commands. */
enum {
    SLUICE_STATUS_NOT_EXECUTABLE = 126,
    SLUICE_STATUS_NO_COMMAND = 127,
    SLUICE_STATUS_SIGNAL = 128,
};

/* Returns the status for a negative errno. */
int sluice_launch_status(int error);

/* The name by which the user calls this program; lines on standard error begin with it. */
extern const char *sluice_launch_name;

/* Returns the last line of sluice_launch_say(), without the name. */
const char *sluice_launch_said(void);

/* Writes one line to standard error. */
void sluice_launch_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes one line to standard error, and ends the process. The line may use the errno of before. */
#define sluice_launch_fail(status, ...)                                                            \
    do {                                                                                           \
        const int status_ = (status);                                                              \
        sluice_launch_say(__VA_ARGS__);                                                            \
        exit(status_);                                                                             \
    } while (0)
