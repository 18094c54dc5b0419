#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "creation_word.h"
#include "descriptors.h"
#include "failure.h"
#include "kernel.h"
#include "layout.h"
#include "limit.h"
#include "memory.h"
#include "presence.h"
#include "real.h"
#include "recording.h"
#include "segment.h"
#include "small.h"
#include "tell.h"
#include "usage.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct image *images;
static struct image *spare_images;
static bool left_open; /* some images were closed while nobody could be told */

void sluice_images_lock(void)
{
    sluice_guard_enter();
    pthread_mutex_lock(&lock);
}

/*
 * Locks the images for a checkpointer's thread. All others are suspended, perhaps with a lock. If
 * the thread gets this lock and the client's, it keeps them until the others run again.
 */
bool sluice_images_try_lock(void)
{
    sluice_guard_enter();
    if (sluice_lock_take_in_time(&lock))
        return true;
    sluice_guard_leave();
    return false;
}

void sluice_images_unlock(void)
{
    pthread_mutex_unlock(&lock);
    sluice_guard_leave();
}

/*
 * Sets the modification time of a written image's file to now, as a write does. In the container
 * layout nothing else sets it. The I/O process leaves the time alone, so that a file does not seem
 * to change when it is read.
 */
static void stamp(struct image *image)
{
    static const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};
    const struct sluice_segment *segment = sluice_capture_segment();
    if (!image->unstamped || image->descriptions == NULL || segment == NULL
        || sluice_layout_drains_to_files(segment)) {
        return;
    }
    const int before = errno;
    REAL(futimens)(image->descriptions->fd, times); /* on failure the time stays */
    errno = before;
    image->unstamped = false;
}

void sluice_image_closing(struct image *image)
{
    const struct description *each = image->descriptions;
    while (each != NULL && !each->writes)
        each = each->next;
    if (each != NULL && !image->small && sluice_log_lengthen(&image->log, each->fd, sluice_limit()))
        image->unstamped = false;
    stamp(image);
}

void sluice_image_incomplete(const struct image *image, const char *why)
{
    sluice_tell("inode %lu: what was written may be incomplete: %s", (unsigned long)image->inode,
                why);
}

void sluice_image_surrender(struct image *image, int reason)
{
    if (image->small) {
        sluice_small_leave(image, reason);
        return;
    }
    const int error = sluice_log_settle(&image->log, reason);
    stamp(image);
    if (error < 0 && error != -ESTALE)
        sluice_image_incomplete(image, sluice_failure_reason(-error));
    sluice_image_return(image);
}

int sluice_image_settle_rest(struct image *image)
{
    const bool whole = image->small || !sluice_log_diverted(&image->log);
    const int error = whole ? 0 : sluice_log_settle(&image->log, SLUICE_REASON_OTHER);
    return error == 0 ? -ESTALE : error;
}

int sluice_image_settle(struct image *image)
{
    if (image->small) {
        sluice_image_surrender(image, SLUICE_REASON_READ);
        return -ESTALE;
    }
    if (image->unsettled) {
        const bool for_good = sluice_usage_harms(image);
        const int error =
            sluice_log_settle(&image->log, for_good ? SLUICE_REASON_READ : SLUICE_REASON_NONE);
        if (error < 0 && error != -ESTALE)
            return error;
        image->unsettled = false;
        stamp(image);
    }
    const int64_t size = sluice_log_size(&image->log);
    if (size == -ESTALE)
        sluice_image_surrender(image, SLUICE_REASON_READ);
    return size < 0 ? (int)size : 0;
}

static bool is_of_former_life(const struct image *image)
{
    return image->of_dump && !sluice_presence_counts(image->life);
}

static struct image *find_image(const struct stat *status)
{
    struct image *image = images;
    while (image != NULL
           && (image->inode != status->st_ino || image->device != status->st_dev
               || is_of_former_life(image))) {
        image = image->next;
    }
    return image;
}

bool sluice_images_surrender_file(const struct stat *status, int reason)
{
    if (images == NULL || sluice_guard_inside())
        return false;
    sluice_images_lock();
    struct image *image = find_image(status);
    if (image != NULL) {
        sluice_lock_take(&image->lock);
        sluice_image_surrender(image, reason);
        sluice_lock_release(&image->lock);
    }
    sluice_images_unlock();
    return image != NULL;
}

