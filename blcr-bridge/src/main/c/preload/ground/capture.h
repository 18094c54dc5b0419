/* The captured files, and this process's connection to the I/O process. */
#pragma once

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "client.h"

extern int sluice_capture_state; /* 0 unknown, 1 off, 2 on */

bool sluice_capture_look(void);

/* Returns whether the environment names a capture directory, and an I/O process or a trace. */
static inline bool sluice_capture_on(void)
{
    return sluice_capture_state == 0 ? sluice_capture_look() : sluice_capture_state == 2;
}

/*
 * Returns the segment, mapped at the first call. NULL without an I/O process, or while it is not
 * mapped.
 */
const struct sluice_segment *sluice_capture_segment(void);

/*
 * Returns the client, attached at the first call. NULL when that failed, then and for good, and
 * while the segment is not mapped.
 */
struct sluice_client *sluice_capture_client(void);

/*
 * Asks for the client ahead of the first call, without a wait for the answer. A failure loses
 * nothing.
 */
void sluice_capture_ask(void);

/*
 * Makes the I/O process take the files that this process has entered and perhaps closed. Called
 * before a program that may be outside Sluice can follow this one.
 */
void sluice_capture_have_taken(void);

/*
 * Counts a file opened for writing that cannot be announced to the I/O process. Says why on
 * standard error, once.
 */
void sluice_capture_missed(const char *path, const char *why);

/*
 * Says whether this process is about to exit normally, or to become another program. False: it
 * fails, or stays what it is. Async-signal-safe.
 */
void sluice_capture_leave(bool leaving);

/* Drops the parent's client, in a child. Async-signal-safe. */
void sluice_capture_abandon(void);

/* Returns whether an address lies in a mapping of an I/O process's segment. Async-signal-safe. */
bool sluice_capture_has_mapped(const void *address);

/* Returns false in a child that shares its parent's memory: a client is the parent's then. */
bool sluice_capture_own(void);

/*
 * True once threads of this process may have descriptors of their own. Never becomes false again.
 */
extern atomic_bool sluice_capture_divided;

/*
 * Returns whether `fd` is a regular file below the capture directory, or an image under any name. A
 * file made there without a name (O_TMPFILE) counts, as a link may name it.
 *
 * Fills in the file's status and its real path, told by the kernel, so that links need no
 * resolving. The path is empty where it is longer than the kernel tells; the file may be outside
 * the directory then.
 */
bool sluice_capture_file(int fd, struct stat *status, char path[PATH_MAX]);

/*
 * Returns whether `fd`, a directory perhaps, is below the capture directory. Fills in its real
 * path.
 */
bool sluice_capture_has(int fd, char path[PATH_MAX]);

/* Returns whether a path lies below the capture directory, or is that. Follows no link. */
bool sluice_capture_names(const char *path);

/* Returns the state of the image of this file: SLUICE_IMAGE_STATE_*. */
int sluice_capture_image_state(const struct stat *status);
