/* The I/O process that the ranks of a replay write to, if there is one: that of SLUICE_DIRECTORY. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Waits for what one that has just begun still allocates, and for what it still drains. */
void replay_service_await_room(void);

/* Looks at it from now on; with `waits` it can be waited for. Ends the process after it has said why not. */
void replay_service_open(bool waits);

/* Bytes of its buffer that are taken. */
int64_t replay_service_buffered(void);

/* Nanoseconds of processor time that all its threads have used. */
int64_t replay_service_cpu(void);

/* True when a checkpoint is committed, false after it has said why it is not. */
bool replay_service_await(int64_t checkpoint);
