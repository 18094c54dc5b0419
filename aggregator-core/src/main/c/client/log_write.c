/* Writes and truncations of a logged image: to the log, or past it to the image's own file. */
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/param.h>

#include "barrier.h"
#include "clock.h"
#include "counter.h"
#include "failure.h"
#include "kernel.h"
#include "layout.h"
#include "log.h"
#include "threshold.h"

/*
 * Returns whether the image became direct, or the slot was taken back, during an append that is not
 * yet reported as done. The I/O process stores DIRECT or FREE, fences, and then looks at the chunk.
 * We append, fence, and then look at the two states. So one of the two sees the other.
 */
static bool became_direct(const struct sluice_log_image *image)
{
    sluice_barrier(image->client->kernel_fences);
    return !sluice_log_held(image) || !sluice_log_still_diverted(image);
}

/*
 * Wakes the I/O process, after an append and its fence, if it has stopped looking at this slot. The
 * I/O process stores `quiet`, fences, and then looks at the chunk a last time. So one of the two
 * sees the other. The bell is rung once.
 */
static void ring_if_quiet(struct sluice_log_image *image)
{
    struct sluice_slot *slot = image->client->writer.slot;
    if (atomic_load_explicit(&slot->quiet, memory_order_relaxed) != 0) {
        atomic_store_explicit(&slot->quiet, 0, memory_order_relaxed);
        sluice_connection_wake(&image->client->connection);
    }
}

static void grow(struct sluice_log_image *image, int64_t offset, int64_t length)
{
    if (offset + length > atomic_load_explicit(&image->entry->size, memory_order_relaxed))
        atomic_store_explicit(&image->entry->size, offset + length, memory_order_release);
}

static bool overlaps_logged(const struct sluice_log_image *image, int64_t low, int64_t high)
{
    return low < image->pending_high && high > image->pending_low;
}

/*
 * Records that the image's own file holds these bytes; false when no chunk is there for the record.
 * Where no logged bytes overlap, the file's bytes count without a record, so that the record is not
 * worth a wait.
 */
static bool mark_direct(struct sluice_log_image *image, int64_t offset, int64_t length,
                        int64_t nanos)
{
    const bool needed = overlaps_logged(image, offset, offset + length);
    struct sluice_chunk_writer *writer = &image->client->writer;
    int error = 0;
    sluice_lock_take(&writer->lock);
    if (length >= SLUICE_THRESHOLD_FLOOR)
        sluice_costs_wrote(&writer->pool.costs, nanos, length);
    if (!sluice_layout_drains_to_files(image->client->segment)) {
        error =
            sluice_chunk_mark(writer, needed, SLUICE_RECORD_TYPE_DIRECT, image->id, offset, length);
        image->last_chunk = writer->sequence;
    }
    if (error != 0 && needed)
        sluice_counter_add(&writer->slot->fallbacks, 1);
    sluice_lock_release(&writer->lock);
    return error == 0 || !needed;
}

/*
 * Keeps the drain of the files layout from writing older bytes over a change of the file in this
 * range. -ESTALE when the image has become direct by that.
 */
static int clear_of_drain(struct sluice_log_image *image, int64_t low, int64_t high)
{
    if (!sluice_layout_drains_to_files(image->client->segment)
        || !overlaps_logged(image, low, high)) {
        return 0;
    }
    const int error = sluice_log_settle(image, SLUICE_REASON_NONE);
    return error == 0 && image->entry == NULL ? -ESTALE : error;
}

/*
 * Notes bytes that went to the image's own file. False where the image has to be settled: it became
 * direct meanwhile, or the log has no room to say so.
 */
static bool note_direct(struct sluice_log_image *image, int64_t offset, int64_t length,
                        int64_t nanos, int reason)
{
    image->directs++;
    sluice_tally_add(&image->tally, reason, length);
    if (!sluice_log_held(image))
        return false;
    grow(image, offset, length);
    return mark_direct(image, offset, length, nanos) && !became_direct(image);
}

/*
 * Writes to the image's own file. If the image becomes direct meanwhile, its settling may put older
 * logged bytes over ours. The bytes are then written again.
 */
