#include "recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "descriptors.h"
#include "presence.h"
#include "real.h"
#include "tell.h"

bool sluice_recording;

/* Guards the trace, and the fields of images and descriptions marked as the recording's. */
static struct sluice_lock lock;
static struct sluice_trace trace;
static unsigned life; /* the one in which the trace was mapped */

__attribute__((constructor)) static void begin_if_asked(void)
{
    const char *directory = getenv("SLUICE_PROFILE");
    sluice_lock_init(&lock);
    sluice_recording = sluice_capture_on() && directory != NULL && directory[0] == '/';
}

bool sluice_recording_begin(struct sluice_recorded_call *call, int fd)
{
    struct description *description = sluice_description_of(fd);
    struct image *image = description != NULL ? description->image : NULL;
    if (image == NULL || sluice_guard_inside())
        return false;
    call->directs = image->log.directs;
    call->begin = sluice_clock();
    return true;
}

static int64_t file_size(const struct image *image, int fd)
{
    const struct sluice_segment *segment = sluice_capture_segment();
    struct stat status;
    int64_t size;
    if (segment != NULL && sluice_segment_size(segment, image->device, image->inode, &size))
        return size;
    return REAL(fstat)(fd, &status) == 0 ? status.st_size : 0;
}

/*
 * Returns the offset at which a call wrote. Asks the kernel for its offset only if that may have
 * moved.
 */
static int64_t offset_of(struct description *description, int fd, int64_t offset, ssize_t length)
{
    if (description->append)
        return file_size(description->image, fd) - length;
    if (offset >= 0)
        return offset;
    if (!description->logged && description->tracked)
        description->offset += length;
    else if (!description->logged)
        description->offset = REAL(lseek)(fd, 0, SEEK_CUR);
    description->tracked = true;
    return description->offset - length;
}

/* Names a file in the trace, at its first write, by the name it has then. */
static bool name_file(struct image *image, int fd)
{
    char path[PATH_MAX] = "";
    struct stat status;
    if (trace.header == NULL && sluice_trace_open(&trace, getenv("SLUICE_PROFILE")) != 0) {
        sluice_tell("%s; this process goes on unrecorded", sluice_failure_message());
        sluice_recording = false;
        return false;
    }
    life = atomic_load(&sluice_presence_life);
    sluice_capture_file(fd, &status, path);
    sluice_trace_name(&trace, &image->traced,
                      path[0] != '\0' ? path : "(a path longer than 4095 bytes)");
    return true;
}

static void append_record(const struct sluice_recorded_call *call, struct description *description,
                          int fd, int64_t offset, enum sluice_trace_call kind, int64_t end,
                          ssize_t length)
{
    struct image *image = description->image;
    const enum sluice_trace_route route = image->openings == 0       ? SLUICE_TRACE_PLAIN
        : description->logged && image->log.directs == call->directs ? SLUICE_TRACE_LOGGED
                                                                     : SLUICE_TRACE_DIRECT;
    const int64_t at = offset_of(description, fd, offset, length);
    if (sluice_trace_knows(&trace, &image->traced) || name_file(image, fd)) {
        sluice_trace_append(&trace, &image->traced, kind, route, call->begin, end, at,
                            (uint64_t)length);
    }
}

bool sluice_recording_has_mapped(const void *address)
{
    return sluice_presence_counts(life) && sluice_trace_has(&trace, address);
}

/*
 * Returns false while the trace is not mapped: writes are not recorded meanwhile. A process
 * restarted without the trace begins another part.
 */
static bool present(void)
{
    sluice_presence_look();
    if (!sluice_presence_counts(life))
        sluice_trace_forget(&trace);
    return !atomic_load_explicit(&sluice_presence_doubted, memory_order_acquire)
        || trace.header == NULL
        || (sluice_presence_readable(trace.header) && sluice_presence_readable(trace.window));
}

void sluice_recording_end(const struct sluice_recorded_call *call, int fd, int64_t offset,
                          enum sluice_trace_call kind, ssize_t result)
{
    const int64_t end = sluice_clock();
    if (result <= 0)
        return;
    sluice_guard_enter();
    sluice_lock_take(&lock);
    struct description *description = sluice_description_of(fd);
    if (description != NULL && description->image != NULL && present())
        append_record(call, description, fd, offset, kind, end, result);
    sluice_lock_release(&lock);
    sluice_guard_leave();
}

void sluice_recording_lose_offset(int fd)
{
    struct description *description = sluice_description_of(fd);
    if (description != NULL)
        description->tracked = false;
}

void sluice_recording_pause(void)
{
    if (!sluice_recording || sluice_guard_inside())
        return;
    sluice_guard_enter();
    sluice_lock_take(&lock);
    if (present())
        sluice_trace_close(&trace);
    sluice_lock_release(&lock);
    sluice_guard_leave();
}

void sluice_recording_stop(void)
{
    sluice_recording_pause();
    sluice_recording = false;
}

void sluice_recording_in_child(void)
{
    sluice_lock_init(&lock);
    if (!sluice_presence_counts(life))
        sluice_trace_forget(&trace);
    sluice_trace_abandon(&trace);
}
