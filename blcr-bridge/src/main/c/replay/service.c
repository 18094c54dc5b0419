#include "service.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "segment.h"
#include "sluice.h"
#include "status.h"

#define POLL_NANOS 50000000
#define ROOM_PATIENCE INT64_C(10000000000)
#define COMMIT_PATIENCE_MS 30000

static struct sluice_segment *segment;
static sluice_session *session;

static int64_t used_chunks(const struct sluice_segment *mapped)
{
    return (int64_t)mapped->chunk_count - mapped->header->free_chunks
        - mapped->header->absent_chunks;
}

void replay_service_await_room(void)
{
    struct sluice_segment *mapped;
    const char *directory = getenv("SLUICE_DIRECTORY");
    if (directory == NULL || sluice_segment_map(directory, &mapped) != 0)
        return;
    const int64_t end = sluice_clock() + ROOM_PATIENCE;
    while (used_chunks(mapped) > 0 && sluice_clock() < end)
        nanosleep(&(struct timespec){.tv_nsec = POLL_NANOS}, NULL);
    sluice_segment_unmap(mapped);
}

void replay_service_open(void)
{
    const char *directory = getenv("SLUICE_DIRECTORY");
    if (directory == NULL)
        return;
    const int error = sluice_segment_map(directory, &segment);
    if (error != 0)
        sluice_launch_fail(1, "cannot map the segment of %s: %s", directory, strerror(-error));
}

int64_t replay_service_buffered(void)
{
    return segment == NULL ? 0 : used_chunks(segment) * segment->chunk_length;
}

int64_t replay_service_cpu(void)
{
    clockid_t clock;
    return segment != NULL && clock_getcpuclockid(segment->header->pid, &clock) == 0
        ? sluice_clock_of(clock)
        : 0;
}

bool replay_service_await(int64_t checkpoint)
{
    if (segment == NULL) {
        sluice_launch_say("no I/O process to wait for");
        return false;
    }
    if ((session == NULL && sluice_session_open(getenv("SLUICE_DIRECTORY"), 0, 1, &session) != 0)
        || sluice_checkpoint_wait(session, checkpoint, COMMIT_PATIENCE_MS) != 0) {
        sluice_launch_say("%s", sluice_message());
        return false;
    }
    return true;
}