static ssize_t direct_write(struct sluice_log_image *image, int fd, const void *data, size_t length,
                            int64_t offset, int reason)
{
    int error = clear_of_drain(image, offset, offset + (int64_t)length);
    if (error != 0)
        return error;
    const int64_t begin = sluice_clock();
    const ssize_t written = sluice_kernel_pwrite(fd, data, length, offset);
    if (written <= 0 || note_direct(image, offset, written, sluice_clock() - begin, reason))
        return written;
    error = sluice_log_settle(image, SLUICE_REASON_FULL);
    return error != 0 ? error : sluice_kernel_pwrite(fd, data, (size_t)written, offset);
}

/*
 * Writes directly what found no chunk. Without a wait, this write alone goes to the file. After a
 * vain wait, the whole image goes direct from here on. The kernel then writes the rest of a partly
 * logged write; the caller repeats a write that was not logged at all.
 */
static ssize_t write_rest(struct sluice_log_image *image, int fd, const char *data, size_t length,
                          int64_t offset, size_t logged, bool waited)
{
    const char *rest = data + logged;
    const int64_t at = offset + (int64_t)logged;
    const int error = waited ? sluice_log_settle(image, SLUICE_REASON_FULL) : 0;
    if (error != 0)
        return error;
    ssize_t written =
        waited ? -ESTALE : direct_write(image, fd, rest, length - logged, at, SLUICE_REASON_FULL);
    if (written == -ESTALE && logged > 0) {
        written = sluice_kernel_pwrite(fd, rest, length - logged, at);
        sluice_tally_add(&image->tally, SLUICE_REASON_NONE, written);
    }
    return written < 0 && logged == 0 ? written : (ssize_t)logged + (written > 0 ? written : 0);
}

/* The caller holds the writer's lock. */
static void count_logged(struct sluice_log_image *image, size_t length, ssize_t logged)
{
    struct sluice_chunk_writer *writer = &image->client->writer;
    const unsigned size_class = sluice_counter_class(length);
    sluice_counter_add(&writer->slot->aggregated_writes[size_class], 1);
    sluice_counter_add(&writer->slot->aggregated_bytes[size_class], logged);
    image->last_chunk = writer->sequence;
}

/* The caller holds the writer's lock. */
static ssize_t append(struct sluice_log_image *image, bool waits, const void *data, size_t length,
                      int64_t offset)
{
    struct sluice_chunk_writer *writer = &image->client->writer;
    const ssize_t logged = sluice_chunk_write(writer, waits, image->id, data, length, offset);
    if (logged > 0 && sluice_pool_held(&writer->pool))
        count_logged(image, length, logged);
    return logged;
}

static void note_logged(struct sluice_log_image *image, int64_t offset, ssize_t logged)
{
    if (logged <= 0)
        return;
    grow(image, offset, logged);
    image->pending_low = MIN(image->pending_low, offset);
    image->pending_high = MAX(image->pending_high, offset + logged);
}

/*
 * Counts a write that found no chunk, without a wait or after a vain one. The caller holds the
 * writer's lock.
 */
static void count_shortage(struct sluice_chunk_writer *writer, bool waited)
{
    struct sluice_slot *slot = writer->slot;
    if (waited)
        sluice_counter_add(&slot->fallbacks, 1);
    else if (sluice_pool_lacks_memory(&writer->pool))
        sluice_counter_add(&slot->memory_overflows, 1);
    else
        sluice_counter_add(&slot->overflows, 1);
}

static ssize_t finish_write(struct sluice_log_image *image, int fd, const void *data, size_t length,
                            int64_t offset, size_t logged, bool waited)
{
    if (logged < length)
        return write_rest(image, fd, data, length, offset, logged, waited);
    if (became_direct(image)) {
        const int error = sluice_log_settle(image, SLUICE_REASON_OTHER);
        return error == 0 ? (ssize_t)logged : error;
    }
    ring_if_quiet(image);
    return (ssize_t)logged;
}

/*
 * If the slot is taken back meanwhile, the I/O process may have looked at the chunk before the last
 * bytes were there. All of them then go to their place in the file. The caller could not do that:
 * where it appends, the file may have them already.
 */
static ssize_t log_write(struct sluice_log_image *image, int fd, const void *data, size_t length,
                         int64_t offset)
{
    struct sluice_chunk_writer *writer = &image->client->writer;
    const bool waits = image->client->segment->header->when_full != SLUICE_HEADER_WHEN_FULL_DIRECT;
    sluice_lock_take(&writer->lock);
    const ssize_t logged = append(image, waits, data, length, offset);
    if (logged >= 0 && (size_t)logged < length && sluice_pool_held(&writer->pool))
        count_shortage(writer, waits);
    sluice_lock_release(&writer->lock);
    if (logged < 0)
        return sluice_log_refusal(image);
    note_logged(image, offset, logged);
    const ssize_t written = finish_write(image, fd, data, length, offset, (size_t)logged, waits);
    return written > 0 && image->entry == NULL && !sluice_pool_held(&writer->pool)
        ? sluice_kernel_pwrite(fd, data, length, offset)
        : written;
}

