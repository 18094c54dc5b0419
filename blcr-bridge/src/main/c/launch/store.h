/* The store that a command line names. */
#pragma once

#include <stdbool.h>

#define SLUICE_LAUNCH_STORE_LENGTH 4200

/*
 * Returns whether `given`, of --store or SLUICE_STORE, is a URI. `store` becomes that, or a path
 * that is absolute, for a process in any working directory. NULL, "" and a name that is too long
 * end the process with one line.
 */
bool sluice_launch_store(const char *given, char store[SLUICE_LAUNCH_STORE_LENGTH]);
