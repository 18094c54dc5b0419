/*
 * Mappings of files into memory. The image becomes direct, and its opening lasts as long as the
 * mapping: until then the file may change without a call.
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "creation_word.h"
#include "description.h"
#include "mapping.h"
#include "memory.h"
#include "presence.h"
#include "real.h"
#include "segment.h"

struct mapping {
    struct image *image;
    const char *from, *to;
    size_t left; /* bytes not unmapped yet */
    bool writes;
    struct mapping *next;
};

/* The mappings, guarded by the lock of the images. The count is also read without it. */
static struct mapping *mappings;
static atomic_int mapping_count;

/*
 * Leaves a mapped file to the kernel: no call shows the changes through a mapping. So a process
 * that empties the file later does not log it.
 */
static void leave_to_kernel(const struct image *image)
{
    const struct stat status = {
        .st_dev = image->device, .st_ino = image->inode, .st_mode = S_IFREG};
    int announced = SLUICE_REQUEST_OPEN_WRITE;
    sluice_creation_leave(&status, &announced);
}

/* Holds the image before the real call, so that a close() meanwhile does not end the opening. */
static struct image *hold_image(int fd)
{
    struct image *image = NULL;
    sluice_images_lock();
    struct description *description = sluice_description_of(fd);
    if (description != NULL) {
        image = description->image;
        image->mappings++;
        if (image->openings == 0)
            leave_to_kernel(image);
    }
    sluice_images_unlock();
    return image;
}

/* The images are locked. */
static void let_go_of_image(struct image *image)
{
    sluice_lock_take(&image->lock);
    image->mappings--;
    sluice_image_release(image);
    sluice_lock_release(&image->lock);
}

/*
 * Counts the bytes that a mapping may bring into a file that is no image. Nobody sees the changes,
 * and the I/O process does not look at the file. No byte counts twice as long as this process has
 * the file open or mapped.
 */
static void count_plain(struct image *image, int64_t end, int64_t length)
{
    const struct sluice_segment *segment = sluice_capture_segment();
    if (image->openings > 0 || segment == NULL)
        return;
    image->mapped_end = end > image->mapped_end ? end : image->mapped_end;
    const int64_t left = image->mapped_end - image->mapped;
    const int64_t more = length < left ? length : left;
    image->mapped += more;
    atomic_fetch_add_explicit(&segment->header->plain_bytes[SLUICE_REASON_MMAP], more,
                              memory_order_relaxed);
}

/* Without memory for that, the opening lasts until the process ends. */
static void remember_mapping(struct image *image, const char *address, size_t length, bool writes)
{
    struct mapping *mapping = sluice_memory_take(sizeof *mapping);
    if (mapping == NULL)
        return;
    *mapping = (struct mapping){image, address, address + length, length, writes, mappings};
    mappings = mapping;
    mapping_count++;
}

static void *map(bool by_number, void *address, size_t length, int protection, int flags, int fd,
                 off_t offset)
{
    return by_number
        ? (void *)REAL(syscall)(SYS_mmap, address, length, protection, flags, fd, offset)
        : REAL(mmap)(address, length, protection, flags, fd, offset);
}

void *sluice_mapping_make(bool by_number, void *address, size_t length, int protection, int flags,
                          int fd, off_t offset)
{
    if ((flags & MAP_FIXED) && sluice_capture_on() && sluice_capture_has_mapped(address))
        sluice_presence_doubt();
    if ((flags & MAP_ANONYMOUS) || sluice_description_of(fd) == NULL || sluice_guard_inside())
        return map(by_number, address, length, protection, flags, fd, offset);
    sluice_descriptor_surrender(fd, SLUICE_REASON_MMAP);
    struct image *image = flags & MAP_SHARED ? hold_image(fd) : NULL;
    void *mapped = map(by_number, address, length, protection, flags, fd, offset);
    if (image == NULL)
        return mapped;
    sluice_images_lock(); /* errno stays */
    const bool writes = (protection & PROT_WRITE) != 0;
    if (mapped == MAP_FAILED) {
        let_go_of_image(image);
    } else {
        remember_mapping(image, mapped, length, writes);
        if (writes)
            count_plain(image, offset + (int64_t)length, (int64_t)length);
    }
    sluice_images_unlock();
    return mapped;
}

