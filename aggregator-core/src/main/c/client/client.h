/*
 * An application process's side of the segment. Internal: shared by libsluice and the shim, not
 * installed. docs/format.md specifies the structures, docs/architecture.md the rules.
 *
 * Every function returns 0 (or a count) on success and a negative errno otherwise. It may be called
 * from any thread unless it says what the caller must hold.
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

/* The mapped segment of an I/O process. Mapping it needs no slot and tells nobody. */
struct sluice_segment;

int sluice_segment_map(const char *directory, struct sluice_segment **segment);
void sluice_segment_unmap(struct sluice_segment *segment);

/* Whether an address lies in the mapping, if that still is one. */
bool sluice_segment_has(const struct sluice_segment *segment, const void *address);

/*
 * Whether the segment is still mapped, as far as is known: one load as long as there is no doubt.
 * Async-signal-safe.
 */
bool sluice_segment_present(const struct sluice_segment *segment);

/*
 * The logical size of an image whose file may be shorter; false when the kernel's size is the right one.
 * Lock-free, async-signal-safe.
 */
bool sluice_segment_size(const struct sluice_segment *segment, dev_t device, ino_t inode,
                         int64_t *size);

/*
 * Whether a direct image was longer when it was logged than the kernel has just said. It may have said so before
 * the file got those bytes. Lock-free, async-signal-safe.
 */
bool sluice_segment_was_longer(const struct sluice_segment *segment, dev_t device, ino_t inode,
                               int64_t size);

/* What tells a file from most others. */
uint64_t sluice_segment_hash(dev_t device, ino_t inode);

/* The state of the image with this identity, SLUICE_IMAGE_STATE_FREE when there is none. */
int sluice_segment_state(const struct sluice_segment *segment, dev_t device, ino_t inode);

/*
 * The entry of an image that a process has entered, and the I/O process has not taken from that one's ring
 * yet: it has no descriptor of the file, and knows it by the name it was created by. NULL for any other file.
 */
struct sluice_image_entry *sluice_segment_untaken(const struct sluice_segment *segment,
                                                  dev_t device, ino_t inode, int *state);

/* False while some ring may hold such an image. */
bool sluice_segment_quiet(const struct sluice_segment *segment);

/* A process attached to a slot. */
struct sluice_client;

int sluice_client_attach(const char *directory, int rank, int ranks, struct sluice_client **client);

/*
 * The same before the process has opened a file: an I/O process that is not ready is not waited for,
 * and one that is short of slots refuses. Who gets none may attach later.
 */
int sluice_client_attach_early(const char *directory, int rank, int ranks,
                               struct sluice_client **client);

/* Publishes what is open and gives the slot back; its successor's, too. */
void sluice_client_detach(struct sluice_client *client);

/*
 * Says whether this process is about to end well, or to become another program: one that goes
 * without having said so has failed or was killed. Lock-free, async-signal-safe.
 */
void sluice_client_leave(struct sluice_client *client, bool leaving);

/*
 * In a child process: lets go of the parent's socket and mapping without a word. Takes no
 * lock and frees no memory, so it is async-signal-safe. Neither the client nor its images may be
 * used any more.
 */
void sluice_client_abandon(struct sluice_client *client);

/* Whether the I/O process is gone for good, so that its refusals are nobody's answer. */
bool sluice_client_lost(const struct sluice_client *client);

/*
 * Whether something else is mapped over its segment for a while, as a checkpointer does: nobody can
 * log anything, and nothing of the segment may be touched. One load as long as there is no doubt.
 */
bool sluice_client_away(const struct sluice_client *client);

/* Whether no thread is in the middle of something with it, or is over with that in a moment. */
bool sluice_client_idle(struct sluice_client *client);

/* Whether its slot is not, or no longer, this process's. Nothing goes into its segment then. */
bool sluice_client_adrift(struct sluice_client *client);

/*
 * The client itself, or, if it is adrift, the one that this process then attached in its place,
 * once; NULL if that failed. The old one must not be detached while images refer to it.
 */
struct sluice_client *sluice_client_current(struct sluice_client *client);

/* Whether an address lies in its segment, or in one of its successors. Async-signal-safe. */
bool sluice_client_has(const struct sluice_client *client, const void *address);

/*
 * An image as this process sees it. `fd` is a descriptor of the image's own file, open for writing,
 * without O_APPEND; it stays the caller's.
 */
struct sluice_image_entry;
struct sluice_log_image {
    struct sluice_client *client;
    struct sluice_image_entry *entry; /* in the segment; NULL once the image is direct */
    struct sluice_tally tally;        /* of what goes to the image's own file */
    struct sluice_lock lock;          /* guards every field, held by callers that say so below */
    uint32_t id;
    int64_t device; /* of a diverted image, as its entry has them */
    int64_t inode;
    int64_t pending_low; /* bounds of what was logged and may not be in the image's own file yet */
    int64_t pending_high;
    int64_t last_chunk; /* sequence of the chunk with its last record, 0 for none */
    int64_t opened;     /* CLOCK_MONOTONIC, ns */
    uint32_t directs;   /* writes of it that went to its file */
};

struct sluice_disposition {
    int kind; /* SLUICE_REQUEST_PLAIN, _DIRECT or _DIVERT */
    int32_t entry;
    uint32_t id;
    int32_t reason; /* why it is not diverted, SLUICE_REASON_* */
    int64_t size;
};

