/* What a client does when there is no chunk, or no place on the ring, for what it writes. */
#include "client.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "one_image.h"

static const struct fake_geometry small_container = {CONTAINER, 1, 4096, 3000, FIXED};
static const struct fake_geometry small_files = {FILES, 1, 4096, 3000, FIXED};

static void without_a_chunk_the_image_goes_direct(void **state)
{
    (void)state;
    start((struct fake_geometry){CONTAINER, 2, 4096, 1 << 20, FIXED});
    fake_pause(&iop, true);
    char data[10000];
    memset(data, 'x', sizeof data);
    write_all(data, sizeof data, 0);
    assert_false(sluice_log_diverted(&image));
    assert_int_equal(iop.slots[0].fallbacks, 1);
    assert_int_equal(iop.slots[0].waits, 1);
    assert_int_equal(sluice_log_pwrite(&image, image_fd, "y", 1, 0), -ESTALE);
    assert_rebuilt(data, sizeof data);
    shut_down();
}

/*
 * What happens at this thread's next calls of poll(), which is how it waits: at the first it is stopped for
 * some seconds, and at the one behind that a chunk gets its memory.
 */
static _Thread_local int64_t stopped_at_poll;
static _Thread_local int provided_at_poll; /* 0 for none */
static int64_t stopped;

int poll(struct pollfd *files, nfds_t count, int timeout)
{
    if (stopped_at_poll == 0 && provided_at_poll > 0) {
        atomic_store(&iop.states[provided_at_poll], SLUICE_CHUNK_STATE_FREE);
        provided_at_poll = 0;
    }
    stopped += stopped_at_poll;
    stopped_at_poll = 0;
    const struct timespec limit = {timeout / 1000, timeout % 1000 * 1000000L};
    return ppoll(files, count, timeout < 0 ? NULL : &limit, NULL);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    const int status = (int)syscall(SYS_clock_gettime, clock, time);
    time->tv_sec += clock == CLOCK_MONOTONIC ? stopped : 0;
    return status;
}

#define ABSENT (UINT64_C(0xffffffff) << 32 | UINT64_C(0xffffff) << 8 | SLUICE_CHUNK_STATE_ABSENT)

/* The answer of the kernel when memory is to be made, as an errno; 0 where it makes it. */
static int refusal;

/* The state of a chunk that the I/O process took back and another process has, or 0. */
static uint64_t taken_meanwhile;

int madvise(void *address, size_t length, int advice)
{
    for (int i = 0; i < 2 && advice == MADV_POPULATE_WRITE && taken_meanwhile != 0; i++) {
        if ((atomic_load(&iop.states[i]) & 0xff) == SLUICE_CHUNK_STATE_MAKING) {
            atomic_store(&iop.states[i], taken_meanwhile);
            taken_meanwhile = 0;
        }
    }
    errno = refusal;
    if (advice == MADV_POPULATE_WRITE && refusal != 0)
        return -1;
    assert_int_not_equal(advice, MADV_REMOVE); /* the I/O process may have made it and free it */
    return (int)syscall(SYS_madvise, address, length, advice);
}

/* Starts with two chunks without memory, of which processes may make as many as are granted. */
static void start_without_memory(int grants)
{
    refusal = 0;
    start((struct fake_geometry){CONTAINER, 2, 4096, 1 << 20, FIXED});
    atomic_store(&iop.states[0], ABSENT);
    atomic_store(&iop.states[1], ABSENT);
    atomic_store(&iop.header->free_chunks, 0);
    atomic_store(&iop.header->absent_chunks, 2);
    atomic_store(&iop.header->memory_grants, grants);
}

