/*
 * What a process does that a checkpointer dumped and brought back. What it finds then is laid before
 * it first.
 */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lost_slot.h"

static int64_t remembered[2];

/* A checkpointer keeps the page that a clone empties. The other end of the socket is gone. */
static void come_back(void)
{
    struct sluice_given *given = client->writer.pool.hold.given;
    given->session_id = remembered[0];
    given->generation = remembered[1];
    close(client->connection.socket);
}

static void be_brought_back(void (*steps)(void))
{
    remembered[0] = client->session_id;
    remembered[1] = client->generation;
    in_child(steps);
}

/* Puts a file's content in place of the segment, as mapped in this process. */
static void map_instead(const char *directory, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    EXPECT(fd >= 0 && ftruncate(fd, (off_t)client->segment->length) == 0);
    EXPECT(mmap(client->segment->header, client->segment->length, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_FIXED, fd, 0)
           != MAP_FAILED);
    close(fd);
}

/* Another session's segment and socket at the path of the old ones. */
static void replace_session(void)
{
    static const char *const names[] = {"segment", "socket"};
    for (int i = 0; i < 2; i++) {
        char from[128], to[128];
        snprintf(from, sizeof from, "%s/%s", other.directory, names[i]);
        snprintf(to, sizeof to, "%s/%s", iop.directory, names[i]);
        assert_int_equal(rename(from, to), 0);
    }
}

static void fail_to_write(struct file *file)
{
    EXPECT(sluice_log_pwrite(&file->log, file->fd, "lost", 4, 6) == -EIO);
    EXPECT(strstr(sluice_failure_message(), "brought back") != NULL);
    EXPECT(sluice_log_truncate(&file->log, file->fd, 3) == -EIO);
    EXPECT(sluice_log_sync(&file->log) == -EIO);
    EXPECT(sluice_log_size(&file->log) == -EIO);
    EXPECT(sluice_log_end(&file->log) == -EIO);
}

static void write_when_brought_back(void)
{
    come_back();
    write_as_child();
}

static void be_brought_back_without_slot(void)
{
    keep(&iop, client);
    be_brought_back(write_when_brought_back);
    assert_untouched(&iop, client);
    assert_content(&begun, "before child");
    assert_content(&untouched, "child");
    assert_logged(&iop, 2, "later");
}

static void slot_that_is_free_is_left_alone(void **state)
{
    (void)state;
    iop.slots[0].state = SLUICE_SLOT_STATE_FREE;
    be_brought_back_without_slot();
}

static void slot_that_is_anothers_is_left_alone(void **state)
{
    (void)state;
    iop.slots[0].generation++;
    be_brought_back_without_slot();
}

/* The steps write `direct` into the untouched image, and open and log another. */
static void be_brought_back_to_another_session(void (*steps)(void))
{
    fake_kill(&iop);
    replace_session();
    keep(&other, stranger);
    be_brought_back(steps);
    assert_untouched(&other, stranger);
    assert_content(&untouched, "direct");
    assert_logged(&other, 1, "later");
}

static void write_in_another_session(void)
{
    come_back();
    map_instead(iop.directory, "segment");
    fail_to_write(&begun);
    write_directly(&untouched, "direct", 0);
    open_and_log("later");
}

static void segment_of_another_session_is_left_alone(void **state)
{
    (void)state;
    be_brought_back_to_another_session(write_in_another_session);
    assert_int_equal(sluice_log_end(&strangers.log), 0);
    assert_logged(&other, 0, "strange");
}

static void write_into_nothing(void)
{
    come_back();
    map_instead(other.directory, "empty");
    fail_to_write(&begun);
    write_directly(&untouched, "direct", 0);
    EXPECT(sluice_client_current(client) == NULL);
}

static void another_file_in_place_of_the_segment_is_left_alone(void **state)
{
    (void)state;
    char path[128];
    fake_kill(&iop);
    snprintf(path, sizeof path, "%s/socket", iop.directory);
    assert_int_equal(unlink(path), 0);
    be_brought_back(write_into_nothing);
    assert_content(&untouched, "direct");
    snprintf(path, sizeof path, "%s/empty", other.directory);
    char byte;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    for (off_t at = 0; pread(fd, &byte, 1, at) == 1; at += byte == 0 ? 1 : 1 << 30) {
        assert_int_equal(byte, 0);
        at = lseek(fd, at, SEEK_DATA) < 0 ? 1 << 30 : lseek(fd, at, SEEK_DATA);
    }
    close(fd);
}

/* The mapping still shows the old session; its socket's number is another file's. */
static void write_into_what_is_left(void)
{
    come_back();
    const int unrelated = client->connection.socket;
    EXPECT(dup2(memfd_create("unrelated", 0), unrelated) == unrelated);
    EXPECT(sluice_log_pwrite(&begun.log, begun.fd, " into memory of nobody", 22, 6) == 22);
    EXPECT(sluice_log_sync(&begun.log) == -EIO);
    fail_to_write(&begun);
    write_directly(&untouched, "direct", 0);
    open_and_log("later");
    struct stat status;
    EXPECT(fstat(unrelated, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0);
}

static void segment_that_nobody_serves_is_left(void **state)
{
    (void)state;
    be_brought_back_to_another_session(write_into_what_is_left);
    assert_int_equal(fake_requests(&other, SLUICE_REQUEST_RESUME), 0);
}

/* This thread is dumped at its next poll(), and brought back there. */
static _Thread_local bool dumped_at_poll;

int poll(struct pollfd *files, nfds_t count, int timeout)
{
    if (dumped_at_poll) {
        dumped_at_poll = false;
        map_instead(iop.directory, "segment");
    }
    const struct timespec limit = {timeout / 1000, timeout % 1000 * 1000000L};
    return ppoll(files, count, timeout < 0 ? NULL : &limit, NULL);
}

static void waiting_for_a_chunk_ends(void **state)
{
    (void)state;
    static char data[16 * 4096];
    fake_pause(&iop, true);
    replace_session();
    keep(&other, stranger);
    dumped_at_poll = true;
    assert_int_equal(sluice_log_pwrite(&begun.log, begun.fd, data, 2999, 6), 2999);
    assert_true(dumped_at_poll);
    for (int64_t at = 3005, written = 1; written > 0; at += written) {
        written = sluice_log_pwrite(&begun.log, begun.fd, data, 2999, at);
        assert_true(written == 2999 || written == -EIO);
    }
    assert_false(dumped_at_poll);
    assert_untouched(&other, stranger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(slot_that_is_free_is_left_alone, start, shut_down),
        cmocka_unit_test_setup_teardown(slot_that_is_anothers_is_left_alone, start, shut_down),
        cmocka_unit_test_setup_teardown(segment_of_another_session_is_left_alone, start, shut_down),
        cmocka_unit_test_setup_teardown(another_file_in_place_of_the_segment_is_left_alone, start,
                                        shut_down),
        cmocka_unit_test_setup_teardown(segment_that_nobody_serves_is_left, start, shut_down),
        cmocka_unit_test_setup_teardown(waiting_for_a_chunk_ends, start, shut_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
