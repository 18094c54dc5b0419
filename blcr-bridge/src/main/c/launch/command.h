/* The command that sluice run and sluice profile record run. */
#pragma once

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

/* A file of the installation, from SLUICE_HOME or else from where this program lies. */
void sluice_launch_installed(char *path, size_t capacity, const char *file);

/* Puts the shim before whatever the user preloads. */
void sluice_launch_preload(void);

/*
 * Has the command captured by the I/O process of this directory, which others may have started. Ends the process when
 * that one captures another directory than `wanted`, which may be NULL.
 */
void sluice_launch_capture(const char *directory, const char *wanted);

/* What stands behind the options; without a command the process ends with one line and status 2. */
char **sluice_launch_command_behind(char **options);

/* Ends the process for an option that getopt_long() answered ':' or '?' to, the one before `next`, with what may be meant. */
_Noreturn void sluice_launch_command_refuse(int answer, char **next, const struct option *known);

/* What this process does about signals itself. */
struct sluice_launch_ears {
    int own;                                   /* one that the command does not get, 0 for none */
    void (*heard)(int signal, void *argument); /* told of each, once the command was; may be NULL */
    void *argument;
    bool launcher; /* the command starts ranks: one that hangs behind their end is killed */
};

/*
 * Runs the command as a child, forwards signals to it, which stay blocked here afterwards, and returns its exit status, 128 + N when signal N killed it, 127 when it is not found, 126 when it cannot be executed.
 */
int sluice_launch_command_run(char **command, const struct sluice_launch_ears *ears);
