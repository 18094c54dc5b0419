/*
 * The check that the mappings of a process are still there.
 *
 * A checkpointer may map nothing over a process's shared mappings while it writes the process down.
 * A restart need not bring them back. A thread that touches such a mapping dies. Only the kernel
 * knows, and asking it costs a system call. So the kernel is asked only while there is a doubt. A
 * doubt begins when the process looks up its mappings, maps over them, or is asked which of them to
 * write down. A doubt ends when everything is found to be there.
 *
 * A restarted process may have other memory in the place of a mapping, which can be read. So each
 * mapping has the number of the life in which it was made, and counts in that life only. A process
 * in doubt looks whether it is still the one that had the doubt first. If not, it begins a life.
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
 * too. The doubt lasts until another thread, suspended meanwhile, finds everything in place, or
 * until the process is found to be restarted.
 */
void sluice_presence_doubt_until_resumed(void);

bool sluice_presence_is_writer(void);

/*
 * Returns whether this thread writes the process down. All others stand still, and the process is
 * written down as it is then.
 */
static inline bool sluice_presence_writes_down(void)
{
    return __builtin_expect(atomic_load_explicit(&sluice_presence_doubted, memory_order_acquire), 0)
        && sluice_presence_is_writer();
}

/* The life of this process: a number that grows when the process is found to be restarted. */
extern atomic_uint sluice_presence_life;

/* Returns whether a mapping of a life is of this process, as far as is known. One load. */
static inline bool sluice_presence_counts(unsigned life)
{
    return atomic_load_explicit(&sluice_presence_life, memory_order_acquire) == life;
}

/* Begins a life, while there is a doubt, if this process was restarted. Async-signal-safe. */
void sluice_presence_look(void);

/* Returns whether this thread wrote the process down that was restarted as this one. */
bool sluice_presence_wrote(void);

/* Returns whether an address can be read. Async-signal-safe: a system call that nothing diverts. */
bool sluice_presence_readable(const void *address);

/* Ends the doubt, if it may end: the mappings asked for are there. */
void sluice_presence_found(void);

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
