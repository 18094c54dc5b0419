/* The client against a fake I/O process: what is written is what a restart would rebuild. */
#include "client.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "one_image.h"

static void consecutive_writes_extend_one_record(void **state)
{
    (void)state;
    start(container);
    for (int i = 0; i < 100; i++)
        write_all("abcdefghijk", 11, i * 11);
    const struct sluice_record *record = client->writer.last;
    assert_int_equal(record->type, SLUICE_RECORD_TYPE_WRITE);
    assert_int_equal(record->offset, 0);
    assert_int_equal(record->length, 1100);
    assert_int_equal(client->writer.chunk->used, 64 + 24 + 1100);
    assert_int_equal(client->writer.sequence, 1);
    shut_down();
}

static void write_longer_than_a_chunk_is_split(void **state)
{
    (void)state;
    start((struct fake_geometry){CONTAINER, 16, 4096, 1 << 20, FIXED});
    char data[30000];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)(i * 7 % 251);
    write_all(data, sizeof data, 0);
    assert_int_equal(client->writer.sequence, 8);
    assert_int_equal(sluice_log_end(&image), 0);
    assert_rebuilt(data, sizeof data);
    shut_down();
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
    shut_down();
}

static void random_operations_in_container_layout(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 5; seed++)
        random_operations(container, SLUICE_HEADER_WHEN_FULL_WAIT, seed);
}

static void random_operations_in_files_layout(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 5; seed++)
        random_operations(files, SLUICE_HEADER_WHEN_FULL_WAIT, seed);
}

static void a_dead_io_process_is_reported(void **state)
{
    (void)state;
    start(container);
    write_all("before", 6, 0);
    fake_kill(&iop);
    assert_int_equal(sluice_log_sync(&image), -EIO);
    assert_non_null(strstr(sluice_failure_message(), "I/O process is gone"));
    assert_int_equal(sluice_log_pwrite(&image, image_fd, "after", 5, 6), -EIO);
    assert_int_equal(sluice_log_truncate(&image, image_fd, 0), -EIO);
    assert_int_equal(sluice_log_end(&image), -EIO);
    shut_down();
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
    shut_down();
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
    shut_down();
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
    shut_down();
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
    for (uintptr_t i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, write_own_range, (void *)i);
    char expected[120000];
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        memset(expected + i * 30000, 'a' + i, 30000);
    }
    assert_int_equal(sluice_log_end(&image), 0);
    assert_rebuilt(expected, sizeof expected);
    shut_down();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(consecutive_writes_extend_one_record),
        cmocka_unit_test(write_longer_than_a_chunk_is_split),
        cmocka_unit_test(nothing_reaches_beyond_what_an_image_can_have),
        cmocka_unit_test(random_operations_in_container_layout),
        cmocka_unit_test(random_operations_in_files_layout),
        cmocka_unit_test(a_dead_io_process_is_reported),
        cmocka_unit_test(an_error_of_the_drain_is_reported_at_the_next_call),
        cmocka_unit_test(a_forked_child_leaves_the_parent_alone),
        cmocka_unit_test(a_chunk_shared_by_two_images_is_published_once),
        cmocka_unit_test(threads_share_an_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
