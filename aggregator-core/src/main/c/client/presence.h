/*
 * Whether what a process has mapped is still there.
 *
 * A checkpointer may map nothing over a process's shared mappings while it writes the process down,
 * and a restart need not bring them back. A thread that touches them then dies. Only the kernel
 * knows, and to ask it costs a system call. So it is asked only while there is a doubt. A doubt
 * begins when the process looks up what it has mapped, maps over it, or is asked what of it to
 * write down. A doubt ends when everything is found to be there.
 *
 * One thing stays unnoticed: a mapping that was replaced by a system call which nobody sees, when
 * nothing of this has happened in the second before.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Looked at before each use of a mapping: one load from a line that does not change. */
extern atomic_bool sluice_presence_doubted;

/* The process looks what is mapped here: for a second from now on. */
void sluice_presence_doubt(void);

/*
 * This thread writes the process down. The doubt is in what it writes, and lasts until another
 * thread, which is suspended meanwhile, finds everything where it was, here or where the process is
 * brought back.
 */
void sluice_presence_doubt_until_resumed(void);

/* Whether this thread does. */
bool sluice_presence_writes_down(void);

/* Whether this can be read. Async-signal-safe; a system call that nobody can divert. */
bool sluice_presence_readable(const void *address);

/* What was asked for is there: the doubt may end. */
void sluice_presence_found(void);

/* A process that has mapped something, and when it was started; 0 when the kernel does not say. */
struct sluice_mapper {
    int32_t pid;
    int64_t started;
};

struct sluice_mapper sluice_presence_mapper(void);

/* Whether this process is that one, not one that was brought back from its memory, nor its
 * child. */
bool sluice_presence_is(const struct sluice_mapper *mapper);