static struct image *take_image(void)
{
    struct image *image = spare_images;
    if (image != NULL) {
        spare_images = image->next;
    } else {
        image = sluice_memory_take(sizeof *image);
        if (image != NULL)
            sluice_lock_init(&image->lock);
    }
    return image;
}

/* Makes the image of a file that this process has not open yet. */
static int first_opening(int fd, const struct stat *status, int announced, const char *path,
                         struct image **opened)
{
    struct sluice_disposition disposition = {.kind = SLUICE_REQUEST_PLAIN};
    bool small;
    const bool created = (announced & SLUICE_REQUEST_OPEN_CREATED) != 0;
    const uint32_t kind = sluice_usage_kind(path);
    const int reason = sluice_usage_reason(kind, created);
    const bool ask = !sluice_small_unannounced(status, &announced, &small, &disposition);
    if (reason != SLUICE_REASON_NONE && !(announced & SLUICE_REQUEST_OPEN_DIRECT))
        announced |= sluice_open_direct(reason);
    const int error = ask ? sluice_image_announce(fd, status, announced, path, &disposition) : 0;
    if (ask && created)
        sluice_creation_end(status->st_dev, status->st_ino);
    if (disposition.kind == SLUICE_REQUEST_DIRECT && disposition.reason == SLUICE_REASON_NONE
        && (announced & SLUICE_REQUEST_OPEN_DIRECT)) { /* the I/O process had no other reason */
        disposition.reason = announced >> SLUICE_REQUEST_OPEN_REASON_SHIFT;
    }
    if (error != 0 && (!sluice_recording || sluice_image_refused(error)))
        return error;
    struct image *image = take_image();
    if (image == NULL)
        return -ENOTCONN;
    sluice_lock_take(&image->lock);
    sluice_log_init(&image->log, ask ? sluice_capture_client() : NULL, &disposition);
    image->log.tally.segment = ask ? NULL : sluice_capture_segment();
    image->small = small;
    image->device = status->st_dev;
    image->inode = status->st_ino;
    image->openings = disposition.kind == SLUICE_REQUEST_PLAIN ? 0 : 1;
    image->writable = (announced & SLUICE_REQUEST_OPEN_WRITE) != 0;
    image->unsettled = disposition.size > 0;
    image->created = image->fresh = created;
    image->unstamped = false;
    image->harms = 0;
    image->gained = 0;
    image->kind = kind;
    image->mappings = 0;
    image->mapped = image->mapped_end = 0;
    image->let_go = false;
    image->of_dump = sluice_presence_writes_down();
    image->life = atomic_load_explicit(&sluice_presence_life, memory_order_relaxed);
    image->traced = (struct sluice_trace_file){0};
    image->descriptions = NULL;
    if (sluice_log_diverted(&image->log) && !created && status->st_size > disposition.size)
        sluice_image_surrender(image, SLUICE_REASON_FOREIGN); /* a process has written unseen */
    sluice_lock_release(&image->lock);
    image->next = images;
    images = image;
    *opened = image;
    return 0;
}

/*
 * Announces a file again that was announced for reading only, or when it was no image. The I/O
 * process must know that the file may change. The file's descriptions use the kernel, so the image
 * is direct.
 */
static void announce_again(struct image *image, int fd, const struct stat *status, int announced,
                           const char *path)
{
    struct sluice_disposition disposition;
    const int direct = announced | sluice_open_direct(SLUICE_REASON_SHARED);
    sluice_image_surrender(image, SLUICE_REASON_SHARED);
    const int error = sluice_image_announce(fd, status, direct, path, &disposition);
    if (error != 0 || disposition.kind == SLUICE_REQUEST_PLAIN)
        return;
    if (image->openings == 0)
        sluice_log_adopt(&image->log, sluice_capture_client(), &disposition);
    image->openings++;
    image->writable |= (announced & SLUICE_REQUEST_OPEN_WRITE) != 0;
}

