/*
 * What a process does that has lost its slot without having run any code: one that a checkpointer
 * dumped and brought back, or the child of a bare clone(). Here all of them are children of a bare
 * clone(), which have the memory and the descriptors of the process that attached, but another pid
 * and start time. What else a restored one finds is laid before them first.
 */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "attachment.h"
#include "fake_io_process.h"

/* An expectation of the child: it ends with the first that fails. */
#define EXPECT(condition) expect(condition, #condition, __LINE__)

struct file {
    struct sluice_log_image log;
    int fd;
};

static const struct fake_geometry container = {SLUICE_HEADER_LAYOUT_CONTAINER, 16, 4096, 3000,
                                               SLUICE_HEADER_POLICY_FIXED};
static struct fake_io_process iop, other;
static struct sluice_client *client, *stranger;
static struct file begun, untouched, strangers;
static uint8_t *before;

static void expect(bool holds, const char *what, int line)
{
    if (!holds) {
        fprintf(stderr, "restored_test.c:%d: %s\n", line, what);
        _exit(1);
    }
}

static int open_file(struct sluice_client *by, const char *directory, const char *name,
                     struct file *file)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    file->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct stat status;
    struct sluice_disposition disposition = {.kind = SLUICE_REQUEST_PLAIN};
    if (file->fd < 0 || fstat(file->fd, &status) != 0
        || sluice_log_announce(by, status.st_dev, status.st_ino, SLUICE_REQUEST_OPEN_CREATED, path,
                               &disposition)
            != 0) {
        return -1;
    }
    sluice_log_init(&file->log, by, &disposition);
    return disposition.kind;
}

/* One that has an image begun and one without a byte yet, and a stranger with an image begun. */
static int start(void **state)
{
    (void)state;
    fake_start(&iop, container);
    fake_start(&other, container);
    int error = sluice_client_attach(iop.directory, 0, 2, &client);
    error |= sluice_client_attach(other.directory, 1, 2, &stranger);
    assert_int_equal(error, 0);
    assert_int_equal(open_file(client, iop.directory, "begun", &begun), SLUICE_REQUEST_DIVERT);
    assert_int_equal(open_file(client, iop.directory, "untouched", &untouched),
                     SLUICE_REQUEST_DIVERT);
    assert_int_equal(open_file(stranger, other.directory, "strangers", &strangers),
                     SLUICE_REQUEST_DIVERT);
    assert_int_equal(sluice_log_pwrite(&begun.log, begun.fd, "before", 6, 0), 6);
    assert_int_equal(sluice_log_pwrite(&strangers.log, strangers.fd, "strange", 7, 0), 7);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    sluice_client_detach(client);
    sluice_client_detach(stranger);
    fake_stop(&iop);
    fake_stop(&other);
    close(begun.fd);
    close(untouched.fd);
    close(strangers.fd);
    free(before);
    before = NULL;
    return 0;
}

/*
 * All that belongs to the first slot: it, its ring, its images, its chunk and that one's state. Not
 * the rest, in which the child may have got a slot of its own.
 */
static uint8_t *of_first_slot(const struct fake_io_process *of, const struct sluice_client *its,
                              size_t *length)
{
    const struct sluice_header *header = of->header;
    const struct sluice_chunk_writer *writer = &its->writer;
    const struct {
        const void *bytes;
        size_t length;
    } parts[] = {
        {of->slots, SLUICE_SLOT_LENGTH},
        {of->base + header->rings, (size_t)header->ring_length},
        {(const void *)(of->states + writer->index), sizeof *of->states},
        {of->base + header->chunks + (int64_t)writer->index * header->chunk_length,
         (size_t)header->chunk_length},
    };
    *length = 0;
    uint8_t *copy = malloc(1 << 16);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        memcpy(copy + *length, parts[i].bytes, parts[i].length);
        *length += parts[i].length;
    }
    return copy;
}

static void keep(const struct fake_io_process *of, const struct sluice_client *its)
{
    size_t length;
    before = of_first_slot(of, its, &length);
}

static void assert_untouched(const struct fake_io_process *of, const struct sluice_client *its)
{
    size_t length;
    uint8_t *after = of_first_slot(of, its, &length);
    assert_memory_equal(after, before, length);
    free(after);
}

