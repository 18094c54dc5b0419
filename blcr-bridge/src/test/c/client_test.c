/* The client against a fake I/O process: what is written is what a restart would rebuild. */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "attachment.h"
#include "fake_io_process.h"

#define CONTAINER SLUICE_HEADER_LAYOUT_CONTAINER
#define FILES SLUICE_HEADER_LAYOUT_FILES
#define FIXED SLUICE_HEADER_POLICY_FIXED
#define AUTO SLUICE_HEADER_POLICY_AUTO
#define LIMIT (256 << 10)

static struct fake_io_process iop;
static struct sluice_client *client;
static struct sluice_log_image image;
static int image_fd;

static const struct fake_geometry container = {CONTAINER, 16, 4096, 3000, FIXED};
static const struct fake_geometry files = {FILES, 16, 4096, 3000, FIXED};
static const struct fake_geometry small_container = {CONTAINER, 1, 4096, 3000, FIXED};
static const struct fake_geometry small_files = {FILES, 1, 4096, 3000, FIXED};

static void open_image(struct sluice_log_image *opened, int *fd, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", iop.directory, name);
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct stat status;
    assert_true(*fd >= 0 && fstat(*fd, &status) == 0);
    struct sluice_disposition disposition;
    assert_int_equal(sluice_log_announce(client, status.st_dev, status.st_ino,
                                         SLUICE_REQUEST_OPEN_CREATED, path, &disposition),
                     0);
    assert_int_equal(disposition.kind, SLUICE_REQUEST_DIVERT);
    sluice_log_init(opened, client, &disposition);
}

static void start(struct fake_geometry geometry)
{
    fake_start(&iop, geometry);
    assert_int_equal(sluice_client_attach(iop.directory, 3, 8, &client), 0);
    open_image(&image, &image_fd, "image");
}

static void stop(void)
{
    sluice_client_detach(client);
    close(image_fd);
    fake_stop(&iop);
}

static void write_all(const void *data, size_t length, int64_t offset)
{
    assert_int_equal(sluice_log_pwrite(&image, image_fd, data, length, offset), length);
}

static void assert_rebuilt(const void *expected, int64_t length)
{
    int64_t size;
    uint8_t *content = fake_rebuild(&iop, &iop.images[0], &size);
    assert_int_equal(size, length);
    assert_memory_equal(content, expected, (size_t)length);
    free(content);
}

static void consecutive_writes_extend_one_record(void **state)
{
    (void)state;
    start(container);
    for (int i = 0; i < 100; i++) {
        write_all("abcdefghijk", 11, i * 11);
    }
    const struct sluice_record *record = client->writer.last;
    assert_int_equal(record->type, SLUICE_RECORD_TYPE_WRITE);
    assert_int_equal(record->offset, 0);
    assert_int_equal(record->length, 1100);
    assert_int_equal(client->writer.chunk->used, 64 + 24 + 1100);
    assert_int_equal(client->writer.sequence, 1);
    stop();
}

static void write_longer_than_a_chunk_is_split(void **state)
{
    (void)state;
    start((struct fake_geometry){CONTAINER, 16, 4096, 1 << 20, FIXED});
    char data[30000];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (char)(i * 7 % 251);
    }
    write_all(data, sizeof data, 0);
    assert_int_equal(client->writer.sequence, 8);
    assert_int_equal(sluice_log_end(&image), 0);
    assert_rebuilt(data, sizeof data);
    stop();
}

static void nothing_reaches_beyond_what_an_image_can_have(void **state)
{
    (void)state;
    start(container);
    const int64_t end = SLUICE_RECORD_MAX_END;
    write_all("first", 5, 0);
    assert_int_equal(sluice_log_pwrite(&image, image_fd, "more", 4, end - 3), -EFBIG);
    assert_int_equal(sluice_log_pwrite(&image, image_fd, "more", 4, INT64_MAX - 4), -EFBIG);
    assert_int_equal(sluice_log_pwrite(&image, image_fd, "more", SIZE_MAX, 0), -EFBIG);
    assert_int_equal(sluice_log_pwrite(&image, image_fd, "more", 4, -1), -EINVAL);
    assert_int_equal(sluice_log_truncate(&image, image_fd, end + 1), -EFBIG);
    assert_int_equal(sluice_log_end(&image), 0);
    assert_rebuilt("first", 5);
    stop();
}

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
    stop();
}

static void large_write_in_files_layout_leaves_no_record(void **state)
{
    (void)state;
    start(files);
    char data[5000];
    memset(data, 'd', sizeof data);
    write_all(data, sizeof data, 0);
    assert_null(client->writer.chunk);
    stop();
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
    stop();
}

