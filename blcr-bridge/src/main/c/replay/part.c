#include "part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONGEST_PATH 4096
#define MOST_FILES (1 << 24)

/* Adds any two numbers of a damaged part, without overflow. */
static int64_t sum(int64_t one, int64_t other)
{
    return (int64_t)((uint64_t)one + (uint64_t)other);
}

int replay_part_open(struct replay_part *part, const char *path)
{
    struct stat status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0)
        return -errno;
    *part = (struct replay_part){0};
    if (status.st_size == 0) {
        close(fd);
        return 0; /* the process died before it wrote anything */
    }
    const struct sluice_trace_header *header = status.st_size < (off_t)sizeof *header
        ? MAP_FAILED
        : mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (header == MAP_FAILED || header->magic != SLUICE_PART_MAGIC)
        return -EBADMSG;
    part->header = header;
    const int64_t end = header->end;
    part->limit = (const uint8_t *)header
        + (end >= (int64_t)sizeof *header && end <= status.st_size ? end : status.st_size);
    part->clock_difference = sum(header->realtime, (int64_t)-(uint64_t)header->monotonic);
    replay_part_rewind(part);
    return 0;
}

void replay_part_rewind(struct replay_part *part)
{
    for (int32_t i = 0; i < part->file_count; i++)
        part->files[i].next = 0;
    part->named = 0;
    part->kind = 0;
    part->last = (struct replay_write){.file = -1};
    part->at = NULL;
    if (part->header != NULL) {
        part->at = (const uint8_t *)(part->header + 1);
        part->last.end = sum(part->header->monotonic, part->clock_difference);
    }
}

/* Reads a number; -1 where there is none. */
static int64_t number(struct replay_part *part)
{
    uint64_t value = 0;
    for (int shift = 0; part->at < part->limit && shift < 63; shift += 7) {
        const uint8_t byte = *part->at++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return (int64_t)value;
    }
    return -1;
}

static int64_t unzigzag(int64_t code)
{
    return (int64_t)((uint64_t)code >> 1) ^ -(code & 1);
}

static bool read_file(struct replay_part *part)
{
    const int64_t length = number(part);
    if (length < 0 || length > LONGEST_PATH || length > part->limit - part->at)
        return false;
    if (part->named == part->file_count) {
        struct replay_file *more = part->named >= MOST_FILES
            ? NULL
            : realloc(part->files, sizeof *more * (size_t)(part->named + 1));
        if (more == NULL)
            return false;
        part->files = more;
        part->files[part->file_count++] =
            (struct replay_file){.path = strndup((const char *)part->at, (size_t)length)};
    }
    part->named++;
    part->at += length;
    return true;
}

static bool read_write(struct replay_part *part, int tag, struct replay_write *write)
{
    *write = part->last;
    if (!(tag & SLUICE_PART_SAME_FILE)) {
        const int64_t file = number(part);
        write->file = file < 0 || file >= part->named ? -1 : (int32_t)file;
    }
    if (write->file < 0)
        return false;
    struct replay_file *file = &part->files[write->file];
    const int64_t skip = tag & SLUICE_PART_SEQUENTIAL ? 0 : number(part);
    write->offset = sum(file->next, unzigzag(skip));
    write->size = tag & SLUICE_PART_SAME_SIZE ? write->size : number(part);
    if (!(tag & SLUICE_PART_SAME_KIND))
        part->kind = part->at < part->limit ? *part->at++ : 0;
    const int64_t gap = number(part), duration = number(part);
    int64_t end;
    if (skip < 0 || gap < 0 || duration < 0 || write->size < 0 || write->offset < 0
        || __builtin_add_overflow(write->offset, write->size, &end)) {
        return false;
    }
    write->call = part->kind & 15;
    write->begin = sum(part->last.end, unzigzag(gap));
    write->end = sum(write->begin, duration);
    file->next = end;
    part->last = *write;
    return true;
}

bool replay_part_next(struct replay_part *part, struct replay_write *write)
{
    while (part->at < part->limit && *part->at != 0) {
        const int tag = *part->at++;
        if (tag & SLUICE_PART_WRITE)
            return read_write(part, tag, write);
        if (tag != SLUICE_PART_FILE || !read_file(part))
            return false;
    }
    return false;
}