SLUICE_AS(void *, mmap,
          (void *address, size_t length, int protection, int flags, int fd, off_t offset),
          sluice_mapping_make(false, address, length, protection, flags, fd, offset))

/* Returns the length of a mapping's part in a range, in bytes. */
static size_t overlap(const struct mapping *mapping, const char *from, const char *to)
{
    from = mapping->from > from ? mapping->from : from;
    to = mapping->to < to ? mapping->to : to;
    return to > from ? (size_t)(to - from) : 0;
}

static void unmapped(const char *address, size_t length)
{
    sluice_images_lock();
    for (struct mapping **link = &mappings; *link != NULL;) {
        struct mapping *mapping = *link;
        const size_t gone = overlap(mapping, address, address + length);
        mapping->left -= gone < mapping->left ? gone : mapping->left;
        if (mapping->left > 0) {
            link = &mapping->next;
            continue;
        }
        *link = mapping->next;
        mapping_count--;
        let_go_of_image(mapping->image);
        sluice_memory_give(mapping);
    }
    sluice_images_unlock();
}

int sluice_mapping_end(bool by_number, void *address, size_t length)
{
    const int result =
        by_number ? (int)REAL(syscall)(SYS_munmap, address, length) : REAL(munmap)(address, length);
    if (result == 0 && mapping_count > 0 && !sluice_guard_inside())
        unmapped(address, length);
    return result;
}

SLUICE_AS(int, munmap, (void *address, size_t length), sluice_mapping_end(false, address, length))

/* Settles the files mapped in a range. -ESTALE: the files hold everything. */
static int settle_mapped(const char *address, size_t length)
{
    int error = -ESTALE;
    sluice_images_lock();
    for (struct mapping *each = mappings; each != NULL && error == -ESTALE; each = each->next) {
        if (overlap(each, address, address + length) > 0 && sluice_image_lock(each->image)) {
            error = sluice_image_settle_rest(each->image);
            sluice_lock_release(&each->image->lock);
        }
    }
    sluice_images_unlock();
    return error;
}

SLUICE_WRAPPER int msync(void *address, size_t length, int flags)
{
    const bool looks = (flags & MS_SYNC) && mapping_count > 0 && !sluice_guard_inside();
    const int error = looks ? settle_mapped(address, length) : -ESTALE;
    return error == -ESTALE ? REAL(msync)(address, length, flags) : (int)sluice_guard_result(error);
}

static void moved(const char *from, const char *to, size_t length, size_t more)
{
    sluice_images_lock();
    for (struct mapping *mapping = mappings; mapping != NULL; mapping = mapping->next) {
        if (mapping->from <= from && from < mapping->to) {
            mapping->from = to;
            mapping->to = to + length;
            mapping->left = length;
            if (mapping->writes) {
                count_plain(mapping->image, mapping->image->mapped_end + (int64_t)more,
                            (int64_t)more);
            }
        }
    }
    sluice_images_unlock();
}

void *sluice_mapping_move(bool by_number, void *address, size_t old_length, size_t length,
                          int flags, void *wanted)
{
    void *found = by_number
        ? (void *)REAL(syscall)(SYS_mremap, address, old_length, length, flags, wanted)
        : REAL(mremap)(address, old_length, length, flags, wanted);
    if (found != MAP_FAILED && mapping_count > 0 && !sluice_guard_inside())
        moved(address, found, length, length > old_length ? length - old_length : 0);
    return found;
}

SLUICE_AS(void *, mremap, (void *address, size_t old_length, size_t length, int flags, ...),
          sluice_mapping_move(false, address, old_length, length, flags,
                              SLUICE_NEXT(void *, flags)))

void sluice_mappings_in_child(void)
{
    mappings = NULL;
    mapping_count = 0;
}
