#include "lost_slot.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct fake_io_process iop, other;
struct sluice_client *client, *stranger;
struct file begun, untouched, strangers;

static const struct fake_geometry container = {SLUICE_HEADER_LAYOUT_CONTAINER, 16, 4096, 3000,
                                               SLUICE_HEADER_POLICY_FIXED};
static uint8_t *before;

void expect(bool holds, const char *what, const char *file, int line)
{
    if (!holds) {
        fprintf(stderr, "%s:%d: %s\n", file, line, what);
        _exit(1);
    }
}

int open_file(struct sluice_client *by, const char *directory, const char *name, struct file *file)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    file->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct stat status;
    struct sluice_disposition disposition = {.kind = SLUICE_REQUEST_PLAIN};
    if (file->fd < 0 || fstat(file->fd, &status) != 0
        || sluice_client_announce(by,
                                  (struct sluice_request_open){sluice_device(status.st_dev),
                                                               (int64_t)status.st_ino,
                                                               SLUICE_REQUEST_OPEN_CREATED},
                                  path, &disposition)
            != 0) {
        return -1;
    }
    sluice_log_init(&file->log, by, &disposition);
    return disposition.kind;
}

int start(void **state)
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

int shut_down(void **state)
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

void keep(const struct fake_io_process *of, const struct sluice_client *its)
{
    size_t length;
    before = of_first_slot(of, its, &length);
}

void assert_untouched(const struct fake_io_process *of, const struct sluice_client *its)
{
    size_t length;
    uint8_t *after = of_first_slot(of, its, &length);
    assert_memory_equal(after, before, length);
    free(after);
}

void in_child(void (*steps)(void))
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

void write_directly(struct file *file, const char *data, int64_t offset)
{
    const ssize_t length = (ssize_t)strlen(data);
    EXPECT(sluice_log_pwrite(&file->log, file->fd, data, (size_t)length, offset) == -ESTALE);
    EXPECT(pwrite(file->fd, data, (size_t)length, offset) == length);
    EXPECT(sluice_log_end(&file->log) == 0);
}

void open_and_log(const char *name)
{
    struct file later;
    struct sluice_client *now = sluice_client_current(client);
    EXPECT(now != NULL && now != client);
    EXPECT(open_file(now, iop.directory, name, &later) == SLUICE_REQUEST_DIVERT);
    EXPECT(sluice_log_pwrite(&later.log, later.fd, "later", 5, 0) == 5);
    EXPECT(sluice_log_end(&later.log) == 0);
}

void write_as_child(void)
{
    write_directly(&begun, " child", 6);
    write_directly(&untouched, "child", 0);
    open_and_log("later");
}

void assert_content(const struct file *file, const char *expected)
{
    char content[64] = "";
    assert_true(pread(file->fd, content, sizeof content - 1, 0) >= 0);
    assert_string_equal(content, expected);
}

void assert_logged(struct fake_io_process *by, int index, const char *expected)
{
    int64_t size;
    uint8_t *content = fake_rebuild(by, by->images + index, &size);
    assert_string_equal((char *)content, expected);
    free(content);
}
