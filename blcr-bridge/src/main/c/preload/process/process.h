/* Processes that come to share this one's descriptors, and the end of this one. */
#pragma once

#include <stdbool.h>

/* In a child with memory of its own, before anything else. Async-signal-safe. */
void sluice_process_in_child(void);

/* Behind a fork past fork(), which sluice_images_before_fork() came before: child is what it gave, and is
 * returned; errno stays. */
long sluice_process_forked(long child);

/* This process ends: what it wrote is published, and said to be good if it ends well. */
void sluice_process_end(bool well);

/* A child with these CLONE_* flags is to share this process's memory. */
void sluice_process_before_sharing(int flags);
