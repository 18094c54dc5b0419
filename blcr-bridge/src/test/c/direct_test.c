/* What goes past the log: large writes, and all writes to an image that became direct. */
#include "client.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "one_image.h"
#include "threshold.h"

static void large_write_goes_to_the_file_and_leaves_a_record(void **state)
{
    (void)state;
    start(container);
    char data[5000];
    memset(data, 'd', sizeof data);
    write_all("small", 5, 0);
    write_all(data, sizeof data, 100);
    assert_int_equal(client->writer.last->type, SLUICE_RECORD_TYPE_DIRECT);
    write_all(data, sizeof data, 5100);
    assert_int_equal(client->writer.last->offset, 100);
    assert_int_equal(client->writer.last->length, 10000);
    struct stat status;
    assert_int_equal(fstat(image_fd, &status), 0);
    assert_int_equal(status.st_size, 10100);
    assert_int_equal(sluice_log_size(&image), 10100);
    shut_down();
}

static void large_write_in_files_layout_leaves_no_record(void **state)
{
    (void)state;
    start(files);
    char data[5000];
    memset(data, 'd', sizeof data);
    write_all(data, sizeof data, 0);
    assert_null(client->writer.chunk);
    shut_down();
}

static void large_write_over_undrained_bytes_settles_first(void **state)
{
    (void)state;
    start(files);
    fake_pause(&iop, true);
    char data[5000];
    memset(data, 'd', sizeof data);
    write_all("older bytes", 11, 50);
    write_all(data, sizeof data, 61);
    assert_int_equal(fake_requests(&iop, SLUICE_REQUEST_SETTLE), 0);
    write_all(data, sizeof data, 0);
    assert_int_equal(fake_requests(&iop, SLUICE_REQUEST_SETTLE), 1);
    write_all(data, sizeof data, 0);
    assert_int_equal(fake_requests(&iop, SLUICE_REQUEST_SETTLE), 1);
    fake_pause(&iop, false);
    char expected[5061];
    memset(expected, 'd', sizeof expected);
    assert_rebuilt(expected, sizeof expected);
    shut_down();
}

static void auto_policy_aggregates_while_chunks_are_plenty(void **state)
{
    (void)state;
    start((struct fake_geometry){CONTAINER, 16, 65536, 1, AUTO});
    char *data = calloc(1, 300000);
    atomic_store(&iop.header->free_chunks, 8);
    write_all(data, 300000, 0);
    assert_int_equal(iop.slots[0].aggregated_writes[7], 1);
    atomic_store(&iop.header->free_chunks, 7);
    write_all(data, 65535, 0);
    assert_int_equal(iop.slots[0].aggregated_writes[5], 1);
    atomic_store(&iop.header->free_chunks, 7);
    write_all(data, 65536, 0);
    assert_int_equal(iop.slots[0].direct_writes[6], 1);
    assert_int_equal(iop.slots[0].direct_bytes[6], 65536);
    free(data);
    shut_down();
}

static void large_writes_go_direct_where_memory_costs_more(void **state)
{
    (void)state;
    start((struct fake_geometry){CONTAINER, 16, 65536, 1, AUTO});
    struct sluice_costs *costs = &client->writer.pool.costs;
    atomic_store(&iop.header->free_chunks, 1);
    atomic_store(&iop.header->absent_chunks, 15);
    atomic_store(&iop.header->memory_grants, 15);
    assert_int_equal(sluice_threshold(client->segment, costs), INT64_MAX);
    sluice_costs_made(costs, 100, 1000); /* 0.1 ns a byte */
    assert_int_equal(sluice_threshold(client->segment, costs), INT64_MAX);
    sluice_costs_wrote(costs, 100000, 1 << 20);
    assert_int_equal(sluice_threshold(client->segment, costs), SLUICE_THRESHOLD_FLOOR);
    for (int i = 0; i < 10; i++)
        sluice_costs_made(costs, 1, 1000);
    assert_int_equal(sluice_threshold(client->segment, costs), INT64_MAX);
    costs->cannot_make = true;
    for (int i = 0; i < 20000; i++)
        sluice_costs_wrote(costs, 100000, 1 << 20);
    assert_int_equal(sluice_threshold(client->segment, costs), SLUICE_THRESHOLD_FLOOR);
    atomic_store(&iop.header->free_chunks, 8);
    assert_int_equal(sluice_threshold(client->segment, costs), INT64_MAX);
    shut_down();
}

static void grants_are_no_room_once_all_memory_is_made(void **state)
{
    (void)state;
    start((struct fake_geometry){CONTAINER, 16, 65536, 1, AUTO});
    const struct sluice_costs *costs = &client->writer.pool.costs;
    atomic_store(&iop.header->free_chunks, 0);
    atomic_store(&iop.header->memory_grants, INT32_MAX);
    for (int64_t absent = -1; absent < 8; absent++) {
        atomic_store(&iop.header->absent_chunks, absent);
        assert_int_equal(sluice_threshold(client->segment, costs), SLUICE_THRESHOLD_FLOOR);
    }
    atomic_store(&iop.header->absent_chunks, 8);
    assert_int_equal(sluice_threshold(client->segment, costs), INT64_MAX);
    atomic_store(&iop.header->memory_grants, 7);
    assert_int_equal(sluice_threshold(client->segment, costs), SLUICE_THRESHOLD_FLOOR);
    shut_down();
}