/* The child of a bare clone. */
static void in_child(void (*steps)(void))
{
    const pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) {
        alarm(20);
        steps();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

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

static void assert_content(const struct file *file, const char *expected)
{
    char content[64] = "";
    assert_true(pread(file->fd, content, sizeof content - 1, 0) >= 0);
    assert_string_equal(content, expected);
}

static void write_directly(struct file *file, const char *data, int64_t offset)
{
    const ssize_t length = (ssize_t)strlen(data);
    EXPECT(sluice_log_pwrite(&file->log, file->fd, data, (size_t)length, offset) == -ESTALE);
    EXPECT(pwrite(file->fd, data, (size_t)length, offset) == length);
    EXPECT(sluice_log_end(&file->log) == 0);
}

static void fail_to_write(struct file *file)
{
    EXPECT(sluice_log_pwrite(&file->log, file->fd, "lost", 4, 6) == -EIO);
    EXPECT(strstr(sluice_client_message(), "brought back") != NULL);
    EXPECT(sluice_log_truncate(&file->log, file->fd, 3) == -EIO);
    EXPECT(sluice_log_sync(&file->log) == -EIO);
    EXPECT(sluice_log_size(&file->log) == -EIO);
    EXPECT(sluice_log_end(&file->log) == -EIO);
}

static void open_and_log(const char *name)
{
    struct file later;
    struct sluice_client *now = sluice_client_current(client);
    EXPECT(now != NULL && now != client);
    EXPECT(open_file(now, iop.directory, name, &later) == SLUICE_REQUEST_DIVERT);
    EXPECT(sluice_log_pwrite(&later.log, later.fd, "later", 5, 0) == 5);
    EXPECT(sluice_log_end(&later.log) == 0);
}

static void assert_logged(struct fake_io_process *by, int index, const char *expected)
{
    int64_t size;
    uint8_t *content = fake_rebuild(by, by->images + index, &size);
    assert_string_equal((char *)content, expected);
    free(content);
}

static void write_as_child(void)
{
    write_directly(&begun, " child", 6);
    write_directly(&untouched, "child", 0);
    open_and_log("later");
}

static void child_of_a_bare_clone_attaches_anew(void **state)
{
    (void)state;
    keep(&iop, client);
    in_child(write_as_child);
    assert_untouched(&iop, client);
    assert_content(&begun, "before child");
    assert_content(&untouched, "child");
    assert_logged(&iop, 2, "later");
    assert_int_equal(fake_requests(&iop, SLUICE_REQUEST_ATTACH), 2);
}

/* By large writes and by all the other calls that store into the segment. */
static void do_the_rest_as_child(void)
{
    static char large[5000];
    const int parents = client->connection.socket;
    memset(large, 'x', sizeof large);
    EXPECT(sluice_log_pwrite(&untouched.log, untouched.fd, large, sizeof large, 0)
           == (ssize_t)sizeof large);
    /* Its number is free again: an open one would keep the parent's death from being noticed. */
    EXPECT(sluice_client_current(client)->connection.socket == parents);
    EXPECT(!sluice_log_diverted(&untouched.log));
    EXPECT(ftruncate(untouched.fd, 5) == 0);
    EXPECT(sluice_log_size(&begun.log) == -ESTALE);
    EXPECT(sluice_log_sync(&untouched.log) == -ESTALE);
}

static void child_of_a_bare_clone_uses_other_calls(void **state)
{
    (void)state;
    keep(&iop, client);
    in_child(do_the_rest_as_child);
    assert_untouched(&iop, client);
    assert_content(&begun, "before");
    assert_content(&untouched, "xxxxx");
}

static void truncate_sync_and_close_as_child(void)
{
    EXPECT(sluice_log_truncate(&untouched.log, untouched.fd, 9) == -ESTALE);
    EXPECT(sluice_log_sync(&begun.log) == -ESTALE);
    EXPECT(sluice_log_end(&begun.log) == 0);
    EXPECT(sluice_log_end(&untouched.log) == 0);
    sluice_client_detach(client);
}

static void child_of_a_bare_clone_ends(void **state)
{
    (void)state;
    keep(&iop, client);
    in_child(truncate_sync_and_close_as_child);
    assert_untouched(&iop, client);
    assert_int_equal(sluice_log_pwrite(&begun.log, begun.fd, " after", 6, 6), -ESTALE);
    assert_content(&begun, "before");
}

static void write_when_brought_back(void)
{
    come_back();
    write_as_child();
}

static void slot_that_is_free_is_left_alone(void **state)
{
    (void)state;
    iop.slots[0].state = SLUICE_SLOT_STATE_FREE;
    keep(&iop, client);
    be_brought_back(write_when_brought_back);
    assert_untouched(&iop, client);
    assert_content(&begun, "before child");
    assert_logged(&iop, 2, "later");
}

static void slot_that_is_anothers_is_left_alone(void **state)
{
    (void)state;
    iop.slots[0].generation++;
    keep(&iop, client);
    be_brought_back(write_when_brought_back);
    assert_untouched(&iop, client);
    assert_content(&begun, "before child");
    assert_content(&untouched, "child");
    assert_logged(&iop, 2, "later");
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
    fake_kill(&iop);
    replace_session();
    keep(&other, stranger);
    be_brought_back(write_in_another_session);
    assert_untouched(&other, stranger);
    assert_content(&untouched, "direct");
    assert_logged(&other, 1, "later");
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
    fake_kill(&iop);
    replace_session();
    keep(&other, stranger);
    be_brought_back(write_into_what_is_left);
    assert_untouched(&other, stranger);
    assert_content(&untouched, "direct");
    assert_logged(&other, 1, "later");
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
        cmocka_unit_test_setup_teardown(child_of_a_bare_clone_attaches_anew, start, stop),
        cmocka_unit_test_setup_teardown(child_of_a_bare_clone_uses_other_calls, start, stop),
        cmocka_unit_test_setup_teardown(child_of_a_bare_clone_ends, start, stop),
        cmocka_unit_test_setup_teardown(slot_that_is_free_is_left_alone, start, stop),
        cmocka_unit_test_setup_teardown(slot_that_is_anothers_is_left_alone, start, stop),
        cmocka_unit_test_setup_teardown(segment_of_another_session_is_left_alone, start, stop),
        cmocka_unit_test_setup_teardown(another_file_in_place_of_the_segment_is_left_alone, start,
                                        stop),
        cmocka_unit_test_setup_teardown(segment_that_nobody_serves_is_left, start, stop),
        cmocka_unit_test_setup_teardown(waiting_for_a_chunk_ends, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