/* The flag that keeps an opened file from being diverted, with the reason. */
static inline int sluice_open_direct(int reason)
{
    return SLUICE_REQUEST_OPEN_DIRECT | reason << SLUICE_REQUEST_OPEN_REASON_SHIFT;
}

/* OPEN. Its flags are SLUICE_REQUEST_OPEN_*, its device is sluice_device()'s. `path` is absolute. */
int sluice_client_announce(struct sluice_client *client, struct sluice_request_open request,
                           const char *path, struct sluice_disposition *disposition);

/* A file that this process has created, with one name, open for writing, and that no other has. */
struct sluice_created {
    int fd;
    dev_t device;
    ino_t inode;
    off_t size; /* which it had a moment ago */
    const char *path;
};

/*
 * Registers the file as an image without a round trip: logged if `reason` is SLUICE_REASON_NONE, else direct.
 * False where the caller has to ask for it by sluice_client_announce(), as for a file of another opener.
 */
bool sluice_client_enter(struct sluice_client *client, const struct sluice_created *file,
                         int reason, struct sluice_disposition *disposition);

/*
 * Returns once the I/O process has taken all images that this process has entered. From then on it
 * holds up programs that are outside Sluice until such a file is whole: by leases, where the kernel lets it in no
 * other way, those that this process has closed.
 */
void sluice_client_have_taken(struct sluice_client *client);

void sluice_log_init(struct sluice_log_image *image, struct sluice_client *client,
                     const struct sluice_disposition *disposition);

/* The file of a new image holds `size` bytes already. Locked. */
void sluice_log_grown(struct sluice_log_image *image, int64_t size);

/* A file that was no image when `image` was made has become one, which is direct. Locked. */
void sluice_log_adopt(struct sluice_log_image *image, struct sluice_client *client,
                      const struct sluice_disposition *disposition);

/*
 * True while writes are to be logged. One load of this process's memory: an image that another
 * process made direct in the meantime counts as diverted until one of the functions below finds
 * out, waits until the image's own file holds everything, and answers -ESTALE. From then on the
 * caller uses the file. The caller holds image->lock.
 */
static inline bool sluice_log_diverted(const struct sluice_log_image *image)
{
    return image->entry != NULL;
}

/* The logical size, or -ESTALE: then the kernel's size is right. The caller holds image->lock. */
int64_t sluice_log_size(struct sluice_log_image *image);

/*
 * How long a logged image is, or how much this and other processes have written to one that was entered as
 * a small one; bytes. -1 for others, and where nobody knows. The caller holds image->lock.
 */
int64_t sluice_log_written(const struct sluice_log_image *image);

/*
 * Writes to a diverted image: to the log below the threshold, to `fd` otherwise. The caller holds
 * image->lock. Returns the bytes written, -ESTALE when the image is direct and nothing was written,
 * or the errno that the drain met.
 */
ssize_t sluice_log_pwrite(struct sluice_log_image *image, int fd, const void *data, size_t length,
                          int64_t offset);

/* Longest write that is tried. */
#define SLUICE_LOG_TRIED (64 << 10)

/*
 * The same, if the write can be logged without a wait and without a system call; -EAGAIN otherwise,
 * and then the caller makes it by the former.
 */
ssize_t sluice_log_try_pwrite(struct sluice_log_image *image, const void *data, size_t length,
                              int64_t offset);

/* Sets the size of a diverted image. The caller holds image->lock. -ESTALE as above. */
int sluice_log_truncate(struct sluice_log_image *image, int fd, int64_t size);

/*
 * Before the end of an opening for writing: gives the image's own file, open as `fd`, the length of the image if
 * it is shorter, no longer than `most`. Only while programs outside that open it wait for the rest. The
 * caller holds image->lock, and no other thread is in here. False if the file stays as it is.
 */
bool sluice_log_lengthen(struct sluice_log_image *image, int fd, int64_t most);

/*
 * Makes the image's own file hold everything written so far, and with a `reason` other than
 * SLUICE_REASON_NONE makes the image direct for good. A direct image only keeps in mind what nobody
 * will be able to count. The caller holds image->lock.
 */
int sluice_log_settle(struct sluice_log_image *image, int reason);

/*
 * Makes the image direct for good, and the I/O process let go of its file until all have closed it.
 * So the kernel counts only programs that have it open. The caller holds image->lock.
 */
int sluice_log_let_go(struct sluice_log_image *image);

/*
 * Returns once everything written so far is on stable storage. The caller holds image->lock.
 * -ESTALE as above: then fsync the file.
 */
int sluice_log_sync(struct sluice_log_image *image);

/* Whether the image's openings cannot be ended now, since the segment is away. */
static inline bool sluice_log_away(const struct sluice_log_image *image)
{
    return image->client != NULL && sluice_client_away(image->client);
}

/*
 * Ends one announced opening: publishes, says so. Returns the errno the drain met so far. The
 * caller holds image->lock, and may announce the same image again.
 */
int sluice_log_end(struct sluice_log_image *image);

/* Whether the I/O process is asked for every file, as always on jobs of several nodes. */
bool sluice_client_asks(const struct sluice_client *client);

/* RENAMED and REPLACE. */
int sluice_client_renamed(struct sluice_client *client, dev_t device, ino_t inode);
int sluice_client_replace(struct sluice_client *client, dev_t device, ino_t inode, int flags,
                          const char *path);
