#include "pool.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "clock.h"
#include "counter.h"
#include "failure.h"
#include "memory.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

/* The longest wait while no chunk is released, in nanoseconds. */
#define PATIENCE INT64_C(1000000000)

/*
 * The most time that counts as waited between two looks, in nanoseconds. A look takes a millisecond
 * on a free processor. On a busy one, the I/O process may have had no processor either.
 */
#define LONGEST_STEP (PATIENCE / 500)

#define STATE_MASK UINT64_C(0xff)
#define GENERATION_SHIFT 32
#define SLOT_SHIFT 8

void sluice_pool_destroy(struct sluice_pool *pool)
{
    sluice_hold_free(&pool->hold);
    sluice_memory_give(pool->populated);
}

static bool populated(const struct sluice_pool *pool, uint32_t chunk)
{
    return pool->populated[chunk / 64] >> chunk % 64 & 1;
}

/*
 * Creates this process's page table entries for chunks, since single page faults cost more than the
 * copy they interrupt. Populating for reading suffices: the kernel then maps many pages at a time,
 * writable too since the mapping is shared. Old kernels answer EINVAL.
 */
static void populate(struct sluice_pool *pool, uint32_t first, uint32_t count)
{
    const size_t length = pool->segment->chunk_length;
    madvise(pool->segment->chunks + first * length, count * length, MADV_POPULATE_READ);
    for (uint32_t chunk = first; chunk < first + count; chunk++)
        pool->populated[chunk / 64] |= UINT64_C(1) << chunk % 64;
}

static bool has_memory(const struct sluice_segment *segment, uint32_t chunk)
{
    const uint64_t state =
        atomic_load_explicit(&segment->chunk_states[chunk], memory_order_acquire) & STATE_MASK;
    return state != SLUICE_CHUNK_STATE_ABSENT && state != SLUICE_CHUNK_STATE_MAKING;
}

/* Populates the chunks that have their memory by now, those that lie together at once. */
static void populate_present(struct sluice_pool *pool)
{
    const struct sluice_segment *segment = pool->segment;
    for (uint32_t first = 0, end; first < segment->chunk_count; first = end + 1) {
        for (end = first; end < segment->chunk_count && has_memory(segment, end);)
            end++;
        if (end > first)
            populate(pool, first, end - first);
    }
}

int sluice_pool_init(struct sluice_pool *pool, const struct sluice_segment *segment,
                     struct sluice_connection *connection, uint32_t slot)
{
    *pool = (struct sluice_pool){
        .segment = segment,
        .connection = connection,
        .populated = sluice_memory_take((segment->chunk_count + 63) / 64 * sizeof(uint64_t)),
        .slot = slot,
        /* Spread over the pool, so that the processes of a node do not contend for one chunk. */
        .last = (uint32_t)((uint64_t)(slot * UINT32_C(0x9E3779B9)) * segment->chunk_count >> 32),
    };
    if (pool->populated == NULL
        || !sluice_hold_take(&pool->hold, segment->header, segment->slots + slot)) {
        sluice_memory_give(pool->populated);
        return sluice_failure(ENOMEM, "no memory for the chunk pool");
    }
    if (segment->huge)
        populate_present(pool);
    return 0;
}

static uint64_t own_word(const struct sluice_pool *pool, uint64_t generation, uint64_t state)
{
    return generation << GENERATION_SHIFT | (uint64_t)pool->slot << SLOT_SHIFT | state;
}

/*
 * Turns a chunk from FREE to OPEN. Acquire order: the I/O process read the chunk's former content
 * before it released the chunk. Release order: before the claim, the I/O process sees on the ring
 * all chunks that this process had earlier. The count of free chunks is advice, and may be off by
 * the claims under way.
 */
static bool try_claim(struct sluice_pool *pool, uint32_t chunk, uint64_t state)
{
    const struct sluice_segment *segment = pool->segment;
    const uint64_t open = own_word(pool, state >> GENERATION_SHIFT, SLUICE_CHUNK_STATE_OPEN);
    if ((state & STATE_MASK) != SLUICE_CHUNK_STATE_FREE
        || !atomic_compare_exchange_strong_explicit(&segment->chunk_states[chunk], &state, open,
                                                    memory_order_acq_rel, memory_order_relaxed)) {
        return false;
    }
    atomic_fetch_sub_explicit(&segment->header->free_chunks, 1, memory_order_relaxed);
    pool->last = chunk;
    return true;
}

