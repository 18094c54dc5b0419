#include "trace.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "clock.h"
#include "failure.h"
#include "kernel.h"
#include "launcher.h"
#include "sluice_layout.h"

#define WINDOW (256 << 10)
#define PAGE INT64_C(4096)
#define LONGEST_PATH 4095
#define MOST_PARTS 100000 /* of one process number, which may exec as often */

/*
 * Returns whether the program's limit allows a file of this length. The kernel would send a signal
 * beyond it.
 */
static bool is_allowed(int64_t length)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= (rlim_t)length;
}

/* Reserves storage up to `length`. Where the file system cannot do that, makes the file longer. */
static int reserve(int fd, int64_t length)
{
    if (!is_allowed(length))
        return -EFBIG;
    const int error = (int)sluice_kernel_call(SYS_fallocate, fd, 0, 0, length);
    return error == -EOPNOTSUPP || error == -ENOSYS ? sluice_kernel_truncate(fd, length) : error;
}

/* Maps `length` bytes of the open part from `position` on; NULL with *error. */
static void *map_part(int fd, int64_t position, size_t length, int *error)
{
    *error = reserve(fd, position + (int64_t)length);
    return *error == 0 ? sluice_kernel_map(fd, position, length, error) : NULL;
}

/* Moves the window to the page of the next record. False when storage has no room for it. */
static bool advance(struct sluice_trace *trace)
{
    const int64_t at = trace->position + (trace->at - trace->window);
    const int64_t position = at & -PAGE;
    int error;
    const int fd = sluice_kernel_open(trace->path, O_RDWR);
    void *window = fd < 0 ? NULL : map_part(fd, position, WINDOW, &error);
    sluice_kernel_close(fd);
    trace->full = window == NULL;
    if (trace->full)
        return false;
    sluice_kernel_unmap(trace->window, WINDOW);
    trace->window = window;
    trace->position = position;
    trace->at = trace->window + (at - position);
    return true;
}

static bool has_room(struct sluice_trace *trace, size_t length)
{
    const bool fits = trace->at + length < trace->window + WINDOW;
    return __builtin_expect(fits, true) || (!trace->full && advance(trace));
}

static uint8_t *put(uint8_t *at, uint64_t number)
{
    for (; number > 127; number >>= 7)
        *at++ = (uint8_t)(number | 128);
    *at++ = (uint8_t)number;
    return at;
}

