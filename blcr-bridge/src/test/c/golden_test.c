/* The client reads and writes the bytes that the Java side reads and writes: the golden vectors. */
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "chunk.h"
#include "counter.h"
#include "segment.h"
#include "threshold.h"

#define SLOT 2
#define RANK 5

static char directory[] = "/dev/shm/sluice-golden-test-XXXXXX";
static struct sluice_segment *segment;

static void *vector(const char *name, size_t length)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", GOLDEN, name);
    uint8_t *bytes = aligned_alloc(4096, (length + 1 + 4095) & ~(size_t)4095);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, length + 1, file), length);
    fclose(file);
    return bytes;
}

/* A segment of which only the header is written. */
static int map(void **state)
{
    (void)state;
    char path[100];
    struct sluice_header *header = vector("header.bin", SLUICE_HEADER_LENGTH);
    snprintf(path, sizeof path, "%s/segment", directory);
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_int_equal(ftruncate(fd, header->segment_length), 0);
    assert_int_equal(pwrite(fd, header, SLUICE_HEADER_LENGTH, 0), SLUICE_HEADER_LENGTH);
    close(fd);
    free(header);
    assert_int_equal(sluice_segment_map(directory, &segment), 0);
    return 0;
}

static int unmap(void **state)
{
    (void)state;
    sluice_segment_unmap(segment);
    return 0;
}

static void header(void **state)
{
    (void)state;
    assert_int_equal(segment->slot_count, 4);
    assert_int_equal(segment->image_count, 64);
    assert_int_equal(segment->chunk_count, 8);
    assert_int_equal(segment->chunk_length, 4096);
    assert_int_equal(segment->layout, SLUICE_HEADER_LAYOUT_CONTAINER);
    assert_int_equal(segment->header->pid, 4242);
    assert_int_equal(segment->header->start_time, 123456789);
    assert_int_equal(segment->header->session_id, 0x1122334455667788);
    assert_int_equal(segment->header->threshold, 1 << 20);
    assert_int_equal(segment->header->threshold_policy, SLUICE_HEADER_POLICY_AUTO);
    assert_int_equal(segment->header->when_full, SLUICE_HEADER_WHEN_FULL_WAIT);
    assert_int_equal(segment->header->free_chunks, 8);
    assert_int_equal(segment->header->sleeping, 1);
    assert_int_equal(segment->header->heartbeat, 1700000000123);
    assert_memory_equal(segment->header->store, "\6\0\0\0/store", 10);
    assert_memory_equal(segment->header->capture, "\10\0\0\0/capture", 12);
}

static void slot(void **state)
{
    (void)state;
    struct sluice_slot *golden = vector("slot.bin", SLUICE_SLOT_LENGTH);
    struct sluice_slot *own = segment->slots + SLOT;
    own->state = SLUICE_SLOT_STATE_ATTACHED;
    own->pid = 4243;
    own->start_time = 987654321;
    own->rank = RANK;
    own->ranks = 8;
    own->generation = 1;
    sluice_counter_add(&own->aggregated_writes[sluice_counter_class(63)], 1);
    sluice_counter_add(&own->aggregated_bytes[sluice_counter_class(63)], 63);
    sluice_counter_add(&own->aggregated_writes[sluice_counter_class(64)], 1);
    sluice_counter_add(&own->aggregated_bytes[sluice_counter_class(64)], 64);
    sluice_counter_add(&own->direct_writes[sluice_counter_class(1 << 20)], 1);
    sluice_counter_add(&own->direct_bytes[sluice_counter_class(1 << 20)], 1 << 20);
    sluice_counter_add(&own->reason_bytes[SLUICE_REASON_THRESHOLD], 1 << 20);
    sluice_counter_add(&own->waits, 1);
    sluice_counter_add(&own->wait_nanos, 1234);
    sluice_counter_add(&own->fallbacks, 1);
    sluice_counter_add(&own->overflows, 1);
    assert_memory_equal(own, golden, SLUICE_SLOT_LENGTH);
    free(golden);
}

static void images(void **state)
{
    (void)state;
    uint8_t *golden = vector("images.bin", 4096);
    memcpy(segment->images, golden, 4096);
    free(golden);
    int64_t size = 0;
    assert_int_equal(sluice_segment_state(segment, makedev(8, 1), 42), SLUICE_IMAGE_STATE_DIVERTED);
    assert_true(sluice_segment_size(segment, makedev(8, 1), 42, &size));
    assert_int_equal(size, INT64_C(1) << 33);
    const ino_t large = 0xfedcba9876543210;
    assert_int_equal(sluice_segment_state(segment, makedev(259, 3), large),
                     SLUICE_IMAGE_STATE_COMMITTED);
    assert_true(sluice_segment_size(segment, makedev(259, 3), large, &size));
    assert_int_equal(size, 17);
}

