#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "attachment.h"
#include "barrier.h"
#include "client.h"
#include "clock.h"
#include "counter.h"
#include "failure.h"
#include "kernel.h"
#include "threshold.h"

void sluice_log_init(struct sluice_log_image *image, struct sluice_client *client,
                     const struct sluice_disposition *disposition)
{
    struct sluice_image_entry *counted = disposition->kind != SLUICE_REQUEST_PLAIN
        ? client->segment->images + disposition->entry
        : NULL;
    struct sluice_image_entry *entry =
        disposition->kind == SLUICE_REQUEST_DIVERT ? counted : NULL;
    *image = (struct sluice_log_image){
        .client = client,
        .entry = entry,
        .tally = {client, counted, disposition->reason},
        .id = disposition->id,
        .device = entry == NULL ? 0 : entry->device,
        .inode = entry == NULL ? 0 : entry->inode,
        .pending_low = disposition->size > 0 ? 0 : INT64_MAX, /* from an earlier opening */
        .pending_high = disposition->size,
        .opened = sluice_clock(),
    };
    sluice_lock_init(&image->lock);
}

void sluice_log_adopt(struct sluice_log_image *image, const struct sluice_disposition *disposition)
{
    image->id = disposition->id;
    image->tally = (struct sluice_tally){
        image->client, image->client->segment->images + disposition->entry, disposition->reason};
}

/* What an image's entry is taken for while the segment is not mapped: one of no image. */
static struct sluice_image_entry nowhere;

/* Before an entry is looked at, while there is a doubt. */
static void look(struct sluice_log_image *image)
{
    if (__builtin_expect(atomic_load_explicit(&sluice_presence_doubted, memory_order_acquire), 0)
        && image->entry != NULL && !sluice_pool_held(&image->client->writer.pool)
        && image->client->writer.pool.hold.slot != image->client->writer.pool.hold.mapped) {
        image->entry = &nowhere;
    }
}

static bool still_diverted(const struct sluice_log_image *image)
{
    return atomic_load_explicit(&image->entry->state, memory_order_acquire)
        == SLUICE_IMAGE_STATE_DIVERTED;
}

/*
 * After an append, before it is reported as done. The I/O process stores DIRECT, fences, and then
 * looks at the chunk; we append, fence, and then look at the state: one of the two sees the other.
 */
static bool became_direct(const struct sluice_log_image *image)
{
    sluice_barrier(image->client->kernel_fences);
    return !still_diverted(image);
}

/*
 * After an append and that fence. The I/O process stores `quiet`, fences, and then looks at the chunk
 * a last time before it stops to look: one of the two sees the other. Rung once.
 */
static void ring_if_quiet(struct sluice_log_image *image)
{
    struct sluice_slot *slot = image->client->writer.slot;
    if (atomic_load_explicit(&slot->quiet, memory_order_relaxed) != 0) {
        atomic_store_explicit(&slot->quiet, 0, memory_order_relaxed);
        sluice_connection_wake(&image->client->connection);
    }
}

/* False for a process that must keep its hands off the segment; see hold.h. */
static bool held(const struct sluice_log_image *image)
{
    return sluice_pool_held(&image->client->writer.pool);
}

static bool lost(const struct sluice_log_image *image)
{
    return atomic_load_explicit(&image->client->connection.lost, memory_order_relaxed);
}

static int drain_error(const struct sluice_log_image *image)
{
    const int error = atomic_load_explicit(&image->entry->error, memory_order_relaxed);
    return error == 0 ? 0 : sluice_failure(error, "draining the image failed: %s", strerror(error));
}

/* Why an image that is not simply diverted cannot be written to. */
static int refusal(struct sluice_log_image *image)
{
    if (image->entry == NULL) {
        return -ESTALE;
    }
    const bool adrift = !held(image) || (lost(image) && sluice_client_adrift(image->client));
    if (!adrift && lost(image)) {
        return sluice_failure(EIO, "the I/O process is gone; the image is incomplete");
    }
    if (adrift || !still_diverted(image)) {
        const int error = sluice_log_settle(image, SLUICE_REASON_OTHER);
        return error == 0 ? -ESTALE : error;
    }
    return drain_error(image);
}

static int check(struct sluice_log_image *image)
{
    look(image);
    return image->entry != NULL && still_diverted(image) && !lost(image)
            && atomic_load_explicit(&image->entry->error, memory_order_relaxed) == 0
        ? 0
        : refusal(image);
}

/* The same before anything else than an append, which looks by itself. */
static int check_held(struct sluice_log_image *image)
{
    look(image);
    return image->entry != NULL && !held(image) ? refusal(image) : check(image);
}

