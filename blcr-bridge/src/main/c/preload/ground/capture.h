/* Which files are captured, and this process's connection to the I/O process. */
#pragma once

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "client.h"

extern int sluice_capture_state; /* 0 not looked at yet, 1 off, 2 on */

bool sluice_capture_look(void);

/* True when the environment names a capture directory, and an I/O process or a trace. */
static inline bool sluice_capture_on(void)
{
    return sluice_capture_state == 0 ? sluice_capture_look() : sluice_capture_state == 2;
}

/* The segment, mapped at the first call; NULL without an I/O process, or while it is not mapped. */
const struct sluice_segment *sluice_capture_segment(void);

/*
 * The client, attached at the first call; NULL when that failed, then and for good, and while the
 * segment is not mapped.
 */
struct sluice_client *sluice_capture_client(void);

/* Attaches before the first call if that needs no waiting. Nothing is lost where it fails. */
void sluice_capture_attach_early(void);

/*
 * Before a program that may be outside Sluice can follow this one, which may have closed its files:
 * has the I/O process take those that this process has entered.
 */
void sluice_capture_have_taken(void);

/*
 * A file that is opened for writing cannot be announced to the I/O process: counts it, and says why
 * on standard error, once.
 */
void sluice_capture_missed(const char *path, const char *why);

/*
 * Whether this process is about to end well, or to become another program: false when it fails, or
 * stays what it is.
 * Async-signal-safe.
 */
void sluice_capture_leave(bool leaving);

/* In a child: the parent's client is none of ours. Async-signal-safe. */
void sluice_capture_abandon(void);

/* Whether an address lies in what is mapped of an I/O process. Async-signal-safe. */
bool sluice_capture_has_mapped(const void *address);

/* False in a child that shares its parent's memory: the client, if there is one, is the parent's. */
bool sluice_capture_own(void);

/* Whether threads of this process may have descriptors of their own. It does not change back. */
extern atomic_bool sluice_capture_divided;

/*
 * True when `fd` is a regular file below the capture directory, or an image under any name. One that was made
 * there without a name (O_TMPFILE) counts: a link may give it one.
 * Fills in its status and its real path, which the kernel tells, so links need no resolving. The path is
 * empty where it is longer than the kernel tells; then the file may also be elsewhere.
 */
bool sluice_capture_file(int fd, struct stat *status, char path[PATH_MAX]);

/* True when what `fd` stands for, a directory perhaps, is below the capture directory. Fills in its real path. */
bool sluice_capture_has(int fd, char path[PATH_MAX]);

/* The state of the image with this identity: SLUICE_IMAGE_STATE_*. */
int sluice_capture_image_state(const struct stat *status);
