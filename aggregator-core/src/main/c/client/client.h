/*
 * An application process's side of the segment. This header is internal: libsluice and the shim
 * share it, and it is not installed. docs/format.md specifies the structures, docs/architecture.md
 * the rules.
 *
 * Every function returns 0 (or a count) on success and a negative errno otherwise. Any thread may
 * call it at any time, unless its comment names a lock that the caller holds.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "failure.h"
#include "lock.h"
#include "sluice_layout.h"
#include "tally.h"

/*
 * The mapped segment of an I/O process. A mapping needs no slot, and the I/O process does not learn
 * of it.
 */
struct sluice_segment;

int sluice_segment_map(const char *directory, struct sluice_segment **segment);
void sluice_segment_unmap(struct sluice_segment *segment);

/*
 * Unmaps the segment, but keeps what is known of it. Its place in a restarted process is not ours.
 */
void sluice_segment_leave(const struct sluice_segment *segment);

/* Returns whether an address lies in the mapping, which may itself be unmapped. */
bool sluice_segment_has(const struct sluice_segment *segment, const void *address);

/*
 * Returns whether the segment is still mapped, as far as is known. Costs two loads while there is no
 * doubt. Async-signal-safe.
 */
bool sluice_segment_present(const struct sluice_segment *segment);

/*
 * Gives the logical size, in bytes, of an image whose own file may be shorter. False when the
 * kernel's size is right. Lock-free, async-signal-safe.
 */
bool sluice_segment_size(const struct sluice_segment *segment, dev_t device, ino_t inode,
                         int64_t *size);

/*
 * Returns whether a direct image was longer, when it was logged, than `size`. The kernel may have
 * told `size` before the file got those bytes. Lock-free, async-signal-safe.
 */
bool sluice_segment_was_longer(const struct sluice_segment *segment, dev_t device, ino_t inode,
                               int64_t size);

uint64_t sluice_segment_hash(dev_t device, ino_t inode);

/* Returns the state of the image of this file; SLUICE_IMAGE_STATE_FREE when there is none. */
int sluice_segment_state(const struct sluice_segment *segment, dev_t device, ino_t inode);

/*
 * Returns the entry of an image that the I/O process has not yet taken from its creator's ring;
 * else NULL. The I/O process then has no descriptor of the file, and knows only the name that the
 * file was created by.
 */
struct sluice_image_entry *sluice_segment_untaken(const struct sluice_segment *segment,
                                                  dev_t device, ino_t inode, int *state);

/* Returns false while some ring may hold an untaken image. */
bool sluice_segment_quiet(const struct sluice_segment *segment);

/* A process attached to a slot. */
struct sluice_client;

int sluice_client_attach(const char *directory, int rank, int ranks, struct sluice_client **client);

/*
 * Asks for a slot before the process has opened a file, and does not wait for the answer. `asked`
 * serves for the two functions that follow only.
 */
int sluice_client_ask(const char *directory, int rank, int ranks, struct sluice_client **asked);

/*
 * Attaches a process that has asked, as sluice_client_attach() does. Asks anew where the answer is a
 * refusal. Asks anew as well if the I/O process is gone, the program has closed the socket, or
 * another process asked. `asked` is the caller's no more.
 */
int sluice_client_attach_asked(const char *directory, struct sluice_client *asked,
                               struct sluice_client **client);

/*
 * Lets go of the parent's socket in a child process. Takes no lock and frees no memory:
 * async-signal-safe.
 */
void sluice_client_abandon_asked(struct sluice_client *asked);

/* Publishes the open chunk and gives the slot back. Does so for the client's successors, too. */
void sluice_client_detach(struct sluice_client *client);

/*
 * Tells the I/O process that this process is about to exit normally or to exec. A process that goes
 * without this counts as failed. Lock-free, async-signal-safe.
 */
void sluice_client_leave(struct sluice_client *client, bool leaving);

/*
 * Lets go of the parent's socket and mapping, in a child process, without telling the I/O process.
 * Takes no lock and frees no memory: async-signal-safe. The client and its images must not be used
 * any more.
 */
void sluice_client_abandon(struct sluice_client *client);

/*
 * Returns whether the I/O process is gone for good. An error of a request then does not come from
 * it.
 */
bool sluice_client_lost(const struct sluice_client *client);