/* Publishes the open chunk if it holds anything of the image. */
static int publish(struct sluice_log_image *image)
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

/* A write of `length` bytes at `offset` has become part of the image. */
static void grow(struct sluice_log_image *image, int64_t offset, int64_t length)
{
    if (offset + length > atomic_load_explicit(&image->entry->size, memory_order_relaxed)) {
        atomic_store_explicit(&image->entry->size, offset + length, memory_order_release);
    }
}

/* Writes of the image go to its file from here on. Who made it direct first has said why. */
static void leave_log(struct sluice_log_image *image, int reason)
{
    const int first = atomic_load_explicit(&image->entry->reason, memory_order_relaxed);
    atomic_store_explicit(&image->tally.reason, first != SLUICE_REASON_NONE ? first : reason,
                          memory_order_relaxed);
    image->entry = NULL;
}

/* By the socket alone: the I/O process takes what this process has not published from its chunk. */
static int settle_from_afar(struct sluice_log_image *image)
{
    const int32_t request[2] = {(int32_t)image->id, SLUICE_REASON_LOST};
    const int error = sluice_connection_request(
        &image->client->connection, SLUICE_REQUEST_SETTLE,
        &(struct sluice_body){.fields = request, .length = sizeof request}, NULL);
    if (error == 0) {
        nothing_pending(image);
        image->tally.reason = SLUICE_REASON_LOST;
        image->entry = NULL;
    }
    return error;
}

/*
 * The state is read before the request: an image that becomes direct while it is under way is found
 * out at the next call, which settles again and so waits for what the other process set going.
 */
int sluice_log_settle(struct sluice_log_image *image, int reason)
{
    look(image);
    if (reason != SLUICE_REASON_NONE) {
        sluice_tally_note(&image->tally, reason);
    }
    if (image->entry == NULL) {
        return 0;
    }
    if (!held(image)) {
        return sluice_client_away(image->client) ? settle_from_afar(image)
                                                 : sluice_client_leave_log(image);
    }
    const int why = reason == SLUICE_REASON_NONE && !still_diverted(image) ? SLUICE_REASON_OTHER : reason;
    int error = publish(image);
    if (error == 0) {
        const int32_t request[2] = {(int32_t)image->id, why};
        error = sluice_connection_request(
            &image->client->connection, SLUICE_REQUEST_SETTLE,
            &(struct sluice_body){.fields = request, .length = sizeof request}, NULL);
    }
    if (error == 0) {
        nothing_pending(image);
        if (why != SLUICE_REASON_NONE) {
            leave_log(image, why);
        }
    }
    return error;
}

int sluice_log_let_go(struct sluice_log_image *image)
{
    const int error = sluice_log_settle(image, SLUICE_REASON_LOCK);
    if (error != 0) {
        return error;
    }
    const int32_t request[2] = {(int32_t)image->id,
                                SLUICE_REASON_LOCK | SLUICE_REQUEST_SETTLE_LET_GO};
    return sluice_connection_request(
        &image->client->connection, SLUICE_REQUEST_SETTLE,
        &(struct sluice_body){.fields = request, .length = sizeof request}, NULL);
}

int64_t sluice_log_size(struct sluice_log_image *image)
{
    look(image);
    if (image->entry == NULL || !held(image) || !still_diverted(image)) {
        return refusal(image);
    }
    return atomic_load_explicit(&image->entry->size, memory_order_relaxed);
}

/*
 * No chunk to be had: the image goes direct. Of a write that was logged in part the rest follows
 * through the kernel; one that was not logged at all is the caller's to repeat.
 */
static ssize_t fall_back(struct sluice_log_image *image, int fd, const char *data, size_t length,
                         int64_t offset, size_t logged)
{
    const int error = sluice_log_settle(image, SLUICE_REASON_FULL);
    if (error != 0 || logged == 0) {
        return error != 0 ? error : -ESTALE;
    }
    const ssize_t written =
        sluice_kernel_pwrite(fd, data + logged, length - logged, offset + (int64_t)logged);
    sluice_tally_add(&image->tally, written);
    return (ssize_t)logged + (written > 0 ? written : 0);
}

static bool overlaps_logged(const struct sluice_log_image *image, int64_t low, int64_t high)
{
    return low < image->pending_high && high > image->pending_low;
}

/*
 * Records that the image's own file holds these bytes; false when there is no chunk to say it in.
 * Over no logged bytes the file's count with or without the record: it is not worth a wait.
 */
