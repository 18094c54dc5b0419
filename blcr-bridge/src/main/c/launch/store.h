/* The store that a command line names. */
#pragma once

#include <stdbool.h>

#define SLUICE_LAUNCH_STORE_LENGTH 4200

/*
 * Where `given`, of --store or SLUICE_STORE, is for a process in any working directory: an absolute path, or the URI as
 * it is. Returns whether it is a URI. NULL, "" and one that is too long end the process with one line.
 */
bool sluice_launch_store(const char *given, char store[SLUICE_LAUNCH_STORE_LENGTH]);