/*
 * Returns why a write over the threshold goes to the file. The auto policy sends none there while
 * there is room.
 */
static int over_threshold(const struct sluice_log_image *image)
{
    return atomic_load_explicit(&image->client->segment->header->threshold_policy,
                                memory_order_relaxed)
            == SLUICE_HEADER_POLICY_FIXED
        ? SLUICE_REASON_THRESHOLD
        : SLUICE_REASON_FULL;
}

ssize_t sluice_log_source(ssize_t result)
{
    return result >= 0 || result == -EINTR || result == -EAGAIN
        ? result
        : sluice_failure((int)-result, "the stream cannot be read or written: %s",
                         sluice_failure_reason((int)-result));
}

/*
 * Moves bytes from a pipe to the image's own file. Nothing logged lies there, so that a settling
 * writes nothing over them.
 */
static ssize_t direct_fill(struct sluice_log_image *image, int fd, int source, size_t length,
                           int64_t offset)
{
    const int64_t begin = sluice_clock();
    const ssize_t count = sluice_kernel_splice(source, fd, offset, length);
    if (count <= 0)
        return count == -EINVAL ? count : sluice_log_source(count);
    if (note_direct(image, offset, count, sluice_clock() - begin, over_threshold(image)))
        return count;
    const int error = sluice_log_settle(image, SLUICE_REASON_FULL);
    return error != 0 ? error : count;
}

/*
 * Answers for a read that found no chunk. Without a wait, what is there goes to the file. After a
 * vain one the image goes direct.
 */
static ssize_t fill_rest(struct sluice_log_image *image, int fd, int source, size_t length,
                         int64_t offset, bool waited)
{
    const ssize_t count = waited ? -EINVAL : direct_fill(image, fd, source, length, offset);
    if (count != -EINVAL)
        return count;
    const int error = sluice_log_settle(image, SLUICE_REASON_FULL);
    return error != 0 ? error : -ESTALE;
}

/*
 * Reads into the open chunk. If the slot is taken back meanwhile nobody knows what became of the
 * bytes, which are in the pipe no more.
 */
static ssize_t log_fill(struct sluice_log_image *image, int fd, int source, size_t length,
                        int64_t offset)
{
    struct sluice_chunk_writer *writer = &image->client->writer;
    const bool waits = image->client->segment->header->when_full != SLUICE_HEADER_WHEN_FULL_DIRECT;
    size_t room;
    int error;
    ssize_t count = 0;
    sluice_lock_take(&writer->lock);
    void *place = sluice_chunk_reserve(writer, waits, image->id, offset, &room, &error);
    if (place != NULL)
        count = sluice_kernel_call(SYS_read, source, (long)place, (long)MIN(length, room));
    else if (error == -EAGAIN && sluice_pool_held(&writer->pool))
        count_shortage(writer, waits);
    if (count > 0 && sluice_pool_held(&writer->pool)) {
        sluice_chunk_fill(writer, image->id, offset, (uint32_t)count);
        count_logged(image, (size_t)count, count);
    }
    sluice_lock_release(&writer->lock);
    if (place == NULL) {
        return error == -EIO ? sluice_log_refusal(image)
                             : fill_rest(image, fd, source, length, offset, waits);
    }
    if (count <= 0)
        return sluice_log_source(count);
    note_logged(image, offset, count);
    const ssize_t filled =
        finish_write(image, fd, NULL, (size_t)count, offset, (size_t)count, waits);
    return filled > 0 && image->entry == NULL && !sluice_pool_held(&writer->pool)
        ? sluice_failure(EIO, "the session ended while the stream was read")
        : filled;
}

static int too_long(size_t length, int64_t offset)
{
    return sluice_failure(EFBIG, "%zu bytes at offset %lld: an image has at most 2^60", length,
                          (long long)offset);
}