static void a_process_makes_the_memory_that_it_needs(void **state)
{
    (void)state;
    start_without_memory(2);
    write_all("begin", 5, 0);
    const uint64_t word = atomic_load(&iop.states[client->writer.index]);
    assert_int_equal(word & 0xff, SLUICE_CHUNK_STATE_OPEN);
    assert_int_equal(word >> 32, 0);
    assert_int_equal(iop.header->absent_chunks, 1);
    assert_int_equal(iop.header->memory_grants, 1);
    assert_true(client->writer.pool.costs.make > 0);
    char data[3000];
    memset(data, 'x', sizeof data);
    for (int i = 0; i < 10; i++)
        write_all(data, sizeof data, 5 + i * (int)sizeof data);
    assert_int_equal(iop.header->memory_grants, 0);
    assert_int_equal(iop.slots[0].memory_waits, 0);
    assert_int_equal(sluice_log_end(&image), 0);
    char expected[30005];
    memset(expected, 'x', sizeof expected);
    memcpy(expected, "begin", 5);
    assert_rebuilt(expected, sizeof expected);
    shut_down();
}

static void a_process_makes_no_memory_that_is_not_granted(void **state)
{
    (void)state;
    start_without_memory(0);
    provided_at_poll = 1;
    write_all("begin", 5, 0);
    assert_int_equal(iop.states[0], ABSENT);
    assert_int_equal(iop.slots[0].memory_waits, 1);
    assert_int_equal(sluice_log_end(&image), 0);
    shut_down();
}

static void a_chunk_that_is_anothers_by_now_stays_that(void **state)
{
    (void)state;
    const uint64_t others = UINT64_C(7) << 8 | SLUICE_CHUNK_STATE_OPEN;
    const int answers[] = {0, EINVAL, ENOMEM};
    for (int i = 0; i < 3; i++) {
        start_without_memory(1);
        refusal = answers[i];
        taken_meanwhile = others;
        uint32_t chunk = 0;
        uint32_t generation;
        assert_int_equal(sluice_pool_claim(&client->writer.pool, false, &chunk, &generation),
                         -EAGAIN);
        assert_true(iop.states[0] == others || iop.states[1] == others);
        assert_true(iop.states[0] == ABSENT || iop.states[1] == ABSENT);
        assert_int_equal(iop.header->absent_chunks, 1);
        shut_down();
    }
}

static void a_search_in_vain_takes_no_grant(void **state)
{
    (void)state;
    start((struct fake_geometry){CONTAINER, 2, 4096, 1 << 20, FIXED});
    iop.header->when_full = SLUICE_HEADER_WHEN_FULL_DIRECT;
    atomic_store(&iop.header->memory_grants, 9);
    fake_pause(&iop, true);
    char data[10000];
    memset(data, 'x', sizeof data);
    write_all(data, sizeof data, 0);
    assert_int_equal(iop.slots[0].overflows, 1);
    assert_int_equal(iop.header->memory_grants, 9);
    atomic_store(&iop.header->absent_chunks, 1); /* as a killed process may leave it */
    write_all(data, sizeof data, sizeof data);
    assert_int_equal(iop.header->memory_grants, 9);
    fake_pause(&iop, false);
    shut_down();
}

static void where_there_is_no_memory_nobody_makes_any_and_nothing_is_lost(void **state)
{
    (void)state;
    const int answers[] = {EFAULT, ENOMEM, EHWPOISON};
    for (int i = 0; i < 3; i++) {
        start_without_memory(2);
        refusal = answers[i];
        assert_int_equal(sluice_log_pwrite(&image, image_fd, "begin", 5, 0), -ESTALE);
        assert_int_equal(iop.header->memory_refused, 1);
        assert_int_equal(iop.header->memory_grants, 0);
        assert_int_equal(iop.header->absent_chunks, 2);
        assert_int_equal(iop.states[0], ABSENT);
        assert_int_equal(iop.states[1], ABSENT);
        assert_false(sluice_log_diverted(&image));
        assert_int_equal(iop.slots[0].fallbacks, 1);
        shut_down();
    }
}

