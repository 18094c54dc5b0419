/* Which threads may open an image at once. One thread. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct sluice_header;

/* `pid` is the I/O process. */
void sluice_opener_init(const struct sluice_header *segment, pid_t pid);

/* Whether a thread is one of the I/O process's, or the guard's own. */
bool sluice_opener_is_ours(pid_t thread);

/*
 * The process that says, by the shim, that this thread opens a file, of which it tells as soon as it is
 * open. 0 for none: what opens past the shim, such as io_uring or Go, is like a program outside.
 */
pid_t sluice_opener_announced(pid_t thread);

/* Whether a process has a slot, by which it tells. */
bool sluice_opener_is_attached(pid_t pid);
