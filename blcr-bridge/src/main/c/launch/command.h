/* The command that sluice run and sluice profile record run. */
#pragma once

#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

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
    void (*look)(void *argument); /* called each second; NULL for a command that needs no watch */
    bool launcher; /* the command starts ranks: kill a launcher that hangs behind their end */
};

/*
 * Starts the command as a child, with the signal mask that this process began with. Blocks here the
 * signals that are to be forwarded. Returns -1, after a line, when that fails.
 */
pid_t sluice_launch_command_start(char **command);

/* Blocks the signals that are forwarded to a command, and SIGCHLD, until the process ends. */
void sluice_launch_command_block(sigset_t *signals);

/*
 * Passes a signal on, except one of the terminal's. The command is in this process's group, and got
 * that one as well.
 */
void sluice_launch_command_pass(int signal, int code, pid_t command);

/*
 * Waits for the end of the command, and forwards signals to it. Returns its exit status: 128 + N
 * when signal N killed it, 127 when it is not found, 126 when it cannot be executed.
 */
int sluice_launch_command_await(pid_t command, const struct sluice_launch_ears *ears);

/* Starts the command and waits for its end; SLUICE_STATUS_FAILED where it cannot be started. */
int sluice_launch_command_run(char **command, const struct sluice_launch_ears *ears);