int sluice_image_open(int fd, const struct stat *status, int announced, const char *path,
                      struct image **opened)
{
    struct image *image = find_image(status);
    if (image == NULL)
        return first_opening(fd, status, announced, path, opened);
    sluice_lock_take(&image->lock);
    if (announced & SLUICE_REQUEST_OPEN_DIRECT)
        sluice_image_surrender(image, announced >> SLUICE_REQUEST_OPEN_REASON_SHIFT);
    const bool unannounced = image->log.tally.segment != NULL
        && sluice_capture_image_state(status) == SLUICE_IMAGE_STATE_FREE;
    if ((announced & SLUICE_REQUEST_OPEN_WRITE) && !unannounced
        && (!image->writable || image->openings == 0)) {
        announce_again(image, fd, status, announced, path);
    }
    sluice_lock_release(&image->lock);
    *opened = image;
    return 0;
}

void sluice_image_watch(struct image *image, int fd)
{
    struct stat status;
    char path[PATH_MAX];
    if (!sluice_capture_file(fd, &status, path))
        return;
    sluice_lock_take(&image->lock);
    announce_again(image, fd, &status, image->writable ? SLUICE_REQUEST_OPEN_WRITE : 0, path);
    for (struct description *each = image->descriptions; each != NULL; each = each->next)
        each->watched = image->openings == 0;
    sluice_lock_release(&image->lock);
}

int sluice_image_end(struct image *image)
{
    int error = 0;
    if (image->small)
        sluice_small_close(image);
    sluice_image_closing(image);
    sluice_usage_closed(image);
    for (; image->openings > 0 && !sluice_log_away(&image->log); image->openings--) {
        const int met = sluice_log_end(&image->log);
        error = error != 0 ? error : met;
    }
    sluice_image_return(image);
    return error;
}

int sluice_image_release(struct image *image)
{
    if (image->descriptions != NULL || image->mappings > 0)
        return 0;
    if (sluice_log_away(&image->log)) {
        left_open = true;
        return 0;
    }
    struct image **link = &images;
    while (*link != image)
        link = &(*link)->next;
    *link = image->next;
    image->next = spare_images;
    spare_images = image;
    return sluice_image_end(image);
}

bool sluice_image_lock(struct image *image)
{
    if (is_of_former_life(image))
        return false;
    sluice_lock_take(&image->lock);
    return true;
}

void sluice_images_each(void (*action)(struct image *image, int reason), int reason)
{
    if (images == NULL || sluice_guard_inside())
        return;
    sluice_images_lock();
    for (struct image *image = images; image != NULL; image = image->next) {
        if (!sluice_image_lock(image))
            continue;
        action(image, reason);
        sluice_lock_release(&image->lock);
    }
    sluice_images_unlock();
}

void sluice_images_tidy(void)
{
    if (!left_open)
        return;
    left_open = false;
    for (struct image *image = images, *next; image != NULL; image = next) {
        next = image->next;
        if (!sluice_image_lock(image))
            continue;
        sluice_image_release(image);
        sluice_lock_release(&image->lock);
    }
}

void sluice_images_surrender(int reason)
{
    sluice_images_each(sluice_image_surrender, reason);
    if (reason == SLUICE_REASON_FORK)
        sluice_capture_have_taken();
}

static atomic_int all_direct; /* why all images are direct, SLUICE_REASON_* */

void sluice_images_go_direct(int reason)
{
    const struct sluice_segment *segment = sluice_capture_segment();
    all_direct = reason;
    if (segment != NULL) {
        atomic_fetch_or_explicit(&segment->header->past, INT64_C(1) << reason,
                                 memory_order_relaxed);
    }
    sluice_images_surrender(reason);
    sluice_capture_have_taken();
}

int sluice_images_all_direct(void)
{
    return all_direct;
}

static _Thread_local bool forking;

void sluice_images_before_fork(void)
{
    forking = !sluice_guard_inside();
    if (!forking)
        return;
    sluice_presence_look(); /* a child cannot tell whether its parent was restarted */
    sluice_capture_have_taken();
    sluice_images_lock();
    for (struct image *image = images; image != NULL; image = image->next)
        if (sluice_image_lock(image))
            sluice_image_surrender(image, SLUICE_REASON_FORK);
}

void sluice_images_after_fork(void)
{
    if (!forking)
        return;
    for (struct image *image = images; image != NULL; image = image->next)
        sluice_lock_release(&image->lock);
    sluice_images_unlock();
}

/* Starts the lists anew in a child. Their locks are held by this thread, or in an unknown state. */
void sluice_images_in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    images = NULL;
    spare_images = NULL;
    if (forking)
        sluice_guard_leave();
}
