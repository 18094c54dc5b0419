#include "service.h"

#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "sluice.h"
#include "sluice_layout.h"

#define HEADER_LENGTH 4096
#define PATIENCE_MS 30000

static sluice_session *session;
static const char *header;

static int32_t header_int(size_t offset)
{
    return *(const int32_t *)(header + offset);
}

static int map_header(void)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/segment", getenv("SLUICE_DIRECTORY"));
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        perror(path);
        return -1;
    }
    header = mmap(NULL, HEADER_LENGTH, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    return header == MAP_FAILED ? -1 : 0;
}

int service_open(void)
{
    if (sluice_session_open(NULL, 0, 1, &session) != 0) {
        fprintf(stderr, "checkpoint_node: %s\n", sluice_message());
        return -1;
    }
    return map_header();
}

int64_t service_buffered(void)
{
    const int64_t free_chunks = atomic_load_explicit(
        (const _Atomic int64_t *)(header + SLUICE_HEADER_FREE_CHUNKS_OFFSET), memory_order_relaxed);
    return (header_int(SLUICE_HEADER_CHUNK_COUNT_OFFSET) - free_chunks)
           * (int64_t)header_int(SLUICE_HEADER_CHUNK_LENGTH_OFFSET);
}

int64_t service_cpu(void)
{
    clockid_t clock;
    struct timespec time = {0, 0};
    if (clock_getcpuclockid(header_int(SLUICE_HEADER_PID_OFFSET), &clock) == 0) {
        clock_gettime(clock, &time);
    }
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

int service_await(int64_t checkpoint)
{
    if (sluice_checkpoint_wait(session, checkpoint, PATIENCE_MS) != 0) {
        fprintf(stderr, "checkpoint_node: %s\n", sluice_message());
        return -1;
    }
    return 0;
}
