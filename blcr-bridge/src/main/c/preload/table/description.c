#include "description.h"

#include <fcntl.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include "creation_word.h"
#include "kernel.h"
#include "memory.h"
#include "presence.h"
#include "real.h"
#include "streams.h"
#include "tell.h"

/* Guarded, like all changes to the table, by the lock of the images. */
static struct description *spare_descriptions;
static int highest; /* the highest descriptor ever captured */

struct description *sluice_description_lock(int fd)
{
    while (sluice_description_logged(fd) && !sluice_guard_inside()) {
        struct description *description = sluice_description_of(fd);
        struct image *image = description != NULL ? description->image : NULL;
        if (image == NULL)
            continue;
        sluice_guard_enter();
        sluice_lock_take(&image->lock);
        if (sluice_description_of(fd) == description && description->image == image
            && description->logged) {
            return description;
        }
        sluice_lock_release(&image->lock);
        sluice_guard_leave();
    }
    return NULL;
}

void sluice_description_watch(int fd)
{
    struct description *description = sluice_description_of(fd);
    struct image *image = description != NULL ? description->image : NULL;
    const struct sluice_segment *segment = sluice_capture_segment();
    if (image == NULL || segment == NULL || sluice_guard_inside()
        || sluice_segment_state(segment, image->device, image->inode) == SLUICE_IMAGE_STATE_FREE) {
        return;
    }
    sluice_images_lock();
    description = sluice_description_of(fd);
    if (description != NULL && description->watched)
        sluice_image_watch(description->image, fd);
    sluice_images_unlock();
}

void sluice_description_unlock(struct description *description)
{
    sluice_lock_release(&description->image->lock);
    sluice_guard_leave();
}

/*
 * Makes the image of a descriptor direct. For an image that is direct already, notes that uncounted
 * writes may follow.
 */
void sluice_descriptor_surrender(int fd, int reason)
{
    struct description *description = sluice_description_lock(fd);
    struct sluice_tally *tally = description == NULL ? sluice_descriptor_tally(fd) : NULL;
    if (tally != NULL)
        sluice_tally_note(tally, reason);
    if (description == NULL)
        return;
    sluice_image_surrender(description->image, reason);
    sluice_description_unlock(description);
}

void sluice_descriptor_let_go(int fd)
{
    if (sluice_description_of(fd) == NULL || sluice_guard_inside())
        return;
    sluice_images_lock();
    struct description *description = sluice_description_of(fd);
    if (description != NULL) {
        struct image *image = description->image;
        sluice_lock_take(&image->lock);
        sluice_image_surrender(image, SLUICE_REASON_LOCK);
        image->let_go |= image->openings > 0 && sluice_log_let_go(&image->log) == 0;
        sluice_lock_release(&image->lock);
    }
    sluice_images_unlock();
}

void sluice_description_append(struct description *description)
{
    REAL(fcntl)(description->fd, F_SETFL, REAL(fcntl)(description->fd, F_GETFL) & ~O_APPEND);
    description->kernel_appends = false;
}

static struct description *take_description(void)
{
    struct description *description = spare_descriptions;
    if (description != NULL)
        spare_descriptions = description->next;
    else
        description = sluice_memory_take(sizeof *description);
    return description;
}

static void map_descriptor(int fd, struct description *description)
{
    highest = fd > highest ? fd : highest;
    sluice_descriptions[fd] = description;
}

/* Makes a new description of `image`, whose lock is held. */
static void describe(struct image *image, int fd, int flags)
{
    struct description *description = take_description();
    if (description == NULL) {
        sluice_image_surrender(image, SLUICE_REASON_OTHER);
        return;
    }
    description->image = image;
    description->append = (flags & O_APPEND) != 0;
    description->kernel_appends = description->append;
    description->reads = sluice_flags_read(flags);
    description->writes = sluice_flags_write(flags);
    description->fd = fd;
    description->descriptors = 1;
    description->offset = 0;
    description->kernel = 0;
    description->next = image->descriptions;
    image->descriptions = description;
    description->watched = image->openings == 0 && !image->small;
    description->tracked = true;
    description->logged = image->small || sluice_log_diverted(&image->log);
    map_descriptor(fd, description);
    if (sluice_stream_native(fd))
        sluice_image_surrender(image, SLUICE_REASON_STREAM);
}

/*
 * Locks the images. A checkpointer's thread may find a lock held by a suspended thread. Then it
 * returns false, and the file being opened is left alone.
 */
static bool lock_images(void)
{
    if (!atomic_load_explicit(&sluice_presence_doubted, memory_order_acquire)) {
        sluice_images_lock();
        return true;
    }
    if (!sluice_images_try_lock())
        return false;
    struct sluice_client *client = sluice_capture_client();
    if (client == NULL || sluice_client_idle(client))
        return true;
    sluice_images_unlock();
    return false;
}

static int missed(int announced, const char *path, const char *why)
{
    if (announced & SLUICE_REQUEST_OPEN_WRITE)
        sluice_capture_missed(path, why);
    return -ENOTCONN;
}

/* Returns why the offset of a descriptor cannot be kept here; NULL if it can. */
static const char *unfollowed(int fd)
{
    return fd >= SLUICE_DESCRIPTORS ? "no descriptor from 65536 on is followed"
        : sluice_capture_divided    ? "threads of the process have descriptors of their own"
                                    : NULL;
}

