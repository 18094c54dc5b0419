/* The I/O process, if any, that the ranks of a replay write to: SLUICE_DIRECTORY's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Waits until a new I/O process has allocated its buffer, and until it has drained everything. */
void replay_service_await_room(void);

/* Begins to look at the I/O process. Ends the process after a line that says why not. */
void replay_service_open(void);

/* Returns the bytes in use of its buffer. */
int64_t replay_service_buffered(void);

/* Returns the processor time of all its threads, in ns. */
int64_t replay_service_cpu(void);

/*
 * Waits until a checkpoint is committed. Attaches at its first call, and not before, since an I/O
 * process that has attached a process is faster with the ranks. False after a line that says why it is not.
 */
bool replay_service_await(int64_t checkpoint);
