/* The files that a command means, and its MPI. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Finds the regular file that execvp() would take for a word. False: there is none. */
bool sluice_launch_which(const char *word, char *path, size_t capacity);

/*
 * Returns the MPI of a launcher's command: "openmpi" or "mpich"; NULL if unknown. The answer is the
 * MPI that one of the words links, directly or through others, or else the launcher's own.
 */
const char *sluice_launch_which_mpi(char **command);

/*
 * Runs a program and keeps what it prints, as far as `capacity` allows, as a string. `quiet` drops
 * its errors. Returns its exit status; 1 when it was killed or cannot be run.
 */
int sluice_launch_which_says(char *const *command, bool quiet, char *text, size_t capacity);