typedef void (*change)(struct fake_io_process *, struct fake_image *);

struct moment {
    useconds_t pause;
    change change;
};

static void *change_soon(void *argument)
{
    const struct moment *moment = argument;
    usleep(moment->pause);
    moment->change(&iop, &iop.images[0]);
    return NULL;
}

/* The image is direct by now, and its file is what the model says. */
static void assert_plain(const uint8_t *model, int64_t size)
{
    assert_false(sluice_log_diverted(&image));
    assert_int_equal(sluice_log_end(&image), 0);
    struct stat status;
    assert_int_equal(fstat(image_fd, &status), 0);
    assert_int_equal(status.st_size, size);
    uint8_t *content = malloc(MODEL_LENGTH);
    assert_int_equal(pread(image_fd, content, MODEL_LENGTH, 0), size);
    assert_memory_equal(content, model, (size_t)size);
    free(content);
}

static void direct_at_a_random_moment(struct fake_geometry geometry, change change, unsigned seed)
{
    start(geometry);
    uint8_t *model = calloc(1, MODEL_LENGTH);
    int64_t size = 0;
    pthread_t other;
    struct moment moment = {(useconds_t)(rand_r(&seed) % 3000), change};
    pthread_create(&other, NULL, change_soon, &moment);
    for (int i = 0; i < 3000 && sluice_log_diverted(&image); i++)
        random_operation(&seed, model, &size);
    pthread_join(other, NULL);
    for (int i = 0; i < 50; i++)
        random_operation(&seed, model, &size);
    assert_plain(model, size);
    free(model);
    shut_down();
}

static void nothing_is_lost_when_an_image_becomes_direct(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 40; seed++)
        direct_at_a_random_moment(seed % 2 == 0 ? container : files, fake_make_direct, seed);
}

static void nothing_is_lost_when_the_session_ends(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 40; seed++)
        direct_at_a_random_moment(seed % 2 == 0 ? container : files, fake_dismiss, seed);
}

/* As a file that is open with O_APPEND: what the log refuses goes to the end of the file. */
static int64_t append(unsigned *seed, uint8_t *model, int64_t size)
{
    uint8_t *data = model + size;
    const size_t length = 1 + (size_t)(rand_r(seed) % 300);
    memset(data, 1 + (int)(size % 250), length);
    ssize_t written = sluice_log_pwrite(&image, image_fd, data, length, size);
    if (written == -ESTALE)
        written = pwrite(image_fd, data, length, lseek(image_fd, 0, SEEK_END));
    assert_int_equal(written, length);
    return size + written;
}

static void appended_at_a_random_moment(struct fake_geometry geometry, change change, unsigned seed)
{
    start(geometry);
    uint8_t *model = calloc(1, MODEL_LENGTH);
    int64_t size = 0;
    pthread_t other;
    struct moment moment = {(useconds_t)(rand_r(&seed) % 300), change};
    pthread_create(&other, NULL, change_soon, &moment);
    while (sluice_log_diverted(&image) && size < MODEL_LENGTH - 1000)
        size = append(&seed, model, size);
    pthread_join(other, NULL);
    size = append(&seed, model, size);
    assert_plain(model, size);
    free(model);
    shut_down();
}

static void nothing_that_is_appended_is_doubled(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 200; seed++) {
        appended_at_a_random_moment(seed % 2 == 0 ? container : files,
                                    seed % 4 < 2 ? fake_dismiss : fake_make_direct, seed);
    }
}

static void *make_direct_after_spinning(void *argument)
{
    static _Atomic unsigned spins;
    for (uintptr_t i = 0; i < (uintptr_t)argument; i++)
        atomic_fetch_add(&spins, 1);
    fake_make_direct(&iop, &iop.images[0]);
    return NULL;
}

static void a_direct_write_under_way_wins_over_older_logged_bytes(void **state)
{
    (void)state;
    uint8_t *data = malloc(MODEL_LENGTH);
    memset(data, 'n', MODEL_LENGTH);
    for (uintptr_t i = 0; i < 200; i++) {
        start(container);
        for (int64_t at = 0; at < 20000; at += 1000)
            write_all("older", 5, at);
        pthread_t other;
        pthread_create(&other, NULL, make_direct_after_spinning, (void *)(i % 100 * 200));
        const ssize_t written = sluice_log_pwrite(&image, image_fd, data, MODEL_LENGTH, 0);
        assert_true(written == MODEL_LENGTH || written == -ESTALE);
        pthread_join(other, NULL);
        if (written == MODEL_LENGTH)
            assert_rebuilt(data, MODEL_LENGTH);
        shut_down();
    }
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_write_goes_to_the_file_and_leaves_a_record),
        cmocka_unit_test(large_write_in_files_layout_leaves_no_record),
        cmocka_unit_test(large_write_over_undrained_bytes_settles_first),
        cmocka_unit_test(auto_policy_aggregates_while_chunks_are_plenty),
        cmocka_unit_test(large_writes_go_direct_where_memory_costs_more),
        cmocka_unit_test(grants_are_no_room_once_all_memory_is_made),
        cmocka_unit_test(nothing_is_lost_when_an_image_becomes_direct),
        cmocka_unit_test(nothing_is_lost_when_the_session_ends),
        cmocka_unit_test(nothing_that_is_appended_is_doubled),
        cmocka_unit_test(a_direct_write_under_way_wins_over_older_logged_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
