/*
 * Entering a file that this process has just created as an image, without asking the I/O process.
 *
 * Two compare-and-sets decide all races. No process waits for another one. A process stopped or
 * killed between any two steps holds up no other:
 *
 *     the creator                                 the I/O process, for another one that opens the file
 *     1. image entry: FREE -> ENTERING(slot)      a. looks for an image: none
 *     2. creation word: 0 -> (slot, entry)        b. word names an entry: ENTERING(slot) -> CONTESTED
 *     3. is it an image by now, or has it grown?  c. word -> OPENED(file), unless it changed: again from b
 *     4. OPEN and the name onto the ring          d. takes all rings, looks for an image once more
 *     5. image entry: ENTERING(slot) -> DIVERTED, or DIRECT
 *     6. creation word: back to 0
 *
 * Before 5. no process finds the entry, and nothing is logged. If 5. comes before b., the ring has
 * the OPEN, and d. finds the image. If b. comes before 5., the creator fails in 5. and asks. The
 * creator asks as well if c. comes before 2., and the I/O process makes the image direct. If a.
 * finds nothing, but the file becomes the other process's image before 2., the creator finds that
 * in 3.: the I/O process frees the word behind the image. A word stands for all files with its
 * hash, so that a creator may ask without need.
 *
 * So the ring has the OPEN of each entry that is DIVERTED, and of each DIRECT one not to be logged.
 * The I/O process reads that ring before it decides about the image, and before it handles what the
 * creator asks.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "attachment.h"
#include "clock.h"
#include "kernel.h"

struct entrance {
    struct sluice_client *client;
    const struct sluice_created *file;
    int64_t device;
    struct sluice_image_entry *entry;
    uint32_t id;
    int32_t born; /* the file's time of creation, as in its entry */
    int reason;   /* why the file is not to be logged; SLUICE_REASON_NONE: log it */
};

static struct sluice_slot *slot_of(const struct entrance *entrance)
{
    return entrance->client->writer.slot;
}

static int32_t with_slot(const struct entrance *entrance, int32_t state)
{
    return (int32_t)(entrance->client->writer.pool.slot << SLUICE_IMAGE_STATE_SLOT_SHIFT) | state;
}

static uint32_t index_of(const struct entrance *entrance)
{
    return (uint32_t)(entrance->entry - entrance->client->segment->images);
}

/*
 * Returns whether the I/O process has taken everything on the ring up to the last OPEN. The caller
 * holds the writer's lock.
 */
static bool are_taken(const struct sluice_chunk_writer *writer)
{
    return atomic_load_explicit(&writer->ring.trailer->head, memory_order_acquire)
        >= writer->entered;
}

/* Returns whether one more file may be entered before the I/O process takes those on the ring. */
static bool may_enter(struct sluice_chunk_writer *writer)
{
    if (are_taken(writer))
        writer->untaken = 0;
    return writer->untaken < atomic_load(&writer->slot->most_untaken);
}

/* Returns whether the I/O process is there. Without it, a file is plain. */
static bool is_served(const struct sluice_connection *connection)
{
    struct pollfd hangup = {.fd = connection->socket};
    return !atomic_load_explicit(&connection->lost, memory_order_relaxed)
        && !atomic_load_explicit(&connection->broken, memory_order_relaxed)
        && poll(&hangup, 1, 0) == 0;
}

static int count_free(const struct sluice_image_entry *bucket)
{
    int count = 0;
    for (int i = 0; i < SLUICE_IMAGE_BUCKET_LENGTH; i++) {
        count +=
            atomic_load_explicit(&bucket[i].state, memory_order_relaxed) == SLUICE_IMAGE_STATE_FREE;
    }
    return count;
}

/*
 * Takes a free entry. The slot names the entry first, so that the I/O process finds the entry if
 * this process dies.
 */