static bool mark_direct(struct sluice_log_image *image, int64_t offset, int64_t length,
                        int64_t nanos)
{
    const bool needed = overlaps_logged(image, offset, offset + length);
    struct sluice_chunk_writer *writer = &image->client->writer;
    int error = 0;
    sluice_lock_take(&writer->lock);
    if (length >= SLUICE_THRESHOLD_FLOOR) {
        struct sluice_costs *costs = &writer->pool.costs;
        sluice_costs_add(&costs->direct, &costs->wait, nanos, length);
    }
    if (image->client->segment->layout == SLUICE_HEADER_LAYOUT_CONTAINER) {
        error = sluice_chunk_mark(writer, needed, SLUICE_RECORD_TYPE_DIRECT, image->id, offset,
                                  length);
        image->last_chunk = writer->sequence;
    }
    if (error != 0 && needed) {
        sluice_counter_add(&writer->slot->fallbacks, 1);
    }
    sluice_lock_release(&writer->lock);
    return error == 0 || !needed;
}

/* In the files layout the drain must not put older bytes over a direct write. */
static bool drain_in_the_way(const struct sluice_log_image *image, int64_t low, int64_t high)
{
    return image->client->segment->layout == SLUICE_HEADER_LAYOUT_FILES
        && overlaps_logged(image, low, high);
}

/*
 * If the image turned direct while this went on, settling it may have put older logged bytes over
 * ours, so once that is over they are written again.
 */
static ssize_t direct_write(struct sluice_log_image *image, int fd, const void *data, size_t length,
                            int64_t offset, int reason)
{
    if (drain_in_the_way(image, offset, offset + (int64_t)length)) {
        const int error = sluice_log_settle(image, SLUICE_REASON_NONE);
        if (error != 0 || image->entry == NULL) {
            return error != 0 ? error : -ESTALE;
        }
    }
    const int64_t begin = sluice_clock();
    const ssize_t written = sluice_kernel_pwrite(fd, data, length, offset);
    if (written <= 0) {
        return written;
    }
    image->directs++;
    sluice_tally_add_for(&image->tally, reason, written);
    if (held(image)) {
        grow(image, offset, written);
        if (mark_direct(image, offset, written, sluice_clock() - begin) && !became_direct(image)) {
            return written;
        }
    }
    const int error = sluice_log_settle(image, SLUICE_REASON_FULL);
    return error != 0 ? error : sluice_kernel_pwrite(fd, data, (size_t)written, offset);
}

/* The rest of a write that was logged in part goes direct, at once. */
static ssize_t overflow(struct sluice_log_image *image, int fd, const char *data, size_t length,
                        int64_t offset, size_t logged)
{
    const char *rest = data + logged;
    const int64_t at = offset + (int64_t)logged;
    ssize_t written = direct_write(image, fd, rest, length - logged, at, SLUICE_REASON_FULL);
    if (written == -ESTALE && logged > 0) {
        written = sluice_kernel_pwrite(fd, rest, length - logged, at);
        sluice_tally_add(&image->tally, written);
    }
    return written < 0 && logged == 0 ? written : (ssize_t)logged + (written > 0 ? written : 0);
}

/* What could not be logged goes direct: this write, or by waiting in vain the image for good. */
static ssize_t log_write(struct sluice_log_image *image, int fd, const void *data, size_t length,
                         int64_t offset)
{
    struct sluice_chunk_writer *writer = &image->client->writer;
    const bool waits = image->client->segment->header->when_full != SLUICE_HEADER_WHEN_FULL_DIRECT;
    sluice_lock_take(&writer->lock);
    const ssize_t logged = sluice_chunk_write(writer, waits, image->id, data, length, offset);
    if (logged > 0) {
        const unsigned class = sluice_counter_class(length);
        sluice_counter_add(&writer->slot->aggregated_writes[class], 1);
        sluice_counter_add(&writer->slot->aggregated_bytes[class], logged);
        image->last_chunk = writer->sequence;
    }
    if (logged >= 0 && (size_t)logged < length) {
        sluice_counter_add(waits ? &writer->slot->fallbacks : &writer->slot->overflows, 1);
    }
    sluice_lock_release(&writer->lock);
    if (logged < 0) {
        return refusal(image);
    }
    if (logged > 0) {
        grow(image, offset, logged);
        image->pending_low = offset < image->pending_low ? offset : image->pending_low;
        image->pending_high =
            offset + logged > image->pending_high ? offset + logged : image->pending_high;
    }
    if ((size_t)logged < length) {
        return waits ? fall_back(image, fd, data, length, offset, (size_t)logged)
                     : overflow(image, fd, data, length, offset, (size_t)logged);
    }
    if (became_direct(image)) {
        const int error = sluice_log_settle(image, SLUICE_REASON_OTHER);
        return error == 0 ? logged : error;
    }
    ring_if_quiet(image);
    return logged;
}

