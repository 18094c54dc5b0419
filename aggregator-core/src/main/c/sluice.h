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
 * Threads: every function may be called from any thread at any time. Only a session or an image
 * must not be used during or after the call that closes it. Writes of several threads to one image
 * take effect one after another. None may be called from a signal handler.
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

#ifndef SLUICE_API /* a library may keep its own copy private */
#define SLUICE_API __attribute__((visibility("default")))
#endif

/* Stands for the checkpoint committed last. */
#define SLUICE_NEWEST INT64_C(-1)

/* The bytes of the longest name of a checkpoint, and of the 0 behind it. */
#define SLUICE_NAME_LENGTH 101

/*
 * -EINVAL: a parameter that may not be NULL is NULL. -EBADF instead: the session or the image is
 * NULL, since the call that should have made it failed.
 */

/* A session: the membership of this process in a job, as the I/O process sees it. */
typedef struct sluice_session sluice_session;

/* An image: a file of a checkpoint that this process is writing. */
typedef struct sluice_image sluice_image;

/*
 * Attaches to the I/O process that owns `directory`. NULL stands for SLUICE_DIRECTORY of the
 * environment, which `sluice run` sets.
 *
 * `rank` counts from 0 up to `ranks`, the number of processes that take part in the checkpoints of
 * the whole job. With `rank` < 0 both come from SLUICE_RANK and SLUICE_RANKS, or else from the
 * launcher (Open MPI, PMI, PMIx, Slurm). A process without any is rank 0 of 1. The number of ranks
 * on this node comes from SLUICE_LOCAL_RANKS or else from the launcher.
 *
 * Waits up to SLUICE_PATIENCE seconds (30 by default) for a killed I/O process to be resumed.
 *
 * -EINVAL: no directory, or a rank not below `ranks`. -ENOENT, -ECONNREFUSED: no I/O process is
 * there. -EPROTONOSUPPORT: the I/O process is of another release. -EUSERS: the I/O process has no
 * slot left. The caller owns *session and closes it; *session is NULL after an error.
 */
SLUICE_API int sluice_session_open(const char *directory, int rank, int ranks,
                                   sluice_session **session);

/*
 * Detaches and frees the session. The bytes written stay with the I/O process. A checkpoint that
 * this process fills, and that has files of its rank, is given up. -EBUSY, and nothing is done,
 * while an image is open.
 */
SLUICE_API int sluice_session_close(sluice_session *session);

/*
 * Begins checkpoint `checkpoint` >= 0. Every rank calls it; beginning again changes nothing.
 *
 * Under the shim this process fills the checkpoint from here on, until it completes that. Files
 * that it creates or empties in the capture directory belong to the checkpoint, whatever they are
 * called. `sluice restore` gives them back under the names that they have at the commit.
 *
 * -EBUSY: another checkpoint that this process fills has files, or this process has completed this
 * one with files. -EEXIST: another living process of this rank has it open; each needs a rank of
 * its own. -EINVAL: the number is negative, or the job runs on several nodes and nobody says
 * how many ranks run on this one. The launcher or --writers says so.
 */
SLUICE_API int sluice_checkpoint_begin(sluice_session *session, int64_t checkpoint);

/*
 * Adds a file in the capture directory to a checkpoint that this process has begun. Another thread
 * or process may be writing the file, or write one of this name later: the commit waits until it is
 * there and closed. A file that is there already is taken as it is, so delete one that is to be
 * written anew. Returns 0. Without the shim the file has to be there, and its bytes are copied:
 * returns 1. The file may change then.
 *
 * -EINVAL: the path is not in the capture directory, or the process has not begun the checkpoint.
 * -EISDIR: the path is a directory's. -EEXIST: the file is of another checkpoint. -ENOENT: there is
 * no such directory, or without the shim no such file.
 */
SLUICE_API int sluice_checkpoint_add(sluice_session *session, int64_t checkpoint, const char *path);

/*
 * Gives a checkpoint that this process has begun a name beside its number. Other ranks need not, or
 * give the same. The name is committed with the checkpoint, and `sluice restore` and other
 * commands take the name for the number.
 *
 * A name has 1 to 100 bytes of UTF-8, without slashes and control characters. No name has digits
 * only, or begins with a sign. A later checkpoint may have the name of an earlier one. Then the
 * name means the checkpoint that was committed last, and the number still means the other.
 *
 * Where nodes give one checkpoint several names, that of the lowest rank counts.
 *
 * -EEXIST: the checkpoint has another name already. -EINVAL: the name is not such a text, or this
 * rank has not begun the checkpoint, or has completed it.
 */
SLUICE_API int sluice_checkpoint_name(sluice_session *session, int64_t checkpoint,
                                      const char *name);

/*
 * Declares that this rank has closed its last image of the checkpoint. Does not wait. The
 * checkpoint is committed once every rank of this node has declared so, no process has a file of it
 * open, and everything is on stable storage. Until then a restart sees the checkpoint before.
 * Committing a number again supersedes the former commit. Each node of a job commits its own part,
 * independently of the others.
 *
 * The checkpoint is given up if a file of it was not captured, or was left open by a process that
 * was killed. sluice_checkpoint_wait() says so. -ENODATA: no rank has put anything into the
 * checkpoint, which is given up.
 */
SLUICE_API int sluice_checkpoint_complete(sluice_session *session, int64_t checkpoint);

/*
 * Gives up a checkpoint that this process has begun and not completed, as after an error: it is not
 * committed, and its files stay plain files. -EINVAL: there is none such.
 */
SLUICE_API int sluice_checkpoint_cancel(sluice_session *session, int64_t checkpoint);

