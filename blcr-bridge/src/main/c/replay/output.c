#include "output.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace.h"

#define STREAM_BUFFER (1 << 20)

int replay_output_named(const char *name)
{
    static const char *const NAMES[] = {"files", "stdio", "direct", "memory"};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, NAMES[i]) == 0)
            return i;
    return -1;
}

int replay_target_prepare(struct replay_target *target, enum replay_output output, int64_t end)
{
    *target = (struct replay_target){.fd = -1};
    if (output == REPLAY_STDIO) { /* setvbuf() makes no buffer of that length by itself */
        target->buffer = malloc(STREAM_BUFFER);
        return target->buffer == NULL ? -1 : 0;
    }
    if (output != REPLAY_MEMORY)
        return 0;
    target->memory = mmap(NULL, (size_t)end + 1, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return target->memory == MAP_FAILED ? -1 : 0;
}

int replay_target_open(struct replay_target *target, enum replay_output output, const char *path)
{
    target->open = true;
    target->position = 0;
    if (output == REPLAY_MEMORY)
        return 0;
    target->fd =
        open(path, O_CREAT | O_WRONLY | O_CLOEXEC | (output == REPLAY_DIRECT ? O_DIRECT : 0), 0666);
    if (target->fd < 0) {
        target->open = false;
        return -1;
    }
    if (output == REPLAY_STDIO) {
        target->stream = fdopen(target->fd, "w");
        return target->stream == NULL
            ? -1
            : setvbuf(target->stream, target->buffer, _IOFBF, STREAM_BUFFER);
    }
    return 0;
}

static int seek(struct replay_target *target, int64_t offset)
{
    return target->stream != NULL                 ? fseeko(target->stream, offset, SEEK_SET)
        : lseek(target->fd, offset, SEEK_SET) < 0 ? -1
                                                  : 0;
}

ssize_t replay_target_write(struct replay_target *target, int call, const void *data, int64_t size,
                            int64_t offset)
{
    if (target->memory != NULL) {
        memcpy(target->memory + offset, data, (size_t)size);
        return size;
    }
    if (target->stream == NULL && (call == SLUICE_TRACE_PWRITE || call == SLUICE_TRACE_PWRITEV))
        return pwrite(target->fd, data, (size_t)size, offset);
    if (offset != target->position && seek(target, offset) != 0)
        return -1;
    const ssize_t written = target->stream == NULL ? write(target->fd, data, (size_t)size)
        : fwrite(data, 1, (size_t)size, target->stream) == (size_t)size ? size
                                                                        : -1;
    target->position = offset + (written > 0 ? written : 0);
    return written;
}

int replay_target_close(struct replay_target *target, bool synced)
{
    FILE *stream = target->stream;
    const int fd = target->fd;
    int status = 0;
    target->stream = NULL;
    target->fd = -1;
    target->open = false;
    if (fd >= 0 && synced)
        status = stream != NULL && fflush(stream) != 0 ? -1 : fdatasync(fd);
    if (fd >= 0 && (stream != NULL ? fclose(stream) : close(fd)) != 0)
        status = -1;
    return status;
}
