/* Processes that come to share this one's descriptors, and the end of this one. */
#pragma once

#include <stdbool.h>

/*
 * Starts the tables anew in a child with memory of its own, before anything else.
 * Async-signal-safe.
 */
void sluice_process_in_child(void);

/*
 * Cleans up after a fork made without fork(), which sluice_images_before_fork() prepared. `child`
 * is its result, and is returned; errno stays.
 */
long sluice_process_forked(long child);

/* Ends this process's part: publishes its writes, and reports a normal exit if `well`. */
void sluice_process_end(bool well);

/* Prepares for a child with these CLONE_* flags that shares this process's memory. */
void sluice_process_before_sharing(int flags);
