#include "log.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "barrier.h"
#include "clock.h"
#include "failure.h"
#include "kernel.h"
#include "layout.h"

void sluice_log_init(struct sluice_log_image *image, struct sluice_client *client,
                     const struct sluice_disposition *disposition)
{
    struct sluice_image_entry *counted = disposition->kind != SLUICE_REQUEST_PLAIN
        ? client->segment->images + disposition->entry
        : NULL;
    struct sluice_image_entry *entry = disposition->kind == SLUICE_REQUEST_DIVERT ? counted : NULL;
    *image = (struct sluice_log_image){
        .client = client,
        .entry = entry,
        .tally = {.client = client, .entry = counted, .reason = disposition->reason},
        .id = disposition->id,
        .device = entry == NULL ? 0 : entry->device,
        .inode = entry == NULL ? 0 : entry->inode,
        .pending_low = disposition->size > 0 ? 0 : INT64_MAX, /* bytes from an earlier opening */
        .pending_high = disposition->size,
        .opened = sluice_clock(),
    };
    sluice_lock_init(&image->lock);
}

void sluice_log_grown(struct sluice_log_image *image, int64_t size)
{
    if (size > atomic_load_explicit(&image->entry->size, memory_order_relaxed))
        atomic_store_explicit(&image->entry->size, size, memory_order_release);
}

void sluice_log_adopt(struct sluice_log_image *image, struct sluice_client *client,
                      const struct sluice_disposition *disposition)
{
    image->client = client;
    image->id = disposition->id;
    image->tally = (struct sluice_tally){
        .client = client,
        .entry = client->segment->images + disposition->entry,
        .reason = disposition->reason,
    };
}

struct sluice_image_entry sluice_log_nowhere;

static int drain_error(const struct sluice_log_image *image)
{
    const int error = atomic_load_explicit(&image->entry->error, memory_order_relaxed);
    return error == 0
        ? 0
        : sluice_failure(error, "draining the image failed: %s", sluice_failure_reason(error));
}

int sluice_log_refusal(struct sluice_log_image *image)
{
    if (image->entry == NULL)
        return -ESTALE;
    const bool adrift =
        !sluice_log_held(image) || (sluice_log_lost(image) && sluice_client_adrift(image->client));
    if (!adrift && sluice_log_lost(image))
        return sluice_failure(EIO, "the I/O process is gone; the image is incomplete");
    if (adrift || !sluice_log_still_diverted(image)) {
        const int error = sluice_log_settle(image, SLUICE_REASON_OTHER);
        return error == 0 ? -ESTALE : error;
    }
    return drain_error(image);
}

static int publish_own(struct sluice_log_image *image)
{
    struct sluice_chunk_writer *writer = &image->client->writer;
    sluice_lock_take(&writer->lock);
    const int error = image->last_chunk != 0 && image->last_chunk == writer->sequence
        ? sluice_chunk_publish(writer)
        : 0;
    sluice_lock_release(&writer->lock);
    return error;
}

static void nothing_pending(struct sluice_log_image *image)
{
    image->pending_low = INT64_MAX;
    image->pending_high = 0;
}

/* Sends SETTLE. `how` is a SLUICE_REASON_*, perhaps with a flag. */
static int request_settle(struct sluice_log_image *image, int32_t how)
{
    const struct sluice_request_settle request = {(int32_t)image->id, how};
    return sluice_connection_request(&image->client->connection, SLUICE_REQUEST_SETTLE,
                                     SLUICE_BODY(request), NULL);
}

/*
 * Notes that the image's own file holds everything. With a reason, writes go to the file from here
 * on. The reason noted is the one that made the image direct first.
 */
static int settled(struct sluice_log_image *image, int reason)
{
    nothing_pending(image);
    if (reason != SLUICE_REASON_NONE) {
        const int first = atomic_load_explicit(&image->entry->reason, memory_order_relaxed)
            & ~SLUICE_IMAGE_REASON_SETTLING;
        atomic_store_explicit(&image->tally.reason, first != SLUICE_REASON_NONE ? first : reason,
                              memory_order_relaxed);
        image->entry = NULL;
    }
    return 0;
}

/*
 * Reads the image's state before the request, since the image may become direct meanwhile. The next
 * call notices that, and settles again to wait for the other process's settling. While the segment
 * is not mapped, the I/O process takes this process's unpublished records from the chunk itself.
 */
int sluice_log_settle(struct sluice_log_image *image, int reason)
{
    sluice_log_look(image);
    if (reason != SLUICE_REASON_NONE)
        sluice_tally_note(&image->tally, reason);
    if (image->entry == NULL)
        return 0;
    const bool mapped = sluice_log_held(image);
    if (!mapped && !sluice_client_away(image->client))
        return sluice_client_leave_log(image);
    if (!mapped) {
        image->entry = &sluice_log_nowhere;
        reason = SLUICE_REASON_LOST;
    } else if (reason == SLUICE_REASON_NONE && !sluice_log_still_diverted(image)) {
        reason = SLUICE_REASON_OTHER;
    }
    int error = mapped ? publish_own(image) : 0;
    if (error == 0)
        error = request_settle(image, reason);
    if (error != 0 && mapped && !sluice_log_held(image) && !sluice_client_away(image->client))
        return sluice_client_leave_log(image);
    return error == 0 ? settled(image, reason) : error;
}