/* One random operation on the image, and the same on a model in memory. */
static void random_operation(unsigned *seed, uint8_t *model, int64_t *size)
{
    static uint8_t data[8192];
    const int64_t offset = rand_r(seed) % 4 == 0 ? rand_r(seed) % (LIMIT - 8192) : *size;
    const size_t length = (size_t)(rand_r(seed) % (rand_r(seed) % 4 == 0 ? 8192 : 200));
    const int64_t at = offset > LIMIT - 8192 ? 0 : offset;
    if (rand_r(seed) % 50 == 0) {
        const int64_t cut = rand_r(seed) % LIMIT;
        const int error = sluice_log_truncate(&image, image_fd, cut);
        assert_true(error == 0 || error == -ESTALE);
        assert_true(error == 0 || ftruncate(image_fd, cut) == 0);
        memset(model + cut, 0, (size_t)(LIMIT - cut));
        *size = cut;
        return;
    }
    for (size_t i = 0; i < length; i++) {
        data[i] = (uint8_t)rand_r(seed);
    }
    ssize_t written = sluice_log_pwrite(&image, image_fd, data, length, at);
    if (written == -ESTALE) {
        written = pwrite(image_fd, data, length, at);
    }
    assert_int_equal(written, length);
    memcpy(model + at, data, length);
    *size = length > 0 && at + (int64_t)length > *size ? at + (int64_t)length : *size;
}

static void random_operations(struct fake_geometry geometry, int when_full, unsigned seed)
{
    start(geometry);
    iop.header->when_full = when_full;
    uint8_t *model = calloc(1, LIMIT);
    int64_t size = 0;
    for (int i = 0; i < 2000; i++) {
        random_operation(&seed, model, &size);
        assert_int_equal(sluice_log_size(&image), size);
        if (i % 500 == 0) {
            assert_int_equal(sluice_log_settle(&image, false), 0);
        }
    }
    assert_int_equal(sluice_log_sync(&image), 0);
    assert_int_equal(sluice_log_end(&image), 0);
    assert_rebuilt(model, size);
    free(model);
    stop();
}

static void random_operations_in_container_layout(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 5; seed++) {
        random_operations(container, SLUICE_HEADER_WHEN_FULL_WAIT, seed);
    }
}

static void random_operations_in_files_layout(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 5; seed++) {
        random_operations(files, SLUICE_HEADER_WHEN_FULL_WAIT, seed);
    }
}

static void *make_direct_soon(void *argument)
{
    usleep((useconds_t)(uintptr_t)argument);
    fake_make_direct(&iop, &iop.images[0]);
    return NULL;
}

static void direct_at_a_random_moment(struct fake_geometry geometry, unsigned seed)
{
    start(geometry);
    uint8_t *model = calloc(1, LIMIT);
    int64_t size = 0;
    pthread_t other;
    pthread_create(&other, NULL, make_direct_soon, (void *)(uintptr_t)(rand_r(&seed) % 3000));
    for (int i = 0; i < 3000 && sluice_log_diverted(&image); i++) {
        random_operation(&seed, model, &size);
    }
    pthread_join(other, NULL);
    for (int i = 0; i < 50; i++) {
        random_operation(&seed, model, &size);
    }
    assert_false(sluice_log_diverted(&image));
    assert_int_equal(sluice_log_end(&image), 0);
    struct stat status;
    assert_int_equal(fstat(image_fd, &status), 0);
    assert_int_equal(status.st_size, size);
    uint8_t *content = malloc(LIMIT);
    assert_int_equal(pread(image_fd, content, LIMIT, 0), size);
    assert_memory_equal(content, model, (size_t)size);
    free(content);
    free(model);
    stop();
}

static void nothing_is_lost_when_an_image_becomes_direct(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 40; seed++) {
        direct_at_a_random_moment(seed % 2 == 0 ? container : files, seed);
    }
}

static void *make_direct_after_spinning(void *argument)
{
    static _Atomic unsigned spins;
    for (uintptr_t i = 0; i < (uintptr_t)argument; i++) {
        atomic_fetch_add(&spins, 1);
    }
    fake_make_direct(&iop, &iop.images[0]);
    return NULL;
}

static void a_direct_write_under_way_wins_over_older_logged_bytes(void **state)
{
    (void)state;
    uint8_t *data = malloc(LIMIT);
    memset(data, 'n', LIMIT);
    for (uintptr_t i = 0; i < 200; i++) {
        start(container);
        for (int64_t at = 0; at < 20000; at += 1000) {
            write_all("older", 5, at);
        }
        pthread_t other;
        pthread_create(&other, NULL, make_direct_after_spinning, (void *)(i % 100 * 200));
        const ssize_t written = sluice_log_pwrite(&image, image_fd, data, LIMIT, 0);
        assert_true(written == LIMIT || written == -ESTALE);
        pthread_join(other, NULL);
        if (written == LIMIT) {
            assert_rebuilt(data, LIMIT);
        }
        stop();
    }
    free(data);
}

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
    stop();
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
        stop();
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
    stop();
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
    stop();
}

