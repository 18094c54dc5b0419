/*
 * Counts the system calls that other processes make, by tracing them. They run much slower
 * meanwhile, so nothing else can be measured then.
 */
#pragma once

#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

/* The call that a process makes just before and just after what is to be counted. */
#define REPLAY_CENSUS_MARK SYS_getppid

/* Begins to trace `count` children. Returns 0, or -1 with errno set. */
int replay_census_begin(const pid_t *children, int count);

/*
 * Waits until each child has made the marking call twice and no longer traces it then. Returns how
 * many calls they made in between, or -1 with errno set.
 */
int64_t replay_census_end(const pid_t *children, int count);