int sluice_log_let_go(struct sluice_log_image *image)
{
    const int error = sluice_log_settle(image, SLUICE_REASON_LOCK);
    return error != 0 ? error
                      : request_settle(image, SLUICE_REASON_LOCK | SLUICE_REQUEST_SETTLE_LET_GO);
}

int64_t sluice_log_size(struct sluice_log_image *image)
{
    sluice_log_look(image);
    return image->entry == NULL || !sluice_log_held(image) || !sluice_log_still_diverted(image)
        ? sluice_log_refusal(image)
        : atomic_load_explicit(&image->entry->size, memory_order_relaxed);
}

int64_t sluice_log_written(const struct sluice_log_image *image)
{
    const struct sluice_image_entry *counted = image->tally.entry;
    const bool small = image->tally.reason == SLUICE_REASON_SMALL;
    if (counted == NULL || image->entry == &sluice_log_nowhere || !sluice_log_held(image)
        || (image->entry == NULL && !small)) {
        return -1;
    }
    return atomic_load_explicit(image->entry != NULL ? &counted->size : &counted->direct_bytes,
                                memory_order_relaxed);
}

int sluice_log_sync(struct sluice_log_image *image)
{
    int error = sluice_log_may_change(image);
    if (error != 0)
        return error;
    error = publish_own(image);
    if (error == 0) {
        error = sluice_connection_request(&image->client->connection, SLUICE_REQUEST_SYNC,
                                          SLUICE_BODY(image->id), NULL);
    }
    if (error != 0)
        return sluice_log_held(image) ? error : sluice_log_refusal(image);
    if (sluice_layout_drains_to_files(image->client->segment))
        nothing_pending(image);
    return drain_error(image);
}

/*
 * Returns whether the I/O process has taken the image from its creator's ring. Other programs may
 * wait for the file from then on. The entry may belong to another image once the I/O process has
 * released this one.
 */
static bool is_taken(const struct sluice_log_image *image)
{
    return atomic_load_explicit(&image->entry->creator, memory_order_acquire) == 0
        && (uint32_t)image->entry->image_id == image->id;
}

/* Only this process writes to the file while the image is diverted. */
static bool lengthen(const struct sluice_log_image *image, int fd, int64_t most)
{
    struct stat status;
    const int64_t size = atomic_load_explicit(&image->entry->size, memory_order_relaxed);
    return sluice_log_still_diverted(image) && size <= most
        && sluice_kernel_call(SYS_fstat, fd, (long)&status) == 0 && status.st_size < size
        && sluice_kernel_truncate(fd, size) == 0;
}

bool sluice_log_lengthen(struct sluice_log_image *image, int fd, int64_t most)
{
    if (image->entry == NULL || !sluice_log_held(image)
        || atomic_load_explicit(&image->client->segment->header->lengths, memory_order_relaxed) == 0
        || !is_taken(image)) {
        return false;
    }
    struct sluice_slot *slot = image->client->writer.slot;
    atomic_store_explicit(&slot->lengthening, (int32_t)image->id, memory_order_relaxed);
    sluice_barrier(image->client->kernel_fences);
    const bool done = lengthen(image, fd, most);
    atomic_store_explicit(&slot->lengthening, 0, memory_order_release);
    return done;
}

/* Ends an opening whose slot was taken back meanwhile: that of the client's successor, if any. */
static int end_without_slot(struct sluice_log_image *image)
{
    struct sluice_client *former = image->client;
    const int error = sluice_log_settle(image, SLUICE_REASON_LOST);
    if (error == 0 && image->client != former) {
        struct sluice_chunk_writer *writer = &image->client->writer;
        sluice_lock_take(&writer->lock);
        sluice_chunk_close(writer, false, image->id, image->opened, sluice_clock());
        sluice_lock_release(&writer->lock);
    }
    return error;
}

int sluice_log_end(struct sluice_log_image *image)
{
    sluice_log_look(image);
    const int left = sluice_log_held(image) ? 0 : sluice_log_settle(image, SLUICE_REASON_LOST);
    if (left != 0) {
        image->entry = NULL;
        return left;
    }
    struct sluice_chunk_writer *writer = &image->client->writer;
    const bool logged = image->entry != NULL;
    int error = publish_own(image);
    if (error == 0 && logged)
        error = drain_error(image);
    sluice_lock_take(&writer->lock);
    int told = sluice_chunk_close(writer, logged, image->id, image->opened, sluice_clock());
    writer->closed |= logged;
    sluice_lock_release(&writer->lock);
    if (told == 0 && logged)
        told = sluice_connection_check(&image->client->connection);
    if (logged && (error != 0 || told != 0) && !sluice_log_held(image))
        error = told = end_without_slot(image);
    image->entry = NULL;
    return !logged ? 0 : error != 0 ? error : told;
}
