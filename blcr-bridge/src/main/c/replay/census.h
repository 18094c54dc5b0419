/*
 * Counts of the system calls of other processes, by tracing them. Traced processes run much slower,
 * so nothing else can be measured meanwhile.
 */
#pragma once

#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

/* The call that a process makes just before and just after the part to be counted. */
#define REPLAY_CENSUS_MARK SYS_getppid

/* Begins to trace `count` children. Returns 0, or -1 with errno set. */
int replay_census_begin(const pid_t *children, int count);

/*
 * Waits until each child has made the marking call twice, and stops tracing it. Returns the number
 * of their calls in between, or -1 with errno set.
 */
int64_t replay_census_end(const pid_t *children, int count);