/* Goes once around the pool. `*releases` becomes the number of releases so far. */
static bool search(struct sluice_pool *pool, bool warm, uint64_t *releases)
{
    const struct sluice_segment *segment = pool->segment;
    *releases = 0;
    for (uint32_t i = 0, chunk = pool->last; i < segment->chunk_count; i++, chunk++) {
        chunk = chunk == segment->chunk_count ? 0 : chunk;
        const uint64_t state =
            atomic_load_explicit(&segment->chunk_states[chunk], memory_order_relaxed);
        if ((!warm || populated(pool, chunk)) && try_claim(pool, chunk, state))
            return true;
        *releases += state >> GENERATION_SHIFT;
    }
    return false;
}

bool sluice_pool_pause(const struct sluice_pool *pool, unsigned round)
{
    return sluice_connection_pause(pool->connection, round) && sluice_pool_held(pool);
}

bool sluice_pool_lacks_memory(const struct sluice_pool *pool)
{
    return atomic_load_explicit(&pool->segment->header->absent_chunks, memory_order_relaxed) > 0;
}

/*
 * Returns whether this process is to make the memory of a chunk that it needs. A process with
 * limits of its own does not: the kernel would charge the memory to it, and kill it.
 */
static bool may_make(struct sluice_pool *pool)
{
    const struct sluice_slot *slot = pool->segment->slots + pool->slot;
    if (atomic_load_explicit(&slot->makes_memory, memory_order_relaxed) == 0)
        pool->costs.cannot_make = true;
    return !pool->costs.cannot_make
        && atomic_load_explicit(&pool->segment->header->memory_grants, memory_order_relaxed) > 0
        && sluice_pool_lacks_memory(pool);
}

/* Returns whether there is no chunk to be had. Cheap enough for every write. */
static bool exhausted(struct sluice_pool *pool)
{
    return atomic_load_explicit(&pool->segment->header->free_chunks, memory_order_relaxed) <= 0
        && !may_make(pool);
}

/*
 * Ends the making of a chunk. False when it was another's meanwhile: the I/O process took it back
 * since it believed this process to be over.
 */
static bool turn_made(const struct sluice_segment *segment, uint32_t chunk, uint64_t making,
                      uint64_t next)
{
    return atomic_compare_exchange_strong_explicit(&segment->chunk_states[chunk], &making, next,
                                                   memory_order_release, memory_order_relaxed);
}

/*
 * Gives back a chunk whose memory could not be made. The pages that were made stay: the I/O process
 * may have made the others meanwhile, and be about to free the chunk. Before Linux 5.14 the I/O
 * process makes all memory. Where there is no memory every process leaves it to the I/O process,
 * which tries once more and says why that fails.
 */
static void give_up_making(struct sluice_pool *pool, uint32_t chunk, uint64_t making)
{
    const struct sluice_segment *segment = pool->segment;
    struct sluice_header *header = segment->header;
    pool->costs.cannot_make = errno == EINVAL;
    if (pool->costs.cannot_make) {
        atomic_fetch_add_explicit(&header->memory_grants, 1, memory_order_relaxed);
    } else {
        atomic_store_explicit(&header->memory_grants, 0, memory_order_relaxed);
        atomic_store_explicit(&header->memory_refused, 1, memory_order_relaxed);
    }
    const uint64_t absent = making >> GENERATION_SHIFT << GENERATION_SHIFT
        | (uint64_t)SLUICE_CHUNK_STATE_NOBODY << SLOT_SHIFT | SLUICE_CHUNK_STATE_ABSENT;
    if (turn_made(segment, chunk, making, absent))
        atomic_fetch_add_explicit(&header->absent_chunks, 1, memory_order_relaxed);
}

/*
 * Makes the memory of a chunk that this process has turned from ABSENT to MAKING. Nobody else
 * touches the chunk before it is OPEN, so the kernel's answer is the only way to learn that there
 * is no memory: a touch would be a SIGBUS. A process that dies in here leaves MAKING behind, which
 * the I/O process turns to ABSENT; pages that are there already are found there by the next one.
 */
static bool make_taken(struct sluice_pool *pool, uint32_t chunk, uint64_t making)
{
    const struct sluice_segment *segment = pool->segment;
    const int64_t begin = sluice_clock();
    const size_t length = segment->chunk_length;
    int status;
    do {
        status = madvise(segment->chunks + chunk * length, length, MADV_POPULATE_WRITE);
    } while (status != 0 && (errno == EINTR || errno == EAGAIN));
    if (status != 0) {
        give_up_making(pool, chunk, making);
        return false;
    }
    sluice_costs_made(&pool->costs, sluice_clock() - begin, (int64_t)length);
    pool->populated[chunk / 64] |= UINT64_C(1) << chunk % 64;
    pool->last = chunk;
    const uint64_t generation = (making >> GENERATION_SHIFT) + 1;
    return turn_made(segment, chunk, making, own_word(pool, generation, SLUICE_CHUNK_STATE_OPEN));
}