static bool take_entry(struct entrance *entrance)
{
    const struct sluice_segment *segment = entrance->client->segment;
    const uint64_t hash = sluice_image_hash(entrance->device, entrance->file->inode);
    struct sluice_image_entry *first = sluice_image_bucket(segment, hash, false);
    struct sluice_image_entry *second = sluice_image_bucket(segment, hash, true);
    struct sluice_image_entry *bucket = count_free(first) >= count_free(second) ? first : second;
    for (int i = 0; i < SLUICE_IMAGE_BUCKET_LENGTH; i++) {
        int32_t state = SLUICE_IMAGE_STATE_FREE;
        entrance->entry = bucket + i;
        atomic_store(&slot_of(entrance)->entering, (int32_t)index_of(entrance) + 1);
        if (atomic_compare_exchange_strong(&bucket[i].state, &state,
                                           with_slot(entrance, SLUICE_IMAGE_STATE_ENTERING))) {
            bucket[i].image_id = 0; /* the ring may still have the OPEN of a former entrance */
            return true;
        }
    }
    return false;
}

/*
 * Frees the entry, unless the I/O process has freed it already: another process may have it by now.
 */
static void give_entry_back(const struct entrance *entrance)
{
    int32_t entering = with_slot(entrance, SLUICE_IMAGE_STATE_ENTERING);
    int32_t contested = with_slot(entrance, SLUICE_IMAGE_STATE_CONTESTED);
    if (!atomic_compare_exchange_strong(&entrance->entry->state, &entering,
                                        SLUICE_IMAGE_STATE_FREE)) {
        atomic_compare_exchange_strong(&entrance->entry->state, &contested,
                                       SLUICE_IMAGE_STATE_FREE);
    }
}

/* Fills the entry, which others read only once its state is DIVERTED or DIRECT. */
static void fill_entry(const struct entrance *entrance)
{
    struct sluice_image_entry *entry = entrance->entry;
    entry->image_id = (int32_t)entrance->id;
    atomic_store_explicit(&entry->size, entrance->file->size, memory_order_relaxed);
    atomic_store_explicit(&entry->error, 0, memory_order_relaxed);
    atomic_store_explicit(&entry->reason, entrance->reason, memory_order_relaxed);
    atomic_store_explicit(&entry->direct_bytes, 0, memory_order_relaxed);
    atomic_store_explicit(&entry->unseen, 0, memory_order_relaxed);
    atomic_store_explicit(&entry->born, entrance->born, memory_order_relaxed);
    atomic_store_explicit(&entry->creator, (int32_t)entrance->client->writer.pool.slot + 1,
                          memory_order_relaxed);
}

/*
 * Returns whether the file still has the length that it had a moment ago. Notes its time of
 * creation.
 */
static bool has_not_grown(struct entrance *entrance)
{
    struct statx now;
    if (sluice_kernel_call(SYS_statx, entrance->file->fd, (long)"", AT_EMPTY_PATH,
                           STATX_SIZE | STATX_BTIME, (long)&now)
        != 0) {
        return false;
    }
    const int64_t born = now.stx_btime.tv_sec * INT64_C(1000000000) + now.stx_btime.tv_nsec;
    entrance->born = now.stx_mask & STATX_BTIME ? (int32_t)born : 0;
    return (int64_t)now.stx_size == entrance->file->size;
}

/*
 * Returns whether the file is still in no other process's hands, and the I/O process lets files be
 * entered.
 */
static bool is_new(struct entrance *entrance)
{
    const struct sluice_created *file = entrance->file;
    return atomic_load(&slot_of(entrance)->most_untaken) > 0
        && sluice_segment_state(entrance->client->segment, file->device, file->inode)
        == SLUICE_IMAGE_STATE_FREE
        && has_not_grown(entrance);
}

static bool put_on_ring(const struct entrance *entrance)
{
    const struct sluice_ring_record record = {.type = SLUICE_RING_TYPE_OPEN,
                                              .open_image = (int32_t)entrance->id,
                                              .entry = (int32_t)index_of(entrance),
                                              .descriptor = entrance->file->fd,
                                              .name_length = (int32_t)strlen(entrance->file->path),
                                              .began = sluice_clock()};
    return sluice_ring_offer_named(&entrance->client->writer.ring, &record, entrance->file->path,
                                   strlen(entrance->file->path));
}

static bool is_logged(const struct entrance *entrance)
{
    return entrance->reason == SLUICE_REASON_NONE;
}

static bool show(const struct entrance *entrance)
{
    int32_t state = with_slot(entrance, SLUICE_IMAGE_STATE_ENTERING);
    return atomic_compare_exchange_strong(&entrance->entry->state, &state,
                                          is_logged(entrance) ? SLUICE_IMAGE_STATE_DIVERTED
                                                              : SLUICE_IMAGE_STATE_DIRECT);
}

