/*
 * The check that the mappings of a process are still there.
 *
 * A checkpointer may map nothing over a process's shared mappings while it writes the process down.
 * A restart need not bring them back. A thread that touches such a mapping dies. Only the kernel
 * knows, and asking it costs a system call. So the kernel is asked only while there is a doubt. A
 * doubt begins when the process looks up its mappings, maps over them, or is asked which of them to
 * write down. A doubt ends when everything is found to be there, and never in a process that was
 * restarted without its mappings.
 *
 * A case stays unnoticed: a mapping replaced by a system call past the shim, without any of these
 * signs in the second before.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * There is a doubt. Read before each use of a mapping: one load from a line that does not change.
 */
extern atomic_bool sluice_presence_doubted;

/* Begins a doubt of one second: the process has looked up a mapping. */
void sluice_presence_doubt(void);

/*
 * Begins a doubt because this thread writes the process down. The written process has the doubt,
 * too. The doubt lasts until another thread, suspended meanwhile, finds everything in place, here
 * or in the restarted process.
 */
void sluice_presence_doubt_until_resumed(void);

/* Returns whether this thread writes the process down. */
bool sluice_presence_writes_down(void);

/* Returns whether an address can be read. Async-signal-safe: a system call that nothing diverts. */
bool sluice_presence_readable(const void *address);

/* Ends the doubt, if it may end: the mappings asked for are there. */
void sluice_presence_found(void);

/*
 * Has the doubt last for ever: a mapping is gone for good, which other parts of this process may
 * still know. The process was restarted without it, and asks the kernel before each use from here
 * on.
 */
void sluice_presence_lost(void);

/*
 * A process that has mapped something, and its start time in clock ticks; 0 when the kernel does
 * not say.
 */
struct sluice_mapper {
    int32_t pid;
    int64_t started;
};

struct sluice_mapper sluice_presence_mapper(void);

/*
 * Returns whether this process is the mapper itself: neither its child nor a process restarted from
 * its memory.
 */
bool sluice_presence_is(const struct sluice_mapper *mapper);
