/*
 * What the client stores while another process reads it: the I/O process, which takes published chunks off
 * the ring and looks into the open one, and others that claim chunks of the same pool. Each test is a loop
 * that the writer runs beside a reader as the I/O process is one.
 */
#include "client.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include "one_image.h"

#define ROUNDS 5000
#define OPEN_ROUNDS 50
#define CHUNK_LENGTH 4096
#define LENGTH (2 << 20)

/* A busy machine may stop the reader for longer than a writer waits: its seconds are minutes here. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    const int status = (int)syscall(SYS_clock_gettime, clock, time);
    if (clock == CLOCK_MONOTONIC && status == 0) {
        const int64_t nanos = (time->tv_sec * INT64_C(1000000000) + time->tv_nsec) / 60;
        *time = (struct timespec){nanos / 1000000000, nanos % 1000000000};
    }
    return status;
}

static uint8_t pattern(int64_t offset)
{
    return (uint8_t)(offset * 31 + (offset >> 12));
}

static struct sluice_chunk *chunk_at(int32_t index)
{
    return (struct sluice_chunk *)(client->segment->chunks + (size_t)index * CHUNK_LENGTH);
}

/* As the I/O process: nothing of the chunk is read any more, and then it is free. */
static void release(uint32_t index)
{
    _Atomic uint64_t *state = client->segment->chunk_states + index;
    const uint64_t word = atomic_load_explicit(state, memory_order_relaxed);
    atomic_store_explicit(&chunk_at((int32_t)index)->used, 0, memory_order_relaxed);
    atomic_store_explicit(state, ((word >> 32) + 1) << 32, memory_order_release);
    atomic_fetch_add(&client->segment->header->free_chunks, 1);
}

static void *publish_many(void *unused)
{
    struct sluice_chunk_writer *writer = &client->writer;
    sluice_lock_take(&writer->lock);
    for (int round = 0; round < ROUNDS; round++) {
        const uint8_t byte = pattern(round);
        if (sluice_chunk_write(writer, true, image.id, &byte, 1, round) != 1
            || sluice_chunk_publish(writer) != 0) {
            abort();
        }
    }
    sluice_lock_release(&writer->lock);
    return unused;
}

static void a_published_chunk_is_seen_whole(void **state)
{
    (void)state;
    start((struct fake_geometry){CONTAINER, 4, CHUNK_LENGTH, 1 << 20, FIXED});
    fake_pause(&iop, true);
    const struct sluice_ring *ring = &client->writer.ring;
    const uint32_t records = ring->capacity / SLUICE_RING_RECORD_LENGTH;
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, publish_many, NULL), 0);
    for (int64_t round = 0; round < ROUNDS; round++) {
        struct sluice_ring_record *record = ring->records + round % records;
        while (atomic_load_explicit(&record->length, memory_order_acquire) <= 0)
            sched_yield();
        const struct sluice_chunk *chunk = chunk_at(record->chunk);
        const uint8_t *payload = (const uint8_t *)chunk + 64 + 24;
        assert_int_equal(record->used, 64 + 24 + 1);
        assert_int_equal(atomic_load_explicit(&chunk->used, memory_order_relaxed), record->used);
        assert_int_equal(chunk->sequence, record->sequence);
        assert_int_equal(*payload, pattern(round));
        release((uint32_t)record->chunk);
        memset((void *)record, 0, sizeof *record);
        atomic_store_explicit(&ring->trailer->head, (round + 1) * SLUICE_RING_RECORD_LENGTH,
                              memory_order_release);
    }
    pthread_join(writer, NULL);
    shut_down();
}

static atomic_bool over;
static atomic_int looks;

static void *extend_chunk(void *unused)
{
    struct sluice_chunk_writer *writer = &client->writer;
    sluice_lock_take(&writer->lock);
    for (int64_t offset = 0; offset < CHUNK_LENGTH - 64 - 24; offset++) {
        const uint8_t byte = pattern(offset);
        if (sluice_chunk_write(writer, false, image.id, &byte, 1, offset) != 1)
            abort();
    }
    sluice_lock_release(&writer->lock);
    atomic_store(&over, true);
    return unused;
}

/* The reader's rule: up to `used`, whatever length the last record has. */
static void read_open_chunk(const struct sluice_chunk *chunk)
{
    const int32_t used = atomic_load_explicit(&chunk->used, memory_order_acquire);
    const struct sluice_record *record =
        (const struct sluice_record *)((const uint8_t *)chunk + 64);
    const uint8_t *payload = (const uint8_t *)(record + 1);
    for (int64_t i = 0; i < used - 64 - 24; i++)
        assert_int_equal(payload[i], pattern(i));
    if (used > 64 + 24) {
        assert_true(atomic_load_explicit(&record->length, memory_order_relaxed) >= used - 64 - 24);
        atomic_fetch_add(&looks, 1);
    }
}