/*
 * Returns whether something else is mapped over the client's segment for a while, as a checkpointer
 * does. No thread can log meanwhile, nor touch the segment. Costs one load while there is no doubt.
 */
bool sluice_client_away(const struct sluice_client *client);

/* Returns whether the locks of the client are free, or become free within a moment. */
bool sluice_client_idle(struct sluice_client *client);

/*
 * Returns whether the slot is no longer this process's own. Nothing may be stored into the segment
 * then.
 */
bool sluice_client_adrift(struct sluice_client *client);

/*
 * Returns the client itself, or the client attached in its place, once, after it lost its slot.
 * NULL if that attach failed. The old client must not be detached while images refer to it.
 */
struct sluice_client *sluice_client_current(struct sluice_client *client);

/*
 * Returns whether an address lies in the client's segment, or in one of its successors'.
 * Async-signal-safe.
 */
bool sluice_client_has(const struct sluice_client *client, const void *address);

/*
 * An image as this process sees it. The `fd` that functions take is a descriptor of the image's own
 * file, open for writing, without O_APPEND. The caller keeps it.
 */
struct sluice_image_entry;
struct sluice_log_image {
    struct sluice_client *client;
    struct sluice_image_entry *entry; /* entry in the segment; NULL once the image is direct */
    struct sluice_tally tally;        /* counts what goes to the image's own file */
    struct sluice_lock lock; /* guards every field; the functions below name callers that hold it */
    uint32_t id;
    int64_t device; /* identity of a diverted image, as in its entry */
    int64_t inode;
    int64_t pending_low; /* bounds of logged bytes that its own file may lack */
    int64_t pending_high;
    int64_t last_chunk; /* number of the chunk with its last record, 0 for none */
    int64_t opened;     /* time of the opening, CLOCK_MONOTONIC in ns */
    uint32_t directs;   /* count of its writes to its own file */
};

struct sluice_disposition {
    int kind; /* SLUICE_REQUEST_PLAIN, _DIRECT or _DIVERT */
    int32_t entry;
    uint32_t id;
    int32_t reason; /* why the file is not diverted, SLUICE_REASON_* */
    int64_t size;
};

/* The flag that keeps an opened file from being diverted, with the reason. */
static inline int sluice_open_direct(int reason)
{
    return SLUICE_REQUEST_OPEN_DIRECT | reason << SLUICE_REQUEST_OPEN_REASON_SHIFT;
}

/*
 * Announces an opened file with the request OPEN. Flags are SLUICE_REQUEST_OPEN_*, the device is of
 * sluice_device(). `path` is absolute.
 */
int sluice_client_announce(struct sluice_client *client, struct sluice_request_open request,
                           const char *path, struct sluice_disposition *disposition);

/*
 * A file that this process has just created. The file has one name and is open for writing, in no
 * other process.
 */
struct sluice_created {
    int fd;
    dev_t device;
    ino_t inode;
    off_t size; /* bytes, as measured a moment ago */
    const char *path;
};

/*
 * Registers the file as an image without a round trip: logged if `reason` is SLUICE_REASON_NONE,
 * else direct. False: the caller has to ask for it by sluice_client_announce(), as for a file of
 * another opener.
 */
bool sluice_client_enter(struct sluice_client *client, const struct sluice_created *file,
                         int reason, struct sluice_disposition *disposition);

/*
 * Returns once the I/O process has taken all images that this process has entered. From then on the
 * I/O process holds up other programs that open such a file until the file is whole. Where the
 * kernel allows only leases for that, it covers files that this process has closed.
 */
void sluice_client_have_taken(struct sluice_client *client);

void sluice_log_init(struct sluice_log_image *image, struct sluice_client *client,
                     const struct sluice_disposition *disposition);

/*
 * Sets the size of a new image whose file holds `size` bytes already. The caller holds image->lock.
 */
void sluice_log_grown(struct sluice_log_image *image, int64_t size);

/*
 * Makes `image` direct after its file, no image before, has become one. The caller holds
 * image->lock.
 */
void sluice_log_adopt(struct sluice_log_image *image, struct sluice_client *client,
                      const struct sluice_disposition *disposition);

/*
 * Returns whether writes are to be logged. Costs one load of this process's memory. Another process
 * may have made the image direct in the meantime. Then the next of the functions below waits until
 * the image's own file holds everything, and returns -ESTALE. From then on the caller uses the
 * file. The caller holds image->lock.
 */
