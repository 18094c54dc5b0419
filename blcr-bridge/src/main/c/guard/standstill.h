/*
 * For how long the I/O process has stood still. It says by a counter that it gets on. A busy machine keeps
 * it, and the guard, from running for seconds: what nobody has looked at does not count, and what the I/O
 * process waits for a processor or for storage counts a tenth. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sluice_header;

/* How often to look while a program waits, in milliseconds. */
#define SLUICE_STANDSTILL_LOOK_MILLIS 50

void sluice_standstill_init(const struct sluice_header *segment, pid_t io_process);

/* Milliseconds that count since the last look, or -1 if the I/O process has got on since. */
int64_t sluice_standstill_look(void);