static void an_open_chunk_is_read_as_far_as_it_says(void **state)
{
    (void)state;
    start((struct fake_geometry){CONTAINER, 1, CHUNK_LENGTH, 1 << 20, FIXED});
    fake_pause(&iop, true);
    /* On a busy machine a writer may have ended before the reader had its first look. */
    for (int round = 0; round < OPEN_ROUNDS || atomic_load(&looks) == 0; round++) {
        atomic_store(&over, false);
        pthread_t writer;
        assert_int_equal(pthread_create(&writer, NULL, extend_chunk, NULL), 0);
        while (!atomic_load(&over))
            read_open_chunk(chunk_at(0));
        pthread_join(writer, NULL);
        /* Begun anew by hand: the ring is not what is looked at here. */
        release(0);
        client->writer.chunk = NULL;
        client->writer.last = NULL;
    }
    shut_down();
}

static struct sluice_pool pools[2];
static int instruction; /* of the one that claims, from 0 */
static int interrupted; /* before this one of it the other one claims */
static bool steps;
static uint32_t other_chunk, generation;
static int other_status; /* EAGAIN where it did not claim */

/* The processor comes here before each instruction while TRAP is set. */
static void at_instruction(int number, siginfo_t *what, void *where)
{
    (void)number, (void)what, (void)where;
    if (instruction++ == interrupted)
        other_status = sluice_pool_claim(&pools[1], false, &other_chunk, &generation);
#ifdef __x86_64__
    enum { TRAP = 0x100 };
    greg_t *flags = &((ucontext_t *)where)->uc_mcontext.gregs[REG_EFL];
    *flags = steps ? *flags | TRAP : *flags & ~TRAP;
#endif
}

static void take_back(struct sluice_pool *pool, uint32_t chunk)
{
    sluice_pool_publish(pool, chunk, 0);
    release(chunk);
    pools[0].last = pools[1].last = 0; /* where both look first */
}

/* It had both chunks: it takes the first of them that is free. */
static void warm_up(struct sluice_pool *pool)
{
    uint32_t chunks[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(sluice_pool_claim(pool, false, &chunks[i], &generation), 0);
    for (int i = 0; i < 2; i++)
        take_back(pool, chunks[i]);
}

/* The other one claims at once, before each instruction of a claim in turn. */
static void a_chunk_has_one_owner(void **state)
{
    (void)state;
#if defined __SANITIZE_THREAD__ || !defined __x86_64__
    skip(); /* the sanitizer delays signals */
#endif
    start((struct fake_geometry){CONTAINER, 2, CHUNK_LENGTH, 1 << 20, FIXED});
    const struct sigaction action = {.sa_sigaction = at_instruction, .sa_flags = SA_SIGINFO};
    assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(sluice_pool_init(&pools[i], client->segment, &client->connection, i), 0);
    for (int i = 0; i < 2; i++)
        warm_up(&pools[i]);
    for (interrupted = 0; other_status != EAGAIN; interrupted++) {
        uint32_t chunk;
        other_status = EAGAIN;
        instruction = 0;
        steps = true;
        raise(SIGTRAP);
        assert_int_equal(sluice_pool_claim(&pools[0], false, &chunk, &generation), 0);
        steps = false;
        take_back(&pools[0], chunk);
        if (other_status != EAGAIN) {
            assert_int_equal(other_status, 0);
            assert_int_not_equal(chunk, other_chunk);
            take_back(&pools[1], other_chunk);
        }
    }
    assert_int_equal(client->segment->header->free_chunks, 2);
    for (int i = 0; i < 2; i++)
        sluice_pool_destroy(&pools[i]);
    shut_down();
}

/* In the child, to the image that the parent has announced. */
static int write_all_of_it(void)
{
    struct sluice_client *own;
    int64_t offset = 0;
    if (sluice_client_attach(iop.directory, 4, 8, &own) != 0)
        return 1;
    image.client = own;
    while (offset < LENGTH) {
        static uint8_t piece[5000];
        const int64_t wanted = 1 + offset % 5000;
        const int64_t length = wanted < LENGTH - offset ? wanted : LENGTH - offset;
        for (int64_t i = 0; i < length; i++)
            piece[i] = pattern(offset + i);
        if (sluice_log_pwrite(&image, image_fd, piece, (size_t)length, offset) != length
            || !sluice_log_diverted(&image)) {
            return 2;
        }
        offset += length;
    }
    sluice_client_detach(own);
    return 0;
}

static void another_process_passes_every_byte_through_a_small_pool(void **state)
{
    (void)state;
    start((struct fake_geometry){CONTAINER, 4, 4 * CHUNK_LENGTH, 1 << 20, FIXED});
    const pid_t child = fork();
    if (child == 0)
        _exit(write_all_of_it());
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    uint8_t *expected = malloc(LENGTH);
    for (int64_t i = 0; i < LENGTH; i++)
        expected[i] = pattern(i);
    assert_rebuilt(expected, LENGTH);
    free(expected);
    shut_down();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_published_chunk_is_seen_whole),
        cmocka_unit_test(an_open_chunk_is_read_as_far_as_it_says),
        cmocka_unit_test(a_chunk_has_one_owner),
        cmocka_unit_test(another_process_passes_every_byte_through_a_small_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