/*
 * Takes a chunk without memory and makes that, beside other processes that do the same. As many
 * chunks get memory as the I/O process has granted: it knows the limits of control groups, beyond
 * which the kernel kills. A grant that a killed process took is granted anew.
 */
static bool make(struct sluice_pool *pool)
{
    const struct sluice_segment *segment = pool->segment;
    struct sluice_header *header = segment->header;
    if (!may_make(pool)
        || atomic_fetch_sub_explicit(&header->memory_grants, 1, memory_order_relaxed) <= 0) {
        return false;
    }
    for (uint32_t i = 0, chunk = pool->last; i < segment->chunk_count; i++, chunk++) {
        chunk = chunk == segment->chunk_count ? 0 : chunk;
        uint64_t state = atomic_load_explicit(&segment->chunk_states[chunk], memory_order_relaxed);
        const uint64_t making =
            own_word(pool, state >> GENERATION_SHIFT, SLUICE_CHUNK_STATE_MAKING);
        if ((state & STATE_MASK) == SLUICE_CHUNK_STATE_ABSENT
            && atomic_compare_exchange_strong_explicit(&segment->chunk_states[chunk], &state,
                                                       making, memory_order_acquire,
                                                       memory_order_relaxed)) {
            atomic_fetch_sub_explicit(&header->absent_chunks, 1, memory_order_relaxed);
            return make_taken(pool, chunk, making);
        }
    }
    atomic_fetch_add_explicit(&header->memory_grants, 1, memory_order_relaxed);
    return false;
}

/*
 * Searches until a chunk turns up, or none was released anywhere for PATIENCE. After a vain wait,
 * the next wait begins only after another release. `*full` becomes true if all chunks are in use
 * meanwhile.
 */
static int search_on(struct sluice_pool *pool, uint64_t releases, bool *full)
{
    int64_t looked = sluice_clock();
    int64_t waited = 0;
    uint64_t seen = releases;
    uint32_t resumptions = atomic_load(&pool->connection->resumptions);
    for (unsigned round = 0; pool->starved != releases + 1; round++) {
        if (!sluice_pool_pause(pool, round))
            return -EIO;
        if (search(pool, false, &releases) || make(pool))
            return 0;
        *full = *full || !sluice_pool_lacks_memory(pool);
        const int64_t now = sluice_clock();
        waited += now - looked < LONGEST_STEP ? now - looked : LONGEST_STEP;
        looked = now;
        if (releases != seen || resumptions != atomic_load(&pool->connection->resumptions)) {
            seen = releases;
            resumptions = atomic_load(&pool->connection->resumptions);
            waited = 0;
        } else if (waited > PATIENCE) {
            pool->starved = releases + 1;
        }
    }
    return sluice_failure(EAGAIN, "no chunk is free and none is being drained");
}

/*
 * Waits for a chunk as search_on() does. Counts the wait as one for room, or else for memory.
 */
static int await(struct sluice_pool *pool, uint64_t releases, int64_t *waited)
{
    const int64_t begin = sluice_clock();
    bool full = !sluice_pool_lacks_memory(pool);
    const int error = search_on(pool, releases, &full);
    if (error == -EIO)
        return error;
    *waited = sluice_clock() - begin;
    struct sluice_slot *slot = pool->segment->slots + pool->slot;
    sluice_counter_add(full ? &slot->waits : &slot->memory_waits, 1);
    sluice_counter_add(full ? &slot->wait_nanos : &slot->memory_wait_nanos, *waited);
    return error;
}

int sluice_pool_claim(struct sluice_pool *pool, bool waits, uint32_t *chunk, uint32_t *generation)
{
    uint64_t releases;
    if (!waits && exhausted(pool))
        return -EAGAIN;
    int64_t waited = 0;
    if (!search(pool, true, &releases) && !search(pool, false, &releases) && !make(pool)) {
        if (!waits)
            return -EAGAIN;
        const int error = await(pool, releases, &waited);
        if (error != 0)
            return error;
    }
    sluice_costs_add(&pool->costs.wait, &pool->costs.direct, waited, pool->segment->chunk_length);
    if (!populated(pool, pool->last))
        populate(pool, pool->last, 1);
    *chunk = pool->last;
    *generation =
        (uint32_t)(atomic_load_explicit(&pool->segment->chunk_states[*chunk], memory_order_relaxed)
                   >> GENERATION_SHIFT);
    return 0;
}

void sluice_pool_publish(struct sluice_pool *pool, uint32_t chunk, uint32_t generation)
{
    atomic_store_explicit(&pool->segment->chunk_states[chunk],
                          own_word(pool, generation, SLUICE_CHUNK_STATE_PUBLISHED),
                          memory_order_release);
}
