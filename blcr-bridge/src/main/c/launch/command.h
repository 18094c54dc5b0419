/* The command that sluice run and sluice profile record run. */
#pragma once

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

/* Names a file of the installation, from SLUICE_HOME or else from the place of this program. */
void sluice_launch_installed(char *path, size_t capacity, const char *file);

/* Puts the shim before the libraries that the user preloads. */
void sluice_launch_preload(void);

/*
 * Lets the I/O process of this directory capture the command. Others may have started that I/O
 * process. Ends the process if it captures another directory than `wanted`, which may be NULL.
 */
void sluice_launch_capture(const char *directory, const char *wanted);

/* Returns the number of words in a list that ends with NULL. */
size_t sluice_launch_length(char **list);

/*
 * Returns the words behind the options. Without a command, the process ends with one line and
 * status 2.
 */
char **sluice_launch_command_behind(char **options);

/*
 * Ends the process for the option before `next`, to which getopt_long() answered ':' or '?'. The
 * line says what may be meant.
 */
_Noreturn void sluice_launch_command_refuse(int answer, char **next, const struct option *known);

/* The part that this process takes in signals. */
struct sluice_launch_ears {
    int own; /* a signal that the command does not get, 0 for none */
    void (*heard)(int signal, void *argument); /* called after the command got one; may be NULL */
    void *argument;
    bool launcher; /* the command starts ranks: kill a launcher that hangs behind their end */
};

/*
 * Runs the command as a child and forwards signals to it; they stay blocked here afterwards.
 * Returns its exit status: 128 + N when signal N killed it, 127 when it is not found, 126 when it
 * cannot be executed.
 */
int sluice_launch_command_run(char **command, const struct sluice_launch_ears *ears);
