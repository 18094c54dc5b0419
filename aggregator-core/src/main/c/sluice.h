/*
 * Sluice: checkpoints by way of the node's I/O process.
 *
 * A program writes the images of a numbered checkpoint into memory shared with the I/O process and
 * goes on computing. The I/O process makes them durable, all of them or none:
 *
 *     sluice_session *session;
 *     sluice_image *image;
 *     if (sluice_session_open(NULL, -1, 0, &session) != 0
 *         || sluice_checkpoint_begin(session, step) != 0
 *         || sluice_image_create(session, step, "state", &image) != 0
 *         || sluice_image_write(image, data, length) < 0
 *         || sluice_image_close(image) != 0
 *         || sluice_checkpoint_complete(session, step) != 0) {
 *         fprintf(stderr, "checkpoint %d: %s\n", step, sluice_message());
 *     }
 *
 * and after a failure reads them back:
 *
 *     int fd = sluice_image_restart(session, SLUICE_NEWEST, "state");
 *
 * Every function returns 0, a count or a descriptor on success, and a negative errno otherwise;
 * sluice_message() then says in a sentence what happened. A session or an image that could not be
 * had is set to NULL, with which every call fails with -EBADF. So a program may go on without
 * checkpoints. Every call fails with -EIO once the I/O process is gone, until the session is closed
 * and another one opened. None prints, exits or raises a signal.
 *
 * Threads: every function may be called from any thread at any time, except that a session or an
 * image must not be used during or after the call that closes it. Writes of several threads to one
 * image take effect one after another. None may be called from a signal handler.
 *
 * Fork: a child may go on using a session: the first call in it attaches the child by itself, with
 * the same rank. An image opened before the fork belongs to the parent; in the child every call on
 * it fails with -ESTALE, except sluice_image_close, which frees it. A program started by exec
 * inherits nothing.
 *
 * Link with -lsluice. Linux on x86-64 and aarch64.
 */
#ifndef SLUICE_H
#define SLUICE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef SLUICE_API /* a library may have all of this for itself */
#define SLUICE_API __attribute__((visibility("default")))
#endif

/* The checkpoint committed last. */
#define SLUICE_NEWEST INT64_C(-1)

/*
 * NULL where no parameter may be: -EINVAL, but for a session and an image, which are the result of a call that failed: -EBADF.
 */

/* One process's membership in a job, as the I/O process sees it. */
typedef struct sluice_session sluice_session;

/* One file of a checkpoint, being written by this process. */
typedef struct sluice_image sluice_image;

/*
 * Attaches to the I/O process that owns `directory`; NULL means the environment's SLUICE_DIRECTORY,
 * which `sluice run` sets. `rank` counts from 0 up to `ranks`, the number of
 * processes that take part in the checkpoints of the whole job. With `rank` < 0 both come from
 * SLUICE_RANK and SLUICE_RANKS or else from the launcher (Open MPI, PMI, PMIx, Slurm); a process
 * without any is rank 0 of 1. How many of the ranks run on this node comes from SLUICE_LOCAL_RANKS
 * or else from the launcher.
 *
 * Waits up to SLUICE_PATIENCE seconds (30 unless told) for an I/O process that was killed to be
 * resumed.
 *
 * -EINVAL: no directory, or a rank not below `ranks`; -ENOENT, -ECONNREFUSED: no I/O process there;
 * -EPROTONOSUPPORT: it is of another release; -EUSERS: it has no slot left for another process.
 */
SLUICE_API int sluice_session_open(const char *directory, int rank, int ranks,
                                   sluice_session **session);

/*
 * Detaches and frees the session. What was written stays with the I/O process. -EBUSY, and nothing
 * is done, while an image is open.
 */
SLUICE_API int sluice_session_close(sluice_session *session);

/*
 * Begins checkpoint `checkpoint` >= 0. Every rank calls it; beginning again changes nothing.
 * -EINVAL: the job runs on several nodes, and neither the launcher nor --writers says how many
 * ranks on this one.
 */
