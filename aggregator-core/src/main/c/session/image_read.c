/*
 * Reading an image of a committed checkpoint into memory, as the I/O process sends it through a
 * pipe.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failure.h"
#include "kernel.h"
#include "session.h"
#include "sluice_layout.h"
#include "zeros.h"

#define PIPE (1 << 20) /* bytes; the most that a user may ask for */
#define PAGE 4096      /* bytes that are examined, and zeroed, at a time */
#define ENOUGH 1       /* the sink wants no more; no errno */
#define POPULATE_READ 22

/*
 * Reads `length` bytes. -EPIPE at the end of the pipe, -EFAULT where the memory cannot be written.
 */
static int take(int fd, void *data, size_t length)
{
    char *at = data;
    while (length > 0) {
        const long count = sluice_kernel_call(SYS_read, fd, (long)at, (long)length);
        if (count == -EINTR)
            continue;
        if (count <= 0)
            return count == 0 ? -EPIPE : (int)count;
        at += count;
        length -= (size_t)count;
    }
    return 0;
}

static int pass_over(int fd, size_t length)
{
    char some[PAGE];
    int error = 0;
    while (length > 0 && error == 0) {
        const size_t next = length < sizeof some ? length : sizeof some;
        error = take(fd, some, next);
        length -= next;
    }
    return error;
}

/*
 * Zeroes memory. Pages that are zero already are only read, so that untouched pages take no memory.
 * The kernel checks first that all can be read (from Linux 5.14 on), and the kernel does the
 * writing. So an address that cannot be accessed gives an error here and no signal.
 */
static int make_zero(char *at, size_t length, int zeros)
{
    const size_t before = (uintptr_t)at % PAGE;
    const long looked = sluice_kernel_call(SYS_madvise, (long)(at - before),
                                           (long)(length + before), POPULATE_READ);
    if (looked != 0)
        return take(zeros, at, length);
    int error = 0;
    while (length > 0 && error == 0) {
        const size_t rest = PAGE - (uintptr_t)at % PAGE;
        const size_t next = length < rest ? length : rest;
        if (!sluice_is_zero(at, next))
            error = take(zeros, at, next);
        at += next;
        length -= next;
    }
    return error;
}

static int take_zeros(char *at, size_t length)
{
    const int zeros = sluice_kernel_open("/dev/zero", O_RDONLY);
    if (zeros < 0)
        return sluice_failure(EIO, "cannot open /dev/zero: %s", strerror(-zeros));
    const int error = make_zero(at, length, zeros);
    sluice_kernel_close(zeros);
    return error;
}

static int take_piece(int fd, const struct sluice_piece *piece, const struct sluice_sink *sink)
{
    int error = 0;
    for (int64_t done = 0; done < piece->length && error == 0;) {
        size_t length = (size_t)(piece->length - done);
        void *at = sink->place(sink->argument, piece->offset + done, &length);
        if (length == 0)
            return ENOUGH;
        if (piece->type == SLUICE_PIECE_TYPE_ZEROS)
            error = at == NULL ? 0 : take_zeros(at, length);
        else
            error = at == NULL ? pass_over(fd, length) : take(fd, at, length);
        done += (int64_t)length;
    }
    return error;
}

static int take_failure(int fd, const struct sluice_piece *piece)
{
    char text[1024] = "";
    const size_t length =
        (size_t)piece->length < sizeof text - 1 ? (size_t)piece->length : sizeof text - 1;
    const int error = take(fd, text, length);
    return error != 0 ? error : sluice_failure(piece->error, "%s", text);
}

static int take_all(int fd, const struct sluice_sink *sink)
{
    struct sluice_piece piece;
    int error = take(fd, &piece, sizeof piece);
    while (error == 0 && piece.type != SLUICE_PIECE_TYPE_END) {
        error = piece.type == SLUICE_PIECE_TYPE_FAILED ? take_failure(fd, &piece)
                                                       : take_piece(fd, &piece, sink);
        if (error == 0)
            error = take(fd, &piece, sizeof piece);
    }
    return error;
}

/*
 * Reads the image through one pipe. -EPIPE: the pipe ended early, since the I/O process was
 * replaced or gave up waiting for this process.
 */
static int read_once(struct sluice_session *session, int64_t checkpoint, const char *name,
                     const struct sluice_sink *sink)
{
    int ends[2];
    int error;
    struct sluice_client *client = sluice_session_client(session, &error);
    if (error != 0)
        return error;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return sluice_failure(errno, "no pipe to read image %s: %s", name, strerror(errno));
    fcntl(ends[0], F_SETPIPE_SZ, PIPE); /* a smaller one only takes longer */
    const struct sluice_request_read request = {checkpoint, session->rank, ends[1]};
    error = sluice_connection_request(&client->connection, SLUICE_REQUEST_READ,
                                      SLUICE_BODY_AND(request, name), NULL);
    close(ends[1]);
    if (error == 0) {
        sink->begin(sink->argument);
        error = take_all(ends[0], sink);
    }
    close(ends[0]);
    return error;
}

/*
 * Reads the image from a copy in the store. A process that is not dumpable needs that: the kernel
 * lets nobody else open its pipe.
 */
static int read_copy(struct sluice_session *session, int64_t checkpoint, const char *name,
                     const struct sluice_sink *sink)
{
    struct stat found;
    const int fd = sluice_image_restart(session, checkpoint, name);
    if (fd < 0)
        return fd;
    int error = fstat(fd, &found) == 0
        ? 0
        : sluice_failure(errno, "cannot measure the copy of image %s: %s", name, strerror(errno));
    if (error == 0) {
        const struct sluice_piece whole = {.type = SLUICE_PIECE_TYPE_BYTES,
                                           .length = found.st_size};
        sink->begin(sink->argument);
        error = take_piece(fd, &whole, sink);
    }
    close(fd);
    return error;
}

int sluice_image_read(struct sluice_session *session, int64_t checkpoint, const char *name,
                      const struct sluice_sink *sink)
{
    int error;
    do {
        error = read_once(session, checkpoint, name, sink);
    } while (error == -EPIPE);
    if (error == -EACCES)
        error = read_copy(session, checkpoint, name, sink);
    if (error == -EFAULT)
        return sluice_failure(EFAULT, "the memory for image %s cannot be written", name);
    return error == ENOUGH ? 0 : error;
}