static void a_kernel_that_cannot_make_memory_leaves_it_to_the_io_process(void **state)
{
    (void)state;
    start_without_memory(2);
    refusal = EINVAL;
    provided_at_poll = 1;
    write_all("begin", 5, 0);
    assert_true(client->writer.pool.costs.cannot_make);
    assert_int_equal(iop.header->memory_refused, 0);
    assert_int_equal(iop.header->memory_grants, 2);
    assert_int_equal(iop.slots[0].memory_waits, 1);
    assert_int_equal(sluice_log_end(&image), 0);
    assert_rebuilt("begin", 5);
    shut_down();
}

static void a_process_with_limits_of_its_own_leaves_memory_to_the_io_process(void **state)
{
    (void)state;
    start_without_memory(2);
    atomic_store(&iop.slots[0].makes_memory, 0);
    provided_at_poll = 1;
    write_all("begin", 5, 0);
    assert_int_equal(iop.states[0], ABSENT);
    assert_int_equal(iop.header->memory_grants, 2);
    assert_int_equal(iop.slots[0].memory_waits, 1);
    assert_true(sluice_costs_shun_making(&client->writer.pool.costs));
    assert_int_equal(sluice_log_end(&image), 0);
    assert_rebuilt("begin", 5);
    shut_down();
}

static void a_wait_for_memory_is_not_counted_as_one_for_room(void **state)
{
    (void)state;
    start_without_memory(0);
    provided_at_poll = 1;
    write_all("begin", 5, 0);
    assert_true(sluice_log_diverted(&image));
    assert_int_equal(iop.slots[0].waits, 0);
    assert_int_equal(iop.slots[0].wait_nanos, 0);
    assert_int_equal(iop.slots[0].memory_waits, 1);
    assert_true(iop.slots[0].memory_wait_nanos > 0);
    assert_int_equal(sluice_log_end(&image), 0);
    assert_rebuilt("begin", 5);
    shut_down();
}

static void a_wait_goes_on_behind_a_time_in_which_the_process_was_stopped(void **state)
{
    (void)state;
    start_without_memory(0);
    stopped_at_poll = 60;
    provided_at_poll = 1;
    write_all("begin", 5, 0);
    assert_true(sluice_log_diverted(&image));
    assert_int_equal(iop.slots[0].fallbacks, 0);
    assert_int_equal(sluice_log_end(&image), 0);
    assert_rebuilt("begin", 5);
    shut_down();
}

static void a_write_that_goes_direct_for_want_of_memory_is_counted_as_that(void **state)
{
    (void)state;
    start((struct fake_geometry){CONTAINER, 2, 4096, 1 << 20, FIXED});
    iop.header->when_full = SLUICE_HEADER_WHEN_FULL_DIRECT;
    atomic_store(&iop.states[1], ABSENT);
    atomic_store(&iop.header->free_chunks, 1);
    atomic_store(&iop.header->absent_chunks, 1);
    fake_pause(&iop, true);
    char data[10000];
    memset(data, 'x', sizeof data);
    write_all(data, sizeof data, 0);
    assert_int_equal(iop.slots[0].memory_overflows, 1);
    assert_int_equal(iop.slots[0].overflows, 0);
    assert_int_equal(iop.slots[0].memory_waits, 0);
    fake_pause(&iop, false);
    assert_int_equal(sluice_log_end(&image), 0);
    assert_rebuilt(data, sizeof data);
    shut_down();
}

static void a_write_goes_direct_at_once_when_the_policy_says_so(void **state)
{
    (void)state;
    const int layouts[] = {CONTAINER, FILES};
    for (int i = 0; i < 2; i++) {
        start((struct fake_geometry){layouts[i], 2, 4096, 1 << 20, FIXED});
        iop.header->when_full = SLUICE_HEADER_WHEN_FULL_DIRECT;
        fake_pause(&iop, true);
        char data[10000];
        memset(data, 'x', sizeof data);
        write_all("begin", 5, 0);
        write_all(data, sizeof data, 5);
        write_all("end", 3, 10005);
        assert_true(sluice_log_diverted(&image));
        assert_int_equal(iop.slots[0].overflows, 2);
        assert_int_equal(iop.slots[0].fallbacks, 0);
        assert_int_equal(iop.slots[0].waits, 0);
        assert_int_equal(fake_requests(&iop, SLUICE_REQUEST_SETTLE), 0);
        fake_pause(&iop, false);
        assert_int_equal(sluice_log_end(&image), 0);
        char expected[10008];
        memset(expected, 'x', sizeof expected);
        memcpy(expected, "begin", 5);
        memcpy(expected + 10005, "end", 3);
        assert_rebuilt(expected, sizeof expected);
        shut_down();
    }
}