static void a_dead_io_process_is_reported(void **state)
{
    (void)state;
    start(container);
    write_all("before", 6, 0);
    fake_kill(&iop);
    assert_int_equal(sluice_log_sync(&image), -EIO);
    assert_non_null(strstr(sluice_client_message(), "I/O process is gone"));
    assert_int_equal(sluice_log_pwrite(&image, image_fd, "after", 5, 6), -EIO);
    assert_int_equal(sluice_log_truncate(&image, image_fd, 0), -EIO);
    assert_int_equal(sluice_log_end(&image), -EIO);
    stop();
}

static void waiting_for_a_chunk_ends_when_the_io_process_dies(void **state)
{
    (void)state;
    start((struct fake_geometry){CONTAINER, 2, 4096, 1 << 20, FIXED});
    fake_pause(&iop, true);
    fake_kill(&iop);
    char data[10000] = {0};
    assert_int_equal(sluice_log_pwrite(&image, image_fd, data, sizeof data, 0), -EIO);
    stop();
}

static void an_error_of_the_drain_is_reported_at_the_next_call(void **state)
{
    (void)state;
    start(container);
    write_all("before", 6, 0);
    atomic_store(&iop.images[0].entry->error, ENOSPC);
    assert_int_equal(sluice_log_pwrite(&image, image_fd, "after", 5, 6), -ENOSPC);
    assert_int_equal(sluice_log_sync(&image), -ENOSPC);
    assert_int_equal(sluice_log_end(&image), -ENOSPC);
    stop();
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
    stop();
}

static void a_forked_child_leaves_the_parent_alone(void **state)
{
    (void)state;
    start(container);
    write_all("parent ", 7, 0);
    const pid_t child = fork();
    if (child == 0) {
        sluice_client_abandon(client);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    write_all("goes on", 7, 7);
    assert_int_equal(sluice_log_end(&image), 0);
    assert_rebuilt("parent goes on", 14);
    stop();
}

static void a_chunk_shared_by_two_images_is_published_once(void **state)
{
    (void)state;
    start(container);
    struct sluice_log_image second;
    int second_fd;
    open_image(&second, &second_fd, "second");
    write_all("first", 5, 0);
    assert_int_equal(sluice_log_pwrite(&second, second_fd, "second", 6, 0), 6);
    assert_int_equal(sluice_log_end(&image), 0);
    assert_null(client->writer.chunk);
    assert_int_equal(sluice_log_end(&second), 0);
    assert_rebuilt("first", 5);
    assert_int_equal(iop.released, 1);
    close(second_fd);
    stop();
}

static void *write_own_range(void *argument)
{
    const int64_t base = (int64_t)(uintptr_t)argument * 30000;
    for (int i = 0; i < 1000; i++) {
        char data[30];
        memset(data, (int)(base / 30000 + 'a'), sizeof data);
        sluice_lock_take(&image.lock);
        write_all(data, sizeof data, base + i * 30);
        sluice_lock_release(&image.lock);
    }
    return NULL;
}

static void threads_share_an_image(void **state)
{
    (void)state;
    start(container);
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++) {
        pthread_create(&threads[i], NULL, write_own_range, (void *)i);
    }
    char expected[120000];
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        memset(expected + i * 30000, 'a' + i, 30000);
    }
    assert_int_equal(sluice_log_end(&image), 0);
    assert_rebuilt(expected, sizeof expected);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(consecutive_writes_extend_one_record),
        cmocka_unit_test(write_longer_than_a_chunk_is_split),
        cmocka_unit_test(nothing_reaches_beyond_what_an_image_can_have),
        cmocka_unit_test(large_write_goes_to_the_file_and_leaves_a_record),
        cmocka_unit_test(large_write_in_files_layout_leaves_no_record),
        cmocka_unit_test(large_write_over_undrained_bytes_settles_first),
        cmocka_unit_test(random_operations_in_container_layout),
        cmocka_unit_test(random_operations_in_files_layout),
        cmocka_unit_test(nothing_is_lost_when_an_image_becomes_direct),
        cmocka_unit_test(a_direct_write_under_way_wins_over_older_logged_bytes),
        cmocka_unit_test(without_a_chunk_the_image_goes_direct),
        cmocka_unit_test(a_write_goes_direct_at_once_when_the_policy_says_so),
        cmocka_unit_test(a_write_over_logged_bytes_waits_for_its_record),
        cmocka_unit_test(random_operations_in_a_buffer_that_is_full),
        cmocka_unit_test(a_full_ring_waits_for_the_io_process),
        cmocka_unit_test(a_dead_io_process_is_reported),
        cmocka_unit_test(waiting_for_a_chunk_ends_when_the_io_process_dies),
        cmocka_unit_test(an_error_of_the_drain_is_reported_at_the_next_call),
        cmocka_unit_test(auto_policy_aggregates_while_chunks_are_plenty),
        cmocka_unit_test(a_forked_child_leaves_the_parent_alone),
        cmocka_unit_test(a_chunk_shared_by_two_images_is_published_once),
        cmocka_unit_test(threads_share_an_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