/* While there is room the auto policy sends no write to the file. */
static int over_threshold(const struct sluice_log_image *image)
{
    return atomic_load_explicit(&image->client->segment->header->threshold_policy,
                                memory_order_relaxed)
            == SLUICE_HEADER_POLICY_FIXED
        ? SLUICE_REASON_THRESHOLD
        : SLUICE_REASON_FULL;
}

static int too_long(size_t length, int64_t offset)
{
    return sluice_failure(EFBIG, "%zu bytes at offset %lld: an image has at most 2^60", length,
                          (long long)offset);
}

ssize_t sluice_log_pwrite(struct sluice_log_image *image, int fd, const void *data, size_t length,
                          int64_t offset)
{
    const int error = check(image);
    if (error != 0) {
        return error;
    }
    if (offset < 0) {
        return sluice_failure(EINVAL, "a write at offset %lld", (long long)offset);
    }
    if ((uint64_t)offset > SLUICE_RECORD_MAX_END || length > SLUICE_RECORD_MAX_END - (size_t)offset) {
        return too_long(length, offset);
    }
    if (length == 0) {
        return 0;
    }
    return (int64_t)length >= sluice_threshold(image->client->segment, &image->client->writer.pool.costs)
        ? direct_write(image, fd, data, length, offset, over_threshold(image))
        : log_write(image, fd, data, length, offset);
}

/* Tells the log that the image is `size` bytes long from here on; false when there is no chunk. */
static bool mark_truncated(struct sluice_log_image *image, int64_t size)
{
    if (image->client->segment->layout == SLUICE_HEADER_LAYOUT_FILES) {
        return true;
    }
    struct sluice_chunk_writer *writer = &image->client->writer;
    sluice_lock_take(&writer->lock);
    const int error =
        sluice_chunk_mark(writer, true, SLUICE_RECORD_TYPE_TRUNCATE, image->id, size, 0);
    image->last_chunk = writer->sequence;
    sluice_lock_release(&writer->lock);
    return error == 0;
}

/*
 * The file is truncated as well: it may hold direct writes beyond the size. In the files layout that
 * is all, once nothing is left to be drained into it. As with a direct write, what was done to the
 * file while the image turned direct is done once more.
 */
int sluice_log_truncate(struct sluice_log_image *image, int fd, int64_t size)
{
    int error = check_held(image);
    if (error == 0 && size > (int64_t)SLUICE_RECORD_MAX_END) {
        error = too_long(0, size);
    }
    if (error == 0 && drain_in_the_way(image, 0, INT64_MAX)) {
        error = sluice_log_settle(image, SLUICE_REASON_NONE);
        if (error == 0 && image->entry == NULL) {
            error = -ESTALE;
        }
    }
    if (error == 0) {
        error = sluice_kernel_truncate(fd, size);
    }
    if (error != 0) {
        return error;
    }
    if (held(image)) {
        atomic_store_explicit(&image->entry->size, size, memory_order_release);
        if (mark_truncated(image, size) && !became_direct(image)) {
            return 0;
        }
    }
    error = sluice_log_settle(image, SLUICE_REASON_FULL);
    return error != 0 ? error : sluice_kernel_truncate(fd, size);
}

int sluice_log_sync(struct sluice_log_image *image)
{
    int error = check_held(image);
    if (error == 0) {
        error = publish(image);
    }
    if (error == 0) {
        error = sluice_connection_request(
            &image->client->connection, SLUICE_REQUEST_SYNC,
            &(struct sluice_body){.fields = &image->id, .length = sizeof image->id}, NULL);
    }
    if (error == 0) {
        if (image->client->segment->layout == SLUICE_HEADER_LAYOUT_FILES) {
            nothing_pending(image);
        }
        error = drain_error(image);
    }
    return error;
}

int sluice_log_end(struct sluice_log_image *image)
{
    look(image);
    const int left = held(image) ? 0 : sluice_log_settle(image, SLUICE_REASON_LOST);
    if (left != 0) {
        image->entry = NULL;
        return left;
    }
    struct sluice_chunk_writer *writer = &image->client->writer;
    const bool logged = image->entry != NULL;
    int error = publish(image);
    if (error == 0 && logged) {
        error = drain_error(image);
    }
    sluice_lock_take(&writer->lock);
    int told = sluice_chunk_close(writer, image->id, image->opened, sluice_clock());
    sluice_lock_release(&writer->lock);
    if (told == 0 && logged) {
        told = sluice_connection_check(&image->client->connection);
    }
    image->entry = NULL;
    return !logged ? 0 : error != 0 ? error : told;
}
