#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define STREAM_BUFFER (1 << 20)

static int descriptor;
static FILE *stream;
static char *memory;
static size_t memory_length;
static size_t memory_position;

static int file_open(const char *path, int flags)
{
    descriptor = open(path, O_CREAT | O_WRONLY | O_CLOEXEC | flags, 0600);
    return descriptor < 0 ? -1 : 0;
}

static int fresh_open(const char *path)
{
    return file_open(path, O_TRUNC);
}

static int overwrite_open(const char *path)
{
    return file_open(path, 0);
}

static int direct_open(const char *path)
{
    return file_open(path, O_DIRECT);
}

static int file_write(const void *data, size_t length)
{
    const char *from = data;
    while (length > 0) {
        const ssize_t written = write(descriptor, from, length);
        if (written < 0) {
            return -1;
        }
        from += written;
        length -= (size_t)written;
    }
    return 0;
}

static int file_skip(size_t length)
{
    return lseek(descriptor, (off_t)length, SEEK_CUR) < 0 ? -1 : 0;
}

static int file_sync(void)
{
    return fsync(descriptor);
}

static int file_datasync(void)
{
    return fdatasync(descriptor);
}

static int file_close(void)
{
    return close(descriptor);
}

static int stream_open(const char *path)
{
    stream = fopen(path, "we");
    return stream == NULL ? -1 : setvbuf(stream, NULL, _IOFBF, STREAM_BUFFER);
}

static int stream_write(const void *data, size_t length)
{
    return fwrite(data, 1, length, stream) == length ? 0 : -1;
}

static int stream_sync(void)
{
    return fflush(stream) == 0 ? fsync(fileno(stream)) : -1;
}

static int stream_close(void)
{
    return fclose(stream);
}

int output_map(int fd, size_t offset, size_t length)
{
    memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
                  (off_t)offset);
    memory_length = length;
    return memory == MAP_FAILED ? -1 : 0;
}

static int memory_open(const char *path)
{
    (void)path;
    memory_position = 0;
    return 0;
}

static int memory_write(const void *data, size_t length)
{
    if (length > memory_length - memory_position) {
        errno = ENOSPC;
        return -1;
    }
    memcpy(memory + memory_position, data, length);
    memory_position += length;
    return 0;
}

static int nothing(void)
{
    return 0;
}

static const struct output OUTPUTS[] = {
    {"fresh", fresh_open, file_write, file_skip, file_sync, file_close},
    {"overwrite", overwrite_open, file_write, file_skip, file_sync, file_close},
    {"stdio", stream_open, stream_write, NULL, stream_sync, stream_close},
    {"direct", direct_open, file_write, file_skip, file_datasync, file_close},
    {"memory", memory_open, memory_write, NULL, nothing, nothing},
};

const struct output *output_find(const char *name)
{
    for (size_t i = 0; i < sizeof(OUTPUTS) / sizeof(OUTPUTS[0]); i++) {
        if (strcmp(OUTPUTS[i].name, name) == 0) {
            return &OUTPUTS[i];
        }
    }
    return NULL;
}
