/* The threads that may open an image at once. Called by one thread. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct sluice_header;

/* Begins with the segment of the I/O process `pid`. */
void sluice_opener_init(const struct sluice_header *segment, pid_t pid);

/* Returns whether a thread is one of the I/O process's, or the guard's own. */
bool sluice_opener_is_ours(pid_t thread);

/*
 * Returns the process whose shim says that this thread opens a file; it announces the file once it
 * is open. 0 for none: an open past the shim, such as by io_uring or Go, counts as one of a program
 * outside.
 */
pid_t sluice_opener_announced(pid_t thread);

/* Returns whether a process has a slot, by which it announces files. */
bool sluice_opener_is_attached(pid_t pid);
