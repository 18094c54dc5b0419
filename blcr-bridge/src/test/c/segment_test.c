/* A segment is mapped only if it is what it claims to be; images are found in it. */
#include "segment.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_io_process.h"
#include "launcher.h"

static struct fake_io_process iop;

static int start(void **state)
{
    (void)state;
    fake_start(&iop,
               (struct fake_geometry){SLUICE_HEADER_LAYOUT_FILES, 4, 4096, 3000,
                                      SLUICE_HEADER_POLICY_FIXED});
    return 0;
}

static int shut_down(void **state)
{
    (void)state;
    fake_stop(&iop);
    return 0;
}

static void assert_map(int expected)
{
    struct sluice_segment *segment;
    assert_int_equal(sluice_segment_map(iop.directory, &segment), expected);
    if (expected == 0)
        sluice_segment_unmap(segment);
    else
        assert_non_null(strstr(sluice_failure_message(), iop.directory));
}

/* Each hostile value in turn, and the right one put back. */
#define ASSERT_DAMAGED(field, hostile)                                                             \
    do {                                                                                           \
        const __typeof__(iop.header->field) right = iop.header->field;                             \
        iop.header->field = (hostile);                                                             \
        assert_map(-EBADMSG);                                                                      \
        iop.header->field = right;                                                                 \
    } while (0)

static void hostile_geometry_is_refused(void **state)
{
    (void)state;
    assert_map(0);
    ASSERT_DAMAGED(magic, 1);
    ASSERT_DAMAGED(segment_length, INT64_MAX);
    ASSERT_DAMAGED(segment_length, -1);
    ASSERT_DAMAGED(segment_length, 4096);
    ASSERT_DAMAGED(slots, -4096);
    ASSERT_DAMAGED(slots, 0);
    ASSERT_DAMAGED(slots, INT64_MAX & ~63);
    ASSERT_DAMAGED(slot_count, 0);
    ASSERT_DAMAGED(slot_count, INT32_MAX);
    ASSERT_DAMAGED(slot_length, 512);
    ASSERT_DAMAGED(rings, 4096);
    ASSERT_DAMAGED(ring_capacity, 1000);
    ASSERT_DAMAGED(ring_capacity, 0);
    ASSERT_DAMAGED(ring_length, 64);
    ASSERT_DAMAGED(images, INT64_MAX / 2 & ~63);
    ASSERT_DAMAGED(image_count, 48);
    ASSERT_DAMAGED(image_count, 8);
    ASSERT_DAMAGED(image_length, 0);
    ASSERT_DAMAGED(chunk_states, 3);
    ASSERT_DAMAGED(chunk_count, INT32_MAX);
    ASSERT_DAMAGED(chunk_count, -1);
    ASSERT_DAMAGED(chunk_length, 1 << 30);
    ASSERT_DAMAGED(chunk_length, 4095);
    ASSERT_DAMAGED(chunks, 4096);
    ASSERT_DAMAGED(chunks, 2 << 20 | 64);
    ASSERT_DAMAGED(layout, 3);
    assert_map(0);
}

static void other_version_is_its_own_error(void **state)
{
    (void)state;
    atomic_store(&iop.header->version, SLUICE_HEADER_VERSION + 1);
    assert_map(-EPROTONOSUPPORT);
    atomic_store(&iop.header->version, SLUICE_HEADER_VERSION);
}

static void truncated_segment_is_refused(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/segment", iop.directory);
    const int64_t length = iop.header->segment_length;
    assert_int_equal(truncate(path, length - 1), 0);
    assert_map(-EBADMSG);
    assert_int_equal(truncate(path, length), 0);
    assert_map(0);
}

static void segment_that_is_never_completed_is_refused(void **state)
{
    (void)state;
    atomic_store(&iop.header->version, 0);
    assert_map(-EBADMSG);
    atomic_store(&iop.header->version, SLUICE_HEADER_VERSION);
}

static void absent_segment_is_named(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/segment", iop.directory);
    assert_int_equal(unlink(path), 0);
    assert_map(-ENOENT);
}

static struct sluice_image_entry *entry_of(const struct sluice_segment *segment, int64_t device,
                                           int64_t inode, int place, bool second)
{
    uint64_t hash = (uint64_t)inode * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)device;
    hash ^= hash >> 32;
    if (second)
        hash >>= 40;
    return segment->images + (hash & (segment->image_count / 16 - 1)) * 16 + place;
}