static bool fill_and_show(struct entrance *entrance)
{
    entrance->id =
        (uint32_t)atomic_fetch_add(&entrance->client->segment->header->last_image, 1) + 1;
    if ((int32_t)entrance->id < 1)
        return false;
    fill_entry(entrance);
    return put_on_ring(entrance) && show(entrance);
}

/* Does the steps 2 to 6. */
static bool claim_and_show(struct entrance *entrance)
{
    const struct sluice_segment *segment = entrance->client->segment;
    const uint64_t hash = sluice_image_hash(entrance->device, entrance->file->inode);
    _Atomic uint64_t *word = segment->creations + (hash >> 16 & (segment->creation_count - 1));
    const uint64_t claim = (uint64_t)index_of(entrance) << 32
        | (uint64_t)entrance->client->writer.pool.slot << 8 | SLUICE_CREATION_ENTERING;
    uint64_t found = SLUICE_CREATION_FREE;
    atomic_store_explicit(&entrance->entry->device, entrance->device, memory_order_relaxed);
    atomic_store_explicit(&entrance->entry->inode, (int64_t)entrance->file->inode,
                          memory_order_relaxed);
    if (!atomic_compare_exchange_strong(word, &found, claim))
        return false;
    const bool entered = is_new(entrance) && fill_and_show(entrance);
    found = claim;
    atomic_compare_exchange_strong(word, &found, SLUICE_CREATION_FREE);
    return entered;
}

/* The caller holds the writer's lock: a process enters one file at a time. */
static bool enter(struct entrance *entrance)
{
    struct sluice_chunk_writer *writer = &entrance->client->writer;
    const bool taken = take_entry(entrance);
    const bool entered = taken && claim_and_show(entrance);
    if (taken && !entered)
        give_entry_back(entrance);
    atomic_store(&slot_of(entrance)->entering, 0);
    if (entered) {
        writer->untaken++;
        writer->entered = atomic_load_explicit(&writer->ring.trailer->tail, memory_order_relaxed);
        if (is_logged(entrance)) /* the I/O process may learn of a direct file at its close */
            sluice_chunk_ring_bell(writer, true);
    }
    return entered;
}

bool sluice_client_enter(struct sluice_client *client, const struct sluice_created *file,
                         int reason, struct sluice_disposition *disposition)
{
    struct sluice_chunk_writer *writer = &client->writer;
    struct entrance entrance = {
        .client = client, .file = file, .device = sluice_device(file->device), .reason = reason};
    const size_t length = strlen(file->path);
    if (length < 1 || length > SLUICE_RING_MAX_NAME_LENGTH)
        return false;
    sluice_lock_take(&writer->lock);
    const bool entered = sluice_pool_held(&writer->pool) && may_enter(writer)
        && is_served(&client->connection) && enter(&entrance);
    sluice_lock_release(&writer->lock);
    if (entered) {
        *disposition = (struct sluice_disposition){
            .kind = is_logged(&entrance) ? SLUICE_REQUEST_DIVERT : SLUICE_REQUEST_DIRECT,
            .entry = (int32_t)index_of(&entrance),
            .id = entrance.id,
            .reason = reason,
            .size = file->size};
    }
    return entered;
}

bool sluice_client_asks(const struct sluice_client *client)
{
    return atomic_load(&client->writer.slot->most_untaken) == 0;
}

void sluice_client_have_taken(struct sluice_client *client)
{
    struct sluice_chunk_writer *writer = &client->writer;
    if (!sluice_pool_held(&writer->pool))
        return; /* the I/O process has seen the end of the process that had the slot */
    sluice_lock_take(&writer->lock);
    const bool untaken = !are_taken(writer);
    const bool guarded =
        atomic_load_explicit(&client->segment->header->guarded, memory_order_relaxed) != 0;
    const bool unheld = writer->closed && !guarded;
    writer->closed = false;
    sluice_lock_release(&writer->lock);
    if (untaken || unheld)
        sluice_client_replace(client, 0, 0, SLUICE_REQUEST_REPLACE_HOLD, "");
}