ssize_t sluice_log_pwrite(struct sluice_log_image *image, int fd, const void *data, size_t length,
                          int64_t offset)
{
    const int error = sluice_log_may_append(image);
    if (error != 0)
        return error;
    if (offset < 0)
        return sluice_failure(EINVAL, "a write at offset %lld", (long long)offset);
    if ((uint64_t)offset > SLUICE_RECORD_MAX_END || length > SLUICE_RECORD_MAX_END - (size_t)offset)
        return too_long(length, offset);
    if (length == 0)
        return 0;
    return (int64_t)length
            >= sluice_threshold(image->client->segment, &image->client->writer.pool.costs)
        ? direct_write(image, fd, data, length, offset, over_threshold(image))
        : log_write(image, fd, data, length, offset);
}

ssize_t sluice_log_fill(struct sluice_log_image *image, int fd, int source, size_t length,
                        int64_t offset)
{
    const int error = sluice_log_may_append(image);
    if (error != 0)
        return error;
    if (length > SLUICE_RECORD_MAX_END - (size_t)offset)
        return too_long(length, offset);
    const int64_t threshold =
        sluice_threshold(image->client->segment, &image->client->writer.pool.costs);
    int there = 0;
    if (threshold < (int64_t)length
        && sluice_kernel_call(SYS_ioctl, source, FIONREAD, (long)&there) == 0
        && there >= threshold) {
        const ssize_t count = direct_fill(image, fd, source, length, offset);
        if (count != -EINVAL)
            return count;
    }
    return log_fill(image, fd, source, length, offset);
}

/*
 * Logs the write if the slot need not be rung and the image stays diverted. Otherwise the caller's
 * sluice_log_pwrite() logs the same bytes again, behind these.
 */
ssize_t sluice_log_try_pwrite(struct sluice_log_image *image, const void *data, size_t length,
                              int64_t offset)
{
    struct sluice_chunk_writer *writer = &image->client->writer;
    if (sluice_hold_doubted(&writer->pool.hold) || !sluice_log_simply_diverted(image) || offset < 0
        || offset > (int64_t)SLUICE_RECORD_MAX_END - SLUICE_LOG_TRIED || length > SLUICE_LOG_TRIED
        || (int64_t)length >= sluice_threshold(image->client->segment, &writer->pool.costs)
        || !sluice_lock_try(&writer->lock)) {
        return -EAGAIN;
    }
    const bool quiet = atomic_load_explicit(&writer->slot->quiet, memory_order_relaxed) != 0;
    const ssize_t logged = !quiet && sluice_chunk_has_room(writer, image->id, length, offset)
        ? append(image, false, data, length, offset)
        : -EAGAIN;
    sluice_lock_release(&writer->lock);
    note_logged(image, offset, logged);
    return logged == (ssize_t)length && !became_direct(image)
            && atomic_load_explicit(&writer->slot->quiet, memory_order_relaxed) == 0
        ? logged
        : -EAGAIN;
}

/* Logs that the image is `size` bytes long from here on; false when no chunk is there. */
static bool mark_truncated(struct sluice_log_image *image, int64_t size)
{
    if (sluice_layout_drains_to_files(image->client->segment))
        return true;
    struct sluice_chunk_writer *writer = &image->client->writer;
    sluice_lock_take(&writer->lock);
    const int error =
        sluice_chunk_mark(writer, true, SLUICE_RECORD_TYPE_TRUNCATE, image->id, size, 0);
    image->last_chunk = writer->sequence;
    sluice_lock_release(&writer->lock);
    return error == 0;
}

/*
 * Truncates the image and its own file, which may hold direct writes beyond the size. In the files
 * layout the file is all, once nothing is left to be drained into it. If the image becomes direct
 * meanwhile, the file is truncated again.
 */
int sluice_log_truncate(struct sluice_log_image *image, int fd, int64_t size)
{
    int error = sluice_log_may_change(image);
    if (error == 0 && size > (int64_t)SLUICE_RECORD_MAX_END)
        error = too_long(0, size);
    if (error == 0)
        error = clear_of_drain(image, 0, INT64_MAX);
    if (error == 0)
        error = sluice_kernel_truncate(fd, size);
    if (error != 0)
        return error;
    if (sluice_log_held(image)) {
        atomic_store_explicit(&image->entry->size, size, memory_order_release);
        if (mark_truncated(image, size) && !became_direct(image))
            return 0;
    }
    error = sluice_log_settle(image, SLUICE_REASON_FULL);
    return error != 0 ? error : sluice_kernel_truncate(fd, size);
}