static void image_is_found_anywhere_in_its_two_buckets(void **state)
{
    (void)state;
    struct sluice_segment *segment;
    assert_int_equal(sluice_segment_map(iop.directory, &segment), 0);
    const dev_t device = makedev(254, 3);
    int64_t size = 0;
    for (ino_t inode = 1000; inode < 1032; inode++) {
        struct sluice_image_entry *entry = entry_of(segment, INT64_C(254) << 32 | 3, (int64_t)inode,
                                                    (int)(inode % 16), inode >= 1016);
        atomic_store(&entry->device, INT64_C(254) << 32 | 3);
        atomic_store(&entry->inode, (int64_t)inode);
        atomic_store(&entry->size, 77 + (int64_t)inode);
        atomic_store(&entry->state, SLUICE_IMAGE_STATE_DIVERTED);
        assert_true(sluice_segment_size(segment, device, inode, &size));
        assert_int_equal(size, 77 + inode);
        atomic_store(&entry->state, SLUICE_IMAGE_STATE_COMMITTED);
        assert_true(sluice_segment_size(segment, device, inode, &size));
        atomic_store(&entry->state, SLUICE_IMAGE_STATE_DIRECT);
        assert_false(sluice_segment_size(segment, device, inode, &size));
        assert_int_equal(sluice_segment_state(segment, device, inode), SLUICE_IMAGE_STATE_DIRECT);
    }
    assert_int_equal(sluice_segment_state(segment, device, 999), SLUICE_IMAGE_STATE_FREE);
    sluice_segment_unmap(segment);
}

/* Nothing of what tells of a launcher is left in the environment. */
static void clear_launchers(void)
{
    static const char *const prefixes[] = {"SLUICE_RANK", "SLUICE_LOCAL", "OMPI_",  "PMI",
                                           "MPI_",        "PALS_",        "SLURM_", "FLUX_"};
    for (char **variable = environ; *variable != NULL;) {
        char name[256];
        bool tells = false;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(*variable, "="), *variable);
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            tells |= strncmp(name, prefixes[i], strlen(prefixes[i])) == 0;
        if (tells)
            unsetenv(name);
        else
            variable++;
    }
}

static void assert_place(int expected_rank, int expected_ranks)
{
    int rank;
    int ranks;
    sluice_launcher_rank(&rank, &ranks);
    assert_int_equal(rank, expected_rank);
    assert_int_equal(ranks, expected_ranks);
}

static void rank_comes_from_the_launcher(void **state)
{
    (void)state;
    clear_launchers();
    assert_place(-1, 0);
    setenv("SLURM_PROCID", "5", 1);
    setenv("SLURM_NTASKS", "9", 1);
    assert_place(-1, 0); /* in a batch script */
    setenv("SLURM_STEP_ID", "0", 1);
    assert_place(5, 9);
    setenv("PMIX_RANK", "4", 1);
    assert_place(4, 9);
    setenv("OMPI_COMM_WORLD_RANK", "2", 1);
    setenv("OMPI_COMM_WORLD_SIZE", "3", 1);
    assert_place(2, 3);
    setenv("SLUICE_RANK", "1", 1);
    assert_place(1, 3);
    setenv("SLUICE_RANK", "one", 1);
    assert_place(2, 3);
    clear_launchers();
}

/* The cases that the Java client is tested with as well. */
static void ranks_of_this_node_come_from_the_launcher(void **state)
{
    (void)state;
    char line[1024];
    int cases = 0;
    FILE *file = fopen(LAUNCHERS, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        if (*line == '#')
            continue;
        clear_launchers();
        char *rest;
        const int ranks = atoi(strtok_r(line, " \n", &rest));
        const int expected = atoi(strtok_r(NULL, " \n", &rest));
        for (char *each; (each = strtok_r(NULL, " \n", &rest)) != NULL;) {
            char *value = strchr(each, '=');
            *value++ = 0;
            setenv(each, value, 1);
        }
        if (sluice_launcher_local_ranks(ranks) != expected) {
            fail_msg("case %d: %d instead of %d of %d", cases + 1,
                     sluice_launcher_local_ranks(ranks), expected, ranks);
        }
        cases++;
    }
    fclose(file);
    assert_true(cases > 30);
    clear_launchers();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hostile_geometry_is_refused, start, shut_down),
        cmocka_unit_test_setup_teardown(other_version_is_its_own_error, start, shut_down),
        cmocka_unit_test_setup_teardown(truncated_segment_is_refused, start, shut_down),
        cmocka_unit_test_setup_teardown(segment_that_is_never_completed_is_refused, start,
                                        shut_down),
        cmocka_unit_test_setup_teardown(absent_segment_is_named, start, shut_down),
        cmocka_unit_test_setup_teardown(image_is_found_anywhere_in_its_two_buckets, start,
                                        shut_down),
        cmocka_unit_test(rank_comes_from_the_launcher),
        cmocka_unit_test(ranks_of_this_node_come_from_the_launcher),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
