/* The public API against a fake I/O process. */
#include "sluice.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_io_process.h"

static struct fake_io_process iop;
static sluice_session *session;

static int start(void **state)
{
    (void)state;
    fake_start(&iop,
               (struct fake_geometry){SLUICE_HEADER_LAYOUT_CONTAINER, 16, 4096, 3000,
                                      SLUICE_HEADER_POLICY_FIXED});
    return sluice_session_open(iop.directory, 1, 4, &session);
}

static int shut_down(void **state)
{
    (void)state;
    const int error = sluice_session_close(session);
    fake_stop(&iop);
    return error;
}

static sluice_image *create(void)
{
    sluice_image *image = NULL;
    assert_int_equal(sluice_checkpoint_begin(session, 7), 0);
    assert_int_equal(sluice_image_create(session, 7, "state", &image), 0);
    return image;
}

static void assert_rebuilt(const void *expected, int64_t length)
{
    int64_t size;
    uint8_t *content = fake_rebuild(&iop, &iop.images[0], &size);
    assert_int_equal(size, length);
    assert_memory_equal(content, expected, (size_t)length);
    free(content);
}

static void image_holds_what_was_written(void **state)
{
    (void)state;
    sluice_image *image = create();
    assert_int_equal(sluice_image_write(image, "0123456789", 10), 10);
    assert_int_equal(sluice_image_pwrite(image, "xy", 2, 3), 2);
    assert_int_equal(sluice_image_write(image, "abc", 3), 3);
    assert_int_equal(sluice_image_truncate(image, 12), 0);
    assert_int_equal(sluice_image_sync(image), 0);
    assert_int_equal(sluice_image_close(image), 0);
    assert_int_equal(sluice_checkpoint_complete(session, 7), 0);
    assert_rebuilt("012xy56789ab", 12);
}

static void image_that_is_direct_is_written_through_the_kernel(void **state)
{
    (void)state;
    sluice_image *image = create();
    assert_int_equal(sluice_image_write(image, "logged ", 7), 7);
    fake_make_direct(&iop, &iop.images[0]);
    assert_int_equal(sluice_image_write(image, "direct", 6), 6);
    assert_int_equal(sluice_image_sync(image), 0);
    assert_int_equal(sluice_image_truncate(image, 12), 0);
    assert_int_equal(sluice_image_close(image), 0);
    assert_rebuilt("logged direc", 12);
}

static void assert_read(sluice_image *image, int64_t offset, const char *expected)
{
    char read[20] = "";
    assert_int_equal(sluice_image_pread(image, read, sizeof read - 1, offset), strlen(expected));
    assert_string_equal(read, expected);
}

static void image_is_read_as_it_was_written(void **state)
{
    (void)state;
    sluice_image *image = create();
    assert_int_equal(sluice_image_size(image), 0);
    assert_read(image, 0, "");
    assert_int_equal(sluice_image_write(image, "0123456789", 10), 10);
    assert_int_equal(sluice_image_size(image), 10);
    assert_read(image, 3, "3456789");
    assert_int_equal(sluice_image_pwrite(image, "xy", 2, 4), 2);
    assert_read(image, 3, "3xy6789");
    const int settles = fake_requests(&iop, SLUICE_REQUEST_SETTLE);
    assert_read(image, 10, "");
    assert_int_equal(fake_requests(&iop, SLUICE_REQUEST_SETTLE), settles); /* nothing is new */
    fake_make_direct(&iop, &iop.images[0]);
    assert_int_equal(sluice_image_pwrite(image, "direct", 6, 7), 6);
    assert_int_equal(sluice_image_size(image), 13);
    assert_read(image, 3, "3xy6direct");
    assert_int_equal(sluice_image_close(image), 0);
}

static void set_drain_error(int error)
{
    pthread_mutex_lock(&iop.lock);
    atomic_store(&iop.images[0].entry->error, error);
    pthread_mutex_unlock(&iop.lock);
}

