/*
 * The time for which the I/O process has stood still. Its counter shows its progress. A busy
 * machine may keep it, and the guard, from running for seconds. So time between late looks does not
 * count. Its waits for a processor or for storage count a tenth. Called by one thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sluice_header;

/* The time between two looks while a program waits, in milliseconds. */
#define SLUICE_STANDSTILL_LOOK_MILLIS 50

void sluice_standstill_init(const struct sluice_header *segment, pid_t io_process);

/*
 * Returns the milliseconds that count since the last look, or -1 if the I/O process has made
 * progress.
 */
int64_t sluice_standstill_look(void);
