/*
 * A slot that a process asks for ahead of its first captured file, which would have to wait for the
 * I/O process. A process that is likely to open one asks at a call that has a path, and does not
 * wait. Two of three signs make it likely: a launcher's variables, a path in the capture directory,
 * and that the process has run for a while. A shell's tool has one at most. A rank asks as it starts
 * when its launcher itself started it and it is no shell, or when it has loaded an MPI library.
 */
#pragma once

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>

extern atomic_bool sluice_early_undecided; /* this process may ask yet */

/* Begins to look for signs, at the start of a process. */
void sluice_early_begin(void);

/* Begins anew in a child. Async-signal-safe. */
void sluice_early_in_child(void);

/*
 * Never asks any more, in children neither: from now on the kernel may end this process for a call
 * of ours.
 */
void sluice_early_never(void);

/* Looks for signs in a path that can be read, or NULL. */
void sluice_early_look(int dirfd, const char *path);

/* Looks at the path of a call. Costs one load once the process has asked. Leaves errno. */
static inline void sluice_early_touch(int dirfd, const char *path)
{
    if (atomic_load_explicit(&sluice_early_undecided, memory_order_relaxed))
        sluice_early_look(dirfd, path);
}

/* Does so behind a call that failed or not. Its path cannot be read if the kernel could not. */
static inline void sluice_early_touched(int dirfd, const char *path, bool failed)
{
    if (!failed || errno != EFAULT)
        sluice_early_touch(dirfd, path);
}