static void a_write_that_would_wait_is_not_tried(void **state)
{
    (void)state;
    sluice_image *image = create();
    char large[3000] = {0};
    assert_int_equal(sluice_image_try_pwrite(image, "first", 5, 0), -EAGAIN); /* no chunk is open */
    assert_int_equal(sluice_image_pwrite(image, "first", 5, 0), 5);
    assert_int_equal(sluice_image_try_pwrite(image, " tried", 6, 5), 6);
    assert_int_equal(sluice_image_try_pwrite(image, "?", 1, -1), -EAGAIN);
    assert_int_equal(sluice_image_try_pwrite(image, "?", 1, INT64_MAX), -EAGAIN);
    assert_int_equal(sluice_image_try_pwrite(image, large, 3000, 11), -EAGAIN); /* the threshold */
    for (int64_t at = 11; at < 3011; at += 1000)
        assert_int_equal(sluice_image_try_pwrite(image, large, 1000, at), 1000);
    assert_int_equal(sluice_image_try_pwrite(image, large, 1000, 3011), -EAGAIN); /* no room */
    assert_int_equal(sluice_image_size(image), 3011);
    atomic_store(&iop.slots[0].quiet, 1);
    assert_int_equal(sluice_image_try_pwrite(image, "?", 1, 3011), -EAGAIN);
    atomic_store(&iop.slots[0].quiet, 0);
    set_drain_error(ENOSPC);
    assert_int_equal(sluice_image_try_pwrite(image, "?", 1, 3011), -EAGAIN);
    set_drain_error(0);
    assert_int_equal(sluice_image_truncate(image, 11), 0);
    fake_make_direct(&iop, &iop.images[0]);
    assert_int_equal(sluice_image_try_pwrite(image, "?", 1, 11), -EAGAIN);
    assert_int_equal(sluice_image_close(image), 0);
    assert_rebuilt("first tried", 11);
}

static void session_with_an_open_image_is_not_closed(void **state)
{
    (void)state;
    sluice_image *image = create();
    assert_int_equal(sluice_session_close(session), -EBUSY);
    assert_string_equal(sluice_message(), "1 images of the session are open; close them first");
    assert_int_equal(sluice_image_close(image), 0);
}

/* Each call with what an opening that failed leaves. */
static void nothing_is_done_without_a_session_or_an_image(void **state)
{
    (void)state;
    sluice_session *none = (sluice_session *)state;
    sluice_image *image = (sluice_image *)state;
    int64_t numbers[1];
    assert_int_equal(sluice_session_open("/nowhere", 0, 1, &none), -ENOENT);
    assert_null(none);
    assert_int_equal(sluice_checkpoint_begin(none, 1), -EBADF);
    assert_string_equal(sluice_message(),
                        "no session: sluice_session_open failed, or was not called");
    assert_int_equal(sluice_image_create(none, 1, "state", &image), -EBADF);
    assert_null(image);
    assert_int_equal(sluice_image_write(image, "x", 1), -EBADF);
    assert_string_equal(sluice_message(),
                        "no image: sluice_image_create failed, or was not called");
    assert_int_equal(sluice_image_pwrite(image, "x", 1, 0), -EBADF);
    assert_int_equal(sluice_image_try_pwrite(image, "x", 1, 0), -EAGAIN);
    assert_int_equal(sluice_image_pread(image, (char[1]){0}, 1, 0), -EBADF);
    assert_int_equal(sluice_image_size(image), -EBADF);
    assert_int_equal(sluice_image_truncate(image, 0), -EBADF);
    assert_int_equal(sluice_image_sync(image), -EBADF);
    assert_int_equal(sluice_image_close(image), -EBADF);
    assert_int_equal(sluice_image_restart(none, SLUICE_NEWEST, "state"), -EBADF);
    assert_int_equal(sluice_checkpoint_complete(none, 1), -EBADF);
    assert_int_equal(sluice_checkpoint_wait(none, 1, 1000), -EBADF);
    assert_int_equal(sluice_checkpoint_list(none, numbers, 1), -EBADF);
    assert_int_equal(sluice_session_close(none), -EBADF);
}

static void null_where_there_is_to_be_something_is_refused(void **state)
{
    (void)state;
    sluice_image *image = create();
    assert_int_equal(sluice_session_open(iop.directory, 0, 1, NULL), -EINVAL);
    assert_int_equal(sluice_image_create(session, 7, "other", NULL), -EINVAL);
    assert_int_equal(sluice_image_close(image), 0);
    assert_int_equal(sluice_image_create(session, 7, NULL, &image), -EINVAL);
    assert_string_equal(sluice_message(), "name is NULL");
    assert_int_equal(sluice_image_restart(session, 7, NULL), -EINVAL);
    assert_int_equal(sluice_checkpoint_list(session, NULL, 1), -EINVAL);
    assert_int_equal(sluice_checkpoint_list(session, NULL, 0), 2);
}