static inline bool sluice_log_diverted(const struct sluice_log_image *image)
{
    return image->entry != NULL;
}

/*
 * Returns the logical size in bytes, or -ESTALE: the kernel's size is right. The caller holds
 * image->lock.
 */
int64_t sluice_log_size(struct sluice_log_image *image);

/*
 * Returns the length of a logged image in bytes. For an image entered as small: the bytes that all
 * processes have written to it. -1 for other images, and where the count is unknown. The caller
 * holds image->lock.
 */
int64_t sluice_log_written(const struct sluice_log_image *image);

/*
 * Writes to a diverted image: to the log below the threshold, to `fd` otherwise. The caller holds
 * image->lock. Returns the bytes written, -ESTALE when the image is direct and nothing was written,
 * or the errno that the drain met.
 */
ssize_t sluice_log_pwrite(struct sluice_log_image *image, int fd, const void *data, size_t length,
                          int64_t offset);

/*
 * Reads from a descriptor into a diverted image, at most `length` bytes: into the open chunk, or
 * past it into `fd` if as many as the threshold are there. The image has nothing at `offset` and
 * behind it. Bytes are there, or the end, so that the read does not wait. The caller holds
 * image->lock. Returns the bytes read, 0 at the end, or a negative errno as above.
 */
ssize_t sluice_log_fill(struct sluice_log_image *image, int fd, int source, size_t length,
                        int64_t offset);

/* Adds a message to a negative errno of a read or a splice that is no mere interruption. */
ssize_t sluice_log_source(ssize_t result);

/* The longest write that sluice_log_try_pwrite() accepts, in bytes. */
#define SLUICE_LOG_TRIED (64 << 10)

/*
 * Logs a write if that takes neither a wait nor a system call. -EAGAIN otherwise: call
 * sluice_log_pwrite(). The caller holds image->lock.
 */
ssize_t sluice_log_try_pwrite(struct sluice_log_image *image, const void *data, size_t length,
                              int64_t offset);

/* Sets the size of a diverted image, in bytes. The caller holds image->lock. -ESTALE as above. */
int sluice_log_truncate(struct sluice_log_image *image, int fd, int64_t size);

/*
 * Extends the image's own file, open as `fd`, to the length of the image, at the end of an opening
 * for writing. Does so only while other programs wait for the file, and up to `most` bytes. Returns
 * false if the file stays as it is. The caller holds image->lock, and is the only thread in this
 * function.
 */
bool sluice_log_lengthen(struct sluice_log_image *image, int fd, int64_t most);

/*
 * Makes the image's own file hold everything written so far. A `reason` other than
 * SLUICE_REASON_NONE makes the image direct for good. For a direct image, only notes that uncounted
 * writes may follow. The caller holds image->lock.
 */
int sluice_log_settle(struct sluice_log_image *image, int reason);

/*
 * Makes the image direct for good. The I/O process closes the file until all others have closed it.
 * The kernel's count of openers then covers programs only. The caller holds image->lock.
 */
int sluice_log_let_go(struct sluice_log_image *image);

/*
 * Returns once everything written so far is on stable storage. -ESTALE as above: call fsync() on
 * the file instead. The caller holds image->lock.
 */
int sluice_log_sync(struct sluice_log_image *image);

/*
 * Returns whether the image's openings cannot be ended now, because the segment is not mapped for a
 * while.
 */
static inline bool sluice_log_away(const struct sluice_log_image *image)
{
    return image->client != NULL && sluice_client_away(image->client);
}

/*
 * Ends one announced opening: publishes the image's records and reports the close. Returns the
 * errno that the drain has met so far. The caller holds image->lock, and may announce the same
 * image again.
 */
int sluice_log_end(struct sluice_log_image *image);

/*
 * Returns whether every new file must be announced to the I/O process, as always on jobs of several
 * nodes.
 */
bool sluice_client_asks(const struct sluice_client *client);

/* Send the requests RENAMED and REPLACE. */
int sluice_client_renamed(struct sluice_client *client, dev_t device, ino_t inode);
int sluice_client_replace(struct sluice_client *client, dev_t device, ino_t inode, int flags,
                          const char *path);