static uint8_t *put_signed(uint8_t *at, int64_t number)
{
    return put(at, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

/* Stores a record's tag, which makes the record valid: the rest of it is complete by now. */
static void complete_record(uint8_t *record, int tag)
{
    __atomic_store_n(record, (uint8_t)tag, __ATOMIC_RELEASE);
}

void sluice_trace_name(struct sluice_trace *trace, struct sluice_trace_file *file, const char *path)
{
    const size_t length = strnlen(path, LONGEST_PATH);
    if (!has_room(trace, length + 8))
        return;
    uint8_t *at = put(trace->at + 1, length);
    memcpy(at, path, length);
    complete_record(trace->at, SLUICE_PART_FILE);
    trace->at = at + length;
    *file = (struct sluice_trace_file){.part = trace->part, .id = trace->files++};
}

void sluice_trace_append(struct sluice_trace *trace, struct sluice_trace_file *file,
                         enum sluice_trace_call call, enum sluice_trace_route route, int64_t begin,
                         int64_t end, int64_t offset, uint64_t size)
{
    if (!sluice_trace_knows(trace, file) || !has_room(trace, SLUICE_TRACE_LONGEST_WRITE)) {
        atomic_store(&trace->header->lost, trace->header->lost + 1);
        return;
    }
    uint8_t *record = trace->at, *at = record + 1;
    const int kind = (int)call | (int)route << 4;
    int tag = SLUICE_PART_WRITE;
    if (file->id == trace->file)
        tag |= SLUICE_PART_SAME_FILE;
    else
        at = put(at, (uint64_t)(trace->file = file->id));
    if (offset == file->next)
        tag |= SLUICE_PART_SEQUENTIAL;
    else
        at = put_signed(at, offset - file->next);
    if (size == trace->size)
        tag |= SLUICE_PART_SAME_SIZE;
    else
        at = put(at, trace->size = size);
    if (kind == trace->kind)
        tag |= SLUICE_PART_SAME_KIND;
    else
        *at++ = (uint8_t)(trace->kind = kind);
    at = put_signed(at, begin - trace->end);
    trace->at = put(at, (uint64_t)(end - begin));
    file->next = offset + (int64_t)size;
    trace->end = end;
    complete_record(record, tag);
}

/* Creates the file under the first free name, and leaves the name in trace->path. */
static int create_part(struct sluice_trace *trace, const char *directory, const char *host)
{
    for (int number = 1; number < MOST_PARTS; number++) {
        char suffix[16] = "";
        if (number > 1)
            snprintf(suffix, sizeof suffix, "-%d", number);
        const int length = snprintf(trace->path, sizeof trace->path, "%s/%s.%d%s.part", directory,
                                    host, getpid(), suffix);
        if (length >= (int)sizeof trace->path)
            return -ENAMETOOLONG;
        const int fd = sluice_kernel_open(trace->path, O_RDWR | O_CREAT | O_EXCL);
        if (fd != -EEXIST)
            return fd;
    }
    return -EEXIST;
}

/*
 * Writes the header at once, so that a process killed here leaves an empty part or one with a
 * header.
 */
static int write_header(int fd, const char *host)
{
    struct sluice_trace_header header = {
        .magic = SLUICE_PART_MAGIC,
        .version = SLUICE_PART_VERSION,
        .pid = getpid(),
        .realtime = sluice_clock_of(CLOCK_REALTIME),
        .monotonic = sluice_clock(),
    };
    sluice_launcher_rank(&header.rank, &header.ranks);
    const int32_t length = (int32_t)strlen(host);
    memcpy(header.host, &length, sizeof length);
    memcpy(header.host + sizeof length, host, (size_t)length);
    const ssize_t written = sluice_kernel_pwrite(fd, &header, sizeof header, 0);
    return written == sizeof header ? 0 : written < 0 ? (int)written : -ENOSPC;
}

static int begin_part(struct sluice_trace *trace, int fd, const char *host)
{
    int error = is_allowed(WINDOW) ? write_header(fd, host) : -EFBIG;
    if (error == 0)
        trace->header = map_part(fd, 0, sizeof *trace->header, &error);
    if (error == 0)
        trace->window = map_part(fd, 0, WINDOW, &error);
    if (error != 0)
        return error;
    trace->at = trace->window + sizeof *trace->header;
    trace->end = trace->header->monotonic;
    return 0;
}

int sluice_trace_open(struct sluice_trace *trace, const char *directory)
{
    struct utsname node;
    uname(&node);
    *trace = (struct sluice_trace){.part = trace->part + 1, .file = -1};
    const int fd = create_part(trace, directory, node.nodename);
    if (fd < 0) {
        return sluice_failure(-fd, "cannot record in %s: %s", directory,
                              sluice_failure_reason(-fd));
    }
    const int error = begin_part(trace, fd, node.nodename);
    sluice_kernel_close(fd);
    if (error != 0) {
        sluice_trace_abandon(trace);
        unlink(trace->path);
        return sluice_failure(-error, "cannot record in %s: %s", trace->path,
                              sluice_failure_reason(-error));
    }
    return 0;
}

void sluice_trace_close(struct sluice_trace *trace)
{
    if (trace->header == NULL)
        return;
    const int64_t end = trace->position + (trace->at - trace->window);
    atomic_store(&trace->header->end, end);
    sluice_trace_abandon(trace);
    const int fd = sluice_kernel_open(trace->path, O_RDWR);
    if (fd >= 0) {
        sluice_kernel_truncate(fd, end);
        sluice_kernel_close(fd);
    }
}

bool sluice_trace_has(const struct sluice_trace *trace, const void *address)
{
    return trace->header != NULL
        && (sluice_kernel_lies_in(trace->window, WINDOW, address)
            || sluice_kernel_lies_in(trace->header, sizeof *trace->header, address));
}

void sluice_trace_forget(struct sluice_trace *trace)
{
    trace->window = NULL;
    trace->header = NULL;
}

void sluice_trace_abandon(struct sluice_trace *trace)
{
    if (trace->window != NULL)
        sluice_kernel_unmap(trace->window, WINDOW);
    if (trace->header != NULL)
        sluice_kernel_unmap(trace->header, sizeof *trace->header);
    sluice_trace_forget(trace);
}