static void null_is_no_memory_to_write_from(void **state)
{
    (void)state;
    sluice_image *image = create();
    assert_int_equal(sluice_image_write(image, NULL, 1), -EINVAL);
    assert_int_equal(sluice_image_pwrite(image, NULL, 1, 0), -EINVAL);
    assert_int_equal(sluice_image_pread(image, NULL, 1, 0), -EINVAL);
    assert_int_equal(sluice_image_write(image, NULL, 0), 0);
    assert_int_equal(sluice_image_close(image), 0);
}

static void a_name_that_is_none_is_told_why(void **state)
{
    (void)state;
    static const struct {
        const char *name, *why;
    } bad[] = {{"", "it is empty"},
               {"/abs", "it begins with a slash"},
               {"a/../b", "a part of it is empty, . or .."},
               {"a//b", "a part of it is empty, . or .."},
               {"a/", "a part of it is empty, . or .."},
               {".", "a part of it is empty, . or .."}};
    sluice_image *image;
    char longest[1002];
    memset(longest, 'n', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_int_equal(sluice_checkpoint_begin(session, 7), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(sluice_image_create(session, 7, bad[i].name, &image), -EINVAL);
        assert_non_null(strstr(sluice_message(), bad[i].why));
    }
    assert_int_equal(sluice_image_create(session, 7, longest, &image), -EINVAL);
    assert_non_null(strstr(sluice_message(), "longer than 1000 bytes"));
    assert_int_equal(sluice_image_create(session, 7, "..a/...", &image), 0);
    assert_int_equal(sluice_image_close(image), 0);
}

static void an_open_image_is_not_created_again(void **state)
{
    (void)state;
    sluice_image *image = create(), *again;
    assert_int_equal(sluice_image_create(session, 7, "state", &again), -EEXIST);
    assert_null(again);
    assert_int_equal(sluice_image_create(session, 8, "state", &again), 0);
    assert_int_equal(sluice_image_close(again), 0);
    assert_int_equal(sluice_image_close(image), 0);
}

static void wait_times_out_with_a_message(void **state)
{
    (void)state;
    /* On a busy machine the time may be over before it has asked a second time. */
    for (int tries = 0, asked = 0; asked < 3; tries++) {
        const int before = fake_requests(&iop, SLUICE_REQUEST_WAIT);
        assert_true(tries < 20);
        assert_int_equal(sluice_checkpoint_wait(session, 7, 1000), -ETIMEDOUT);
        assert_string_equal(sluice_message(), "not yet");
        asked = fake_requests(&iop, SLUICE_REQUEST_WAIT) - before;
    }
}

static void list_gives_the_newest(void **state)
{
    (void)state;
    int64_t numbers[2];
    assert_int_equal(sluice_checkpoint_list(session, NULL, 0), 2);
    assert_int_equal(sluice_checkpoint_list(session, numbers, 2), 2);
    assert_int_equal(numbers[0], 7);
    assert_int_equal(numbers[1], 9);
    assert_int_equal(sluice_checkpoint_list(session, numbers, 1), 2);
    assert_int_equal(numbers[0], 9);
}

static void restart_gives_a_descriptor_of_an_unlinked_copy(void **state)
{
    (void)state;
    const int fd = sluice_image_restart(session, SLUICE_NEWEST, "state");
    char content[20] = "";
    assert_int_equal(read(fd, content, sizeof content), 13);
    assert_string_equal(content, "rebuilt bytes");
    close(fd);
    char path[128];
    snprintf(path, sizeof path, "%s/rebuilt", iop.directory);
    assert_int_equal(access(path, F_OK), -1);
}

/* In the child; the exit status says which step failed. */
static int use_in_child(sluice_image *parents)
{
    sluice_image *own;
    if (sluice_image_write(parents, "child", 5) != -ESTALE)
        return 1;
    if (sluice_image_close(parents) != 0)
        return 2;
    if (sluice_image_create(session, 7, "child", &own) != 0)
        return 3;
    if (sluice_image_write(own, "child", 5) != 5 || sluice_image_close(own) != 0)
        return 4;
    return sluice_session_close(session) == 0 ? 0 : 5;
}

static void forked_child_attaches_anew(void **state)
{
    (void)state;
    sluice_image *image = create();
    assert_int_equal(sluice_image_write(image, "parent", 6), 6);
    const pid_t child = fork();
    if (child == 0)
        _exit(use_in_child(image));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(fake_requests(&iop, SLUICE_REQUEST_ATTACH), 2);
    assert_int_equal(sluice_image_write(image, " goes on", 8), 8);
    assert_int_equal(sluice_image_close(image), 0);
    assert_rebuilt("parent goes on", 14);
    int64_t size;
    uint8_t *content = fake_rebuild(&iop, &iop.images[1], &size);
    assert_string_equal((char *)content, "child");
    free(content);
}

static void lost_io_process_is_reported_by_every_call(void **state)
{
    (void)state;
    sluice_image *image = create();
    fake_kill(&iop);
    assert_int_equal(sluice_checkpoint_complete(session, 7), -EIO);
    assert_int_equal(sluice_image_write(image, "lost", 4), -EIO);
    assert_non_null(strstr(sluice_message(), "I/O process is gone"));
    assert_int_equal(sluice_image_close(image), -EIO);
}

static void absent_io_process_is_named(void **state)
{
    (void)state;
    sluice_session *none;
    assert_int_equal(sluice_session_open("/nowhere", 0, 1, &none), -ENOENT);
    assert_non_null(strstr(sluice_message(), "/nowhere/socket"));
    unsetenv("SLUICE_DIRECTORY");
    assert_int_equal(sluice_session_open(NULL, 0, 1, &none), -EINVAL);
    assert_int_equal(sluice_session_open("/nowhere", 4, 4, &none), -EINVAL);
}

static void directory_with_a_long_name_is_reached(void **state)
{
    (void)state;
    char name[200];
    char link[300];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    snprintf(link, sizeof link, "%s/%s", iop.directory, name);
    assert_int_equal(symlink(iop.directory, link), 0);
    sluice_session *distant;
    assert_int_equal(sluice_session_open(link, 0, 1, &distant), 0);
    assert_int_equal(sluice_session_close(distant), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(image_holds_what_was_written, start, shut_down),
        cmocka_unit_test_setup_teardown(image_that_is_direct_is_written_through_the_kernel, start,
                                        shut_down),
        cmocka_unit_test_setup_teardown(image_is_read_as_it_was_written, start, shut_down),
        cmocka_unit_test_setup_teardown(a_write_that_would_wait_is_not_tried, start, shut_down),
        cmocka_unit_test_setup_teardown(session_with_an_open_image_is_not_closed, start, shut_down),
        cmocka_unit_test_setup_teardown(nothing_is_done_without_a_session_or_an_image, start,
                                        shut_down),
        cmocka_unit_test_setup_teardown(null_where_there_is_to_be_something_is_refused, start,
                                        shut_down),
        cmocka_unit_test_setup_teardown(null_is_no_memory_to_write_from, start, shut_down),
        cmocka_unit_test_setup_teardown(a_name_that_is_none_is_told_why, start, shut_down),
        cmocka_unit_test_setup_teardown(an_open_image_is_not_created_again, start, shut_down),
        cmocka_unit_test_setup_teardown(wait_times_out_with_a_message, start, shut_down),
        cmocka_unit_test_setup_teardown(list_gives_the_newest, start, shut_down),
        cmocka_unit_test_setup_teardown(restart_gives_a_descriptor_of_an_unlinked_copy, start,
                                        shut_down),
        cmocka_unit_test_setup_teardown(forked_child_attaches_anew, start, shut_down),
        cmocka_unit_test_setup_teardown(lost_io_process_is_reported_by_every_call, start,
                                        shut_down),
        cmocka_unit_test_setup_teardown(absent_io_process_is_named, start, shut_down),
        cmocka_unit_test_setup_teardown(directory_with_a_long_name_is_reached, start, shut_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