SLUICE_API int sluice_checkpoint_begin(sluice_session *session, int64_t checkpoint);

/*
 * Says that this rank has closed its last image of the checkpoint. Does not wait. The checkpoint is
 * committed once every rank that runs on this node has said so and everything is on stable storage.
 * Until then a restart sees the one before. Committing a number again supersedes it. Of a job on
 * several nodes each node commits its part, without regard to the others.
 */
SLUICE_API int sluice_checkpoint_complete(sluice_session *session, int64_t checkpoint);

/*
 * Waits until the checkpoint, or this node's part of it, is committed. A negative `timeout`, in
 * milliseconds, waits for ever. -ETIMEDOUT: it is not yet; otherwise the error that keeps it from
 * ever being.
 */
SLUICE_API int sluice_checkpoint_wait(sluice_session *session, int64_t checkpoint, int64_t timeout);

/*
 * The committed checkpoints, or parts of them, in the store of this node, in the order of their
 * commits. Stores the newest `capacity` of them, oldest first, and returns how many there are; with
 * `capacity` 0 only that.
 */
SLUICE_API int sluice_checkpoint_list(sluice_session *session, int64_t *checkpoints,
                                      size_t capacity);

/*
 * Creates an empty image. `name` is a relative path without "." and "..", of at most 1000 bytes.
 * Each rank has names of its own. -EEXIST: this process has created that image of this checkpoint.
 * -EINVAL: another name, or a checkpoint that was not begun.
 */
SLUICE_API int sluice_image_create(sluice_session *session, int64_t checkpoint, const char *name,
                                   sluice_image **image);

/*
 * Writes at the image's position, which begins at 0, and moves it on. Returns `length`: a write is
 * all or an error. An error that the I/O process meets later in draining, such as -ENOSPC, is
 * returned by the next call on the image, and by all after it.
 */
SLUICE_API ssize_t sluice_image_write(sluice_image *image, const void *data, size_t length);

/* The same at `offset` >= 0; the position stays. What is never written reads back as zero. */
SLUICE_API ssize_t sluice_image_pwrite(sluice_image *image, const void *data, size_t length,
                                       int64_t offset);

/*
 * The same if it can be done by a copy into memory alone, which neither waits nor enters the kernel.
 * -EAGAIN, without a message: it cannot; sluice_image_pwrite does it.
 */
SLUICE_API ssize_t sluice_image_try_pwrite(sluice_image *image, const void *data, size_t length,
                                           int64_t offset);

/*
 * Reads at `offset` >= 0 what was written, from the image's own file, into which it is brought before;
 * the position stays. Returns how many bytes there were, fewer than `length` at the end, 0 behind it.
 */
SLUICE_API ssize_t sluice_image_pread(sluice_image *image, void *data, size_t length,
                                      int64_t offset);

/* The image's length in bytes. */
SLUICE_API int64_t sluice_image_size(sluice_image *image);

/* Sets the image's length, cutting it or extending it with zeros. The position stays. */
SLUICE_API int sluice_image_truncate(sluice_image *image, int64_t length);

/* Returns once everything written to the image so far is on stable storage. */
SLUICE_API int sluice_image_sync(sluice_image *image);

/* Ends the image and frees it, whatever it returns. Does not wait for the drain. */
SLUICE_API int sluice_image_close(sluice_image *image);

/*
 * Opens what this rank wrote as `name` in a committed checkpoint, or SLUICE_NEWEST: a descriptor of
 * a rebuilt, verified copy, for reading, close-on-exec, at position 0; the caller closes it, and
 * the copy is gone. -ENOENT: no such checkpoint or image; -EBADMSG: its data are damaged.
 */
SLUICE_API int sluice_image_restart(sluice_session *session, int64_t checkpoint, const char *name);

/* What went wrong in the last failed call of this thread: one line; never NULL. */
SLUICE_API const char *sluice_message(void);

#ifdef __cplusplus
}
#endif

#endif