static void chunk(void **state)
{
    (void)state;
    uint8_t *golden = vector("chunk.bin", 4096);
    struct sluice_connection connection = {.socket = -1};
    struct sluice_chunk_writer writer;
    segment->slots[SLOT].state = SLUICE_SLOT_STATE_ATTACHED;
    assert_int_equal(sluice_chunk_writer_init(&writer, segment, &connection, SLOT, RANK), 0);
    assert_int_equal(sluice_chunk_write(&writer, true, 7, "hello", 5, 0), 5);
    assert_int_equal(sluice_chunk_write(&writer, true, 7, ", world", 7, 5), 7);
    assert_int_equal(
        sluice_chunk_mark(&writer, true, SLUICE_RECORD_TYPE_DIRECT, 7, 1 << 20, 1 << 20), 0);
    assert_int_equal(sluice_chunk_mark(&writer, true, SLUICE_RECORD_TYPE_DIRECT, 7, 2 << 20, 4096),
                     0);
    assert_int_equal(sluice_chunk_mark(&writer, true, SLUICE_RECORD_TYPE_TRUNCATE, 7, 1000, 0), 0);
    assert_int_equal(sluice_chunk_write(&writer, true, 8, "x", 1, INT64_C(1) << 33), 1);
    assert_memory_equal(writer.chunk, golden, 4096);
    sluice_pool_destroy(&writer.pool);
    free(golden);
}

static void ring(void **state)
{
    (void)state;
    uint8_t *golden = vector("ring.bin", SLUICE_RING_LENGTH);
    uint8_t *own = segment->rings + SLOT * segment->ring_length;
    struct sluice_ring producer = {
        .records = (struct sluice_ring_record *)own,
        .trailer = (struct sluice_ring_trailer *)(own + segment->ring_capacity),
        .capacity = segment->ring_capacity,
    };
    for (int i = 0; i < 3; i++) {
        assert_true(sluice_ring_offer(
            &producer,
            &(struct sluice_ring_record){
                .type = SLUICE_RING_TYPE_CHUNK, .chunk = i, .used = 89 + i, .sequence = 1 + i}));
    }
    assert_memory_equal(own, golden, SLUICE_RING_LENGTH);
    free(golden);
}

static void chunk_states(void **state)
{
    (void)state;
    uint64_t *golden = vector("chunk-states.bin", 64);
    memcpy((void *)segment->chunk_states, golden, 64);
    struct sluice_connection connection = {.socket = -1};
    struct sluice_pool pool;
    assert_int_equal(sluice_pool_init(&pool, segment, &connection, SLOT), 0);
    uint32_t claimed;
    uint32_t generation;
    pool.last = 0;
    assert_int_equal(sluice_pool_claim(&pool, true, &claimed, &generation), 0);
    assert_int_equal(claimed, 3);
    sluice_pool_publish(&pool, claimed, generation);
    assert_int_equal(segment->chunk_states[3], golden[2]);
    pool.last = 6;
    assert_int_equal(sluice_pool_claim(&pool, true, &claimed, &generation), 0);
    assert_int_equal(claimed, 6);
    assert_int_equal(generation, 1);
    assert_int_equal(segment->chunk_states[6] & 0xff, golden[4] & 0xff);
    sluice_pool_destroy(&pool);
    free(golden);
}

static int remove_segment(void **state)
{
    (void)state;
    char path[100];
    snprintf(path, sizeof path, "%s/segment", directory);
    return unlink(path) != 0 || rmdir(directory) != 0;
}

static void auto_threshold(void **state)
{
    (void)state;
    FILE *file = fopen(GOLDEN "/auto-threshold.csv", "r");
    assert_non_null(file);
    int rows = 0;
    int64_t free_chunks, count, length, threshold;
    assert_int_equal(fscanf(file, "free,count,chunk_length,threshold"), 0);
    while (fscanf(file, "%" SCNd64 ",%" SCNd64 ",%" SCNd64 ",%" SCNd64, &free_chunks, &count,
                  &length, &threshold)
           == 4) {
        assert_int_equal(sluice_threshold_auto(free_chunks, count, length), threshold);
        rows++;
    }
    fclose(file);
    assert_true(rows > 30);
}

static void room_costs(void **state)
{
    (void)state;
    FILE *file = fopen(GOLDEN "/room-costs.csv", "r");
    assert_non_null(file);
    struct sluice_costs costs = {0};
    int rows = 0;
    char way[8], favoured[8];
    int64_t nanos, bytes;
    assert_int_equal(fscanf(file, "way,nanos,bytes,favours_wait"), 0);
    while (fscanf(file, " %7[a-z],%" SCNd64 ",%" SCNd64 ",%7s", way, &nanos, &bytes, favoured)
           == 4) {
        const bool wait = strcmp(way, "wait") == 0;
        sluice_costs_add(wait ? &costs.wait : &costs.direct, wait ? &costs.direct : &costs.wait,
                         nanos, bytes);
        assert_int_equal(sluice_costs_favour_wait(&costs), strcmp(favoured, "true") == 0);
        rows++;
    }
    fclose(file);
    assert_true(rows > 100);
}

int main(void)
{
    if (mkdtemp(directory) == NULL)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(header, map, unmap),
        cmocka_unit_test_setup_teardown(slot, map, unmap),
        cmocka_unit_test_setup_teardown(images, map, unmap),
        cmocka_unit_test_setup_teardown(chunk, map, unmap),
        cmocka_unit_test_setup_teardown(ring, map, unmap),
        cmocka_unit_test_setup_teardown(chunk_states, map, unmap),
        cmocka_unit_test(auto_threshold),
        cmocka_unit_test(room_costs),
    };
    return cmocka_run_group_tests(tests, NULL, remove_segment);
}
