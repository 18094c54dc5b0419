#include "streams.h"

#include <errno.h>
#include <unistd.h>

#include "descriptors.h"

struct sluice_stream sluice_streams[SLUICE_DESCRIPTORS];

static _Atomic int highest;

void sluice_stream_remember(int fd, FILE *file, bool native, struct sluice_cookie *cookie)
{
    sluice_streams[fd].native = native;
    sluice_streams[fd].cookie = cookie;
    sluice_streams[fd].file = file;
    int known = highest;
    while (known < fd && !atomic_compare_exchange_weak(&highest, &known, fd)) {
    }
}

int sluice_stream_descriptor(FILE *file)
{
    const int error = errno;
    const int fd = fileno(file);
    errno = error;
    return fd;
}

struct sluice_stream *sluice_stream_entry(FILE *file)
{
    const int fd = sluice_stream_descriptor(file);
    return (unsigned)fd < SLUICE_DESCRIPTORS && sluice_streams[fd].file == file
        ? &sluice_streams[fd]
        : NULL;
}

static FILE *stream_of(int fd)
{
    FILE *standard[] = {stdin, stdout, stderr};
    return sluice_streams[fd].file != NULL || fd > STDERR_FILENO ? sluice_streams[fd].file
                                                                 : standard[fd];
}

void sluice_streams_flush(void)
{
    const int last = highest > STDERR_FILENO ? highest : STDERR_FILENO;
    for (int fd = 0; fd <= last; fd++)
        if (sluice_description_of(fd) != NULL && stream_of(fd) != NULL)
            fflush_unlocked(stream_of(fd));
}

bool sluice_stream_native(int fd)
{
    return fd <= STDERR_FILENO || (sluice_streams[fd].file != NULL && sluice_streams[fd].native);
}