/*
 * Describes `fd` if it is of a captured file. -ENOTCONN: nobody is there to log it. A descriptor
 * that cannot be followed is announced until the process ends, if it is of an image. Readers then
 * get the image complete, and no other process logs it.
 */
static int describe_captured(int fd, int flags, int announced, bool truncate)
{
    struct stat status;
    struct image *image;
    char path[PATH_MAX];
    if (!sluice_capture_file(fd, &status, path))
        return -ENOTCONN;
    const char *why = unfollowed(fd);
    if (why != NULL && (sluice_creation_leave(&status, &announced) || !sluice_capture_own()))
        return missed(announced, path, why);
    if (why != NULL && !(announced & SLUICE_REQUEST_OPEN_DIRECT))
        announced |= sluice_open_direct(SLUICE_REASON_FORK);
    if (!lock_images())
        return missed(announced, path, "it is opened while a checkpointer writes the process down");
    sluice_images_tidy();
    int error = sluice_image_open(fd, &status, announced, path, &image);
    if (error != 0 && error != -ESTALE)
        missed(announced, path, sluice_failure_message());
    if (error == 0) {
        sluice_lock_take(&image->lock);
        if (why == NULL) {
            describe(image, fd, flags);
        } else { /* as a mapping that is never unmapped */
            image->mappings++;
            sluice_image_surrender(image, SLUICE_REASON_FORK);
        }
        error = truncate ? sluice_image_empty(image, fd) : 0;
        sluice_lock_release(&image->lock);
    }
    sluice_images_unlock();
    return error;
}

int sluice_description_adopt(int fd, int flags, int announced, bool truncate)
{
    sluice_description_forget(fd); /* the descriptor's former file was closed unseen */
    const int error = describe_captured(fd, flags, announced, truncate);
    if (error == 0 || sluice_description_of(fd) != NULL || sluice_image_refused(error))
        return error;
    return truncate ? sluice_kernel_truncate(fd, 0) : 0;
}

void sluice_description_share(int from, int to)
{
    if (sluice_description_of(from) == NULL || sluice_guard_inside())
        return;
    if (to >= SLUICE_DESCRIPTORS || sluice_stream_native(to))
        sluice_descriptor_surrender(from, SLUICE_REASON_STREAM);
    if (to >= SLUICE_DESCRIPTORS)
        return;
    sluice_images_lock();
    struct description *description = sluice_description_of(from);
    if (description != NULL) {
        description->descriptors++;
        map_descriptor(to, description);
    }
    sluice_images_unlock();
}

/* Returns another descriptor of the description than the one being closed. */
static int remaining_descriptor(const struct description *description)
{
    int fd = 0;
    while (fd < highest && sluice_descriptions[fd] != description)
        fd++;
    return fd;
}

static void unlink_description(struct image *image, struct description *description)
{
    struct description **link = &image->descriptions;
    while (*link != description)
        link = &(*link)->next;
    *link = description->next;
    description->logged = false;
    description->watched = false;
    description->image = NULL;
    description->next = spare_descriptions;
    spare_descriptions = description;
}

int sluice_description_forget(int fd)
{
    if (sluice_description_of(fd) == NULL)
        return 0;
    if (sluice_guard_inside()) { /* closed by a signal handler: the opening stays, unended */
        sluice_descriptions[fd] = NULL;
        return 0;
    }
    int error = 0;
    sluice_images_lock();
    struct description *description = sluice_description_of(fd);
    if (description != NULL) {
        struct image *image = description->image;
        sluice_descriptions[fd] = NULL;
        if (!sluice_image_lock(image)) {
            sluice_images_unlock();
            return 0;
        }
        if (image->let_go && description->descriptors == 1)
            REAL(fcntl)(fd, F_SETLEASE, F_UNLCK); /* the I/O process would break it */
        if (description->descriptors == 1 && description->writes)
            sluice_image_closing(image);
        if (--description->descriptors == 0)
            unlink_description(image, description);
        else if (description->fd == fd)
            description->fd = remaining_descriptor(description);
        error = sluice_image_release(image);
        sluice_lock_release(&image->lock);
    }
    sluice_images_unlock();
    return error;
}

/* Keeps the openings of an image, as a mapping that is never unmapped does. */
static void keep_open(struct image *image, int reason)
{
    sluice_image_surrender(image, reason);
    image->descriptions = NULL;
    image->mappings++;
}

void sluice_descriptions_let_go(void)
{
    sluice_images_each(keep_open, SLUICE_REASON_FORK);
    sluice_images_lock();
    for (int fd = 0; fd <= highest; fd++)
        sluice_descriptions[fd] = NULL;
    sluice_images_unlock();
}

void sluice_descriptions_divide(void)
{
    if (!sluice_capture_on() || sluice_guard_inside() || __libc_single_threaded
        || atomic_exchange(&sluice_capture_divided, true)) {
        return; /* without a second thread there is one table of descriptors only */
    }
    sluice_descriptions_let_go();
    sluice_tell("threads with descriptors of their own cannot be followed; process %d goes on "
                "without Sluice",
                (int)getpid());
}

void sluice_descriptions_in_child(void)
{
    for (int fd = 0; fd <= highest; fd++)
        sluice_descriptions[fd] = NULL;
    spare_descriptions = NULL;
}