/*
 * Waits until the checkpoint, or this node's part of it, is committed. `timeout` is in
 * milliseconds; a negative one waits for ever. -ETIMEDOUT: the commit is still to come. Any other
 * error says why the checkpoint will never be committed.
 */
SLUICE_API int sluice_checkpoint_wait(sluice_session *session, int64_t checkpoint, int64_t timeout);

/*
 * Lists the committed checkpoints, or parts of them, in the store of this node. Stores the numbers
 * of the newest `capacity` of them in `checkpoints`, in the order of their commits. Returns how
 * many there are in the store, of which it knows the newest 8190 at most. `checkpoints` may be NULL
 * if `capacity` is 0.
 */
SLUICE_API int sluice_checkpoint_list(sluice_session *session, int64_t *checkpoints,
                                      size_t capacity);

/* Stores the number of the checkpoint that was committed last. -ENOENT: there is none. */
SLUICE_API int sluice_checkpoint_newest(sluice_session *session, int64_t *checkpoint);

/*
 * Stores the number of the checkpoint called `name`. Of several the one that was committed last
 * counts. -ENOENT: there is none.
 */
SLUICE_API int sluice_checkpoint_find(sluice_session *session, const char *name,
                                      int64_t *checkpoint);

/*
 * Stores the name of a committed checkpoint, or of SLUICE_NEWEST. The name is empty where the
 * checkpoint has none. -ENOENT: there is no such checkpoint.
 */
SLUICE_API int sluice_checkpoint_name_of(sluice_session *session, int64_t checkpoint,
                                         char name[SLUICE_NAME_LENGTH]);

/*
 * Restores all files of a committed checkpoint, or of this node's part of it, into `directory`, as
 * `sluice restore` does. SLUICE_NEWEST stands for the newest. The directory is made if missing, and
 * may be a relative path. Every byte is verified, and files get their names once all are there. A
 * file that is there already as it was committed stays. So all ranks may ask for one directory, and
 * each may ask again. Files that several nodes wrote stay where they are. Waits until all is done.
 * Other calls of this process that need the I/O process wait meanwhile, and so does an opening of a
 * captured file.
 *
 * After an error no file is restored. -ENOENT: there is no such checkpoint, or it lacks the files
 * of a rank. -EEXIST: another file is there. -EIO: data are damaged. -EINVAL: the directory is in
 * the store. Otherwise the error of the directory's file system, such as -ENOSPC.
 */
SLUICE_API int sluice_checkpoint_restore(sluice_session *session, int64_t checkpoint,
                                         const char *directory);

/*
 * Creates an empty image. `name` is a relative path without "." and "..", of 1 to 1000 bytes. Each
 * rank has names of its own. -EEXIST: this process has created this image of this checkpoint
 * before. -EINVAL: the name is not such a path, or the checkpoint was not begun. The caller owns
 * *image and closes it; *image is NULL after an error.
 */
SLUICE_API int sluice_image_create(sluice_session *session, int64_t checkpoint, const char *name,
                                   sluice_image **image);

/*
 * Writes at the image's position, which begins at 0, and moves the position on. Returns `length`: a
 * write is done as a whole or fails. The I/O process may meet an error such as -ENOSPC later, while
 * it drains. The next call on the image returns that error, and so do all after it.
 */
SLUICE_API ssize_t sluice_image_write(sluice_image *image, const void *data, size_t length);

/*
 * Writes at `offset` >= 0, in bytes; the position stays. Bytes that are never written read back as
 * zero.
 */
SLUICE_API ssize_t sluice_image_pwrite(sluice_image *image, const void *data, size_t length,
                                       int64_t offset);

/*
 * Writes at `offset` if copying into memory is enough: neither waits nor enters the kernel.
 * -EAGAIN, without a message: the copy is not enough; call sluice_image_pwrite().
 */
SLUICE_API ssize_t sluice_image_try_pwrite(sluice_image *image, const void *data, size_t length,
                                           int64_t offset);

/*
 * Reads at `offset` >= 0, in bytes; the position stays. First brings everything written so far into
 * the image's own file, and reads from there. Returns the number of bytes read: fewer than `length`
 * at the end of the image, 0 behind it.
 */
SLUICE_API ssize_t sluice_image_pread(sluice_image *image, void *data, size_t length,
                                      int64_t offset);

/* Returns the image's length in bytes. */
SLUICE_API int64_t sluice_image_size(sluice_image *image);

/*
 * Sets the image's length in bytes, cutting the image or extending it with zeros. The position
 * stays.
 */
SLUICE_API int sluice_image_truncate(sluice_image *image, int64_t length);

/* Returns once everything written to the image so far is on stable storage. */
SLUICE_API int sluice_image_sync(sluice_image *image);

/* Ends the image and frees it, even if it returns an error. Does not wait for the drain. */
SLUICE_API int sluice_image_close(sluice_image *image);

/*
 * Opens the image that this rank wrote as `name` in a committed checkpoint, or in SLUICE_NEWEST.
 * Returns a descriptor of a rebuilt, verified copy: for reading, close-on-exec, at position 0. The
 * caller closes the descriptor, which removes the copy. -ENOENT: there is no such checkpoint or
 * image. -EIO: the image's data are damaged.
 */
SLUICE_API int sluice_image_restart(sluice_session *session, int64_t checkpoint, const char *name);

/*
 * Returns one line about the last failed call of this thread; never NULL. The text is valid until
 * the thread's next failed call.
 */
SLUICE_API const char *sluice_message(void);

#ifdef __cplusplus
}
#endif

#endif