static void a_write_over_logged_bytes_waits_for_its_record(void **state)
{
    (void)state;
    start((struct fake_geometry){CONTAINER, 2, 4096, 1 << 20, FIXED});
    iop.header->when_full = SLUICE_HEADER_WHEN_FULL_DIRECT;
    fake_pause(&iop, true);
    char data[10000];
    memset(data, 'x', sizeof data);
    write_all(data, sizeof data, 0);
    write_all("again", 5, 100);
    assert_int_equal(iop.slots[0].waits, 1);
    assert_int_equal(iop.slots[0].fallbacks, 1);
    assert_false(sluice_log_diverted(&image));
    memcpy(data + 100, "again", 5);
    assert_rebuilt(data, sizeof data);
    shut_down();
}

static void random_operations_in_a_buffer_that_is_full(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 5; seed++) {
        random_operations(small_container, SLUICE_HEADER_WHEN_FULL_DIRECT, seed);
        random_operations(small_files, SLUICE_HEADER_WHEN_FULL_DIRECT, seed);
    }
}

static void a_full_ring_waits_for_the_io_process(void **state)
{
    (void)state;
    start((struct fake_geometry){CONTAINER, 64, 4096, 1 << 20, FIXED});
    const int records = iop.header->ring_capacity / SLUICE_RING_RECORD_LENGTH;
    char *data = malloc((size_t)records * 8192);
    memset(data, 'r', (size_t)records * 8192);
    write_all(data, (size_t)records * 8192, 0);
    assert_int_equal(sluice_log_end(&image), 0);
    assert_rebuilt(data, records * 8192);
    free(data);
    shut_down();
}

static void waiting_for_a_chunk_ends_when_the_io_process_dies(void **state)
{
    (void)state;
    start((struct fake_geometry){CONTAINER, 2, 4096, 1 << 20, FIXED});
    fake_pause(&iop, true);
    fake_kill(&iop);
    char data[10000] = {0};
    assert_int_equal(sluice_log_pwrite(&image, image_fd, data, sizeof data, 0), -EIO);
    shut_down();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_chunk_the_image_goes_direct),
        cmocka_unit_test(a_process_makes_the_memory_that_it_needs),
        cmocka_unit_test(a_process_makes_no_memory_that_is_not_granted),
        cmocka_unit_test(a_chunk_that_is_anothers_by_now_stays_that),
        cmocka_unit_test(a_search_in_vain_takes_no_grant),
        cmocka_unit_test(where_there_is_no_memory_nobody_makes_any_and_nothing_is_lost),
        cmocka_unit_test(a_kernel_that_cannot_make_memory_leaves_it_to_the_io_process),
        cmocka_unit_test(a_process_with_limits_of_its_own_leaves_memory_to_the_io_process),
        cmocka_unit_test(a_wait_for_memory_is_not_counted_as_one_for_room),
        cmocka_unit_test(a_wait_goes_on_behind_a_time_in_which_the_process_was_stopped),
        cmocka_unit_test(a_write_that_goes_direct_for_want_of_memory_is_counted_as_that),
        cmocka_unit_test(a_write_goes_direct_at_once_when_the_policy_says_so),
        cmocka_unit_test(a_write_over_logged_bytes_waits_for_its_record),
        cmocka_unit_test(random_operations_in_a_buffer_that_is_full),
        cmocka_unit_test(a_full_ring_waits_for_the_io_process),
        cmocka_unit_test(waiting_for_a_chunk_ends_when_the_io_process_dies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
