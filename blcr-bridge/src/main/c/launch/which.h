/* Which files a command means, and which MPI. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The file that execvp() would take for a word, which is regular. False: there is none. */
bool sluice_launch_which(const char *word, char *path, size_t capacity);

/*
 * The MPI of a launcher's command: that which one of its words links, by itself or by others, or else the launcher's own.
 * "openmpi" or "mpich"; NULL when neither tells.
 */
const char *sluice_launch_which_mpi(char **command);

/*
 * Runs a program and keeps what it prints, as much as there is room for, as a string. `quiet`: what it says of errors goes
 * nowhere. Returns its exit status, 1 when it was killed or cannot be run.
 */
int sluice_launch_which_says(char *const *command, bool quiet, char *text, size_t capacity);
