#include "creation_word.h"

#include <signal.h>
#include <unistd.h>

#include "capture.h"
#include "kernel.h"
#include "layout.h"
#include "segment.h"

/*
 * The protocol of the words in the header's table. A word belongs to the file whose hash it has, or
 * to none (0). Every process that opens a file below the capture directory looks at the file's word
 * after the open, unless the file is an image.
 *
 * The creator of the file stores SMALL if the word is 0. Another opener changes SMALL to 0, and so
 * knows that the file stays the kernel's. The creator turns SMALL into GROWING before it announces
 * the file. The change fails if an opener changed the word; the file then stays the kernel's for
 * the creator, too. An opener that finds GROWING announces its own opening, as of an image. The
 * creator stores 0 after the answer, so an opener that finds this 0 finds the image afterwards.
 *
 * While no file is left to the kernel yet (`small` below 0), the creator does all that at once. The
 * header may change at any moment so that others leave files to the kernel.
 *
 * An opener may find an empty file before its creator has stored the word. The opener stores OPENED
 * then, and the creator finds that. An opener that cannot be followed stores OPENED whatever the
 * file's size, as it looks only once. So the later of the two sees the other, whichever is stopped
 * in between.
 *
 * A word may be that of a dead process or of another file with a similar hash. Then the opener
 * asks, or leaves the file to the kernel. Both are right for any file.
 */
enum { FREE = 0, SMALL = 1, GROWING = 2, OPENED = 3, STATE = 3 };

#define TAG_SHIFT 24
#define PID_SHIFT 2
#define PID_MASK ((1 << (TAG_SHIFT - PID_SHIFT)) - 1)

static bool same_file(int64_t word, int64_t other)
{
    return (word & STATE) != FREE && (uint64_t)word >> TAG_SHIFT == (uint64_t)other >> TAG_SHIFT;
}

/*
 * Returns the place of a file's word, and the word as this process would store it, in state FREE.
 */
static _Atomic int64_t *place_of(dev_t device, ino_t inode, int64_t *word)
{
    const struct sluice_segment *segment = sluice_capture_segment();
    if (segment == NULL || segment->header->small == 0 || sluice_layout_tells_of_small(segment))
        return NULL;
    const uint64_t hash = sluice_segment_hash(device, inode);
    *word = (int64_t)(hash >> TAG_SHIFT << TAG_SHIFT)
        | (sluice_kernel_call(SYS_getpid) & PID_MASK) << PID_SHIFT;
    return &segment->header->small_files[hash % SLUICE_HEADER_SMALL_FILES];
}

static bool change(_Atomic int64_t *place, int64_t from, int64_t to)
{
    return atomic_compare_exchange_strong(place, &from, to);
}

static bool is_left_behind(int64_t word)
{
    return (word & STATE) != FREE
        && sluice_kernel_call(SYS_kill, word >> PID_SHIFT & PID_MASK, 0) == -ESRCH;
}

/* Handles a file that this call has created or emptied. -1: the word has just changed. */
static int begin(_Atomic int64_t *place, int64_t found, int64_t word, int state)
{
    if (found != FREE && !is_left_behind(found))
        return same_file(found, word) ? SLUICE_CREATION_PLAIN : SLUICE_CREATION_ASK;
    return change(place, found, word | state) ? SLUICE_CREATION_BEGIN : -1;
}

/*
 * Handles a file that existed. An empty one may be another process's that is about to store its
 * word.
 */
static int meet(_Atomic int64_t *place, int64_t found, int64_t word, bool empty)
{
    if (!empty || same_file(found, word))
        return SLUICE_CREATION_PLAIN;
    if (found != FREE)
        return SLUICE_CREATION_ASK;
    return change(place, FREE, word | OPENED) ? SLUICE_CREATION_PLAIN : -1;
}

/*
 * Returns whether an opening of a file that is no image makes no difference. A file with bytes in
 * it becomes an image only for a process that empties it. Such a process asks, and readers detect
 * the image themselves.
 */
static bool only_reads(const struct stat *status, int announced)
{
    return status->st_size > 0
        && (announced
            & (SLUICE_REQUEST_OPEN_WRITE | SLUICE_REQUEST_OPEN_CREATED
               | SLUICE_REQUEST_OPEN_DIRECT))
        == 0;
}

static bool is_image(const struct stat *status)
{
    return sluice_capture_image_state(status) != SLUICE_IMAGE_STATE_FREE;
}

static void share(int *announced)
{
    if (!(*announced & SLUICE_REQUEST_OPEN_DIRECT))
        *announced |= sluice_open_direct(SLUICE_REASON_SHARED);
}

/*
 * Returns whether to ask the I/O process about the file. While no file is left to the kernel, all
 * are asked about but those that are only read.
 */
static bool asks(const struct stat *status, int announced)
{
    const struct sluice_segment *segment = sluice_capture_segment();
    return segment != NULL && (segment->header->small < 0 || sluice_segment_filled(segment))
        && !only_reads(status, announced);
}

static enum sluice_creation look(const struct stat *status, int *announced, int *reason, bool ask)
{
    int64_t word;
    _Atomic int64_t *place = place_of(status->st_dev, status->st_ino, &word);
    const bool created = (*announced & SLUICE_REQUEST_OPEN_CREATED) != 0;
    int decided = place != NULL                               ? -1
        : only_reads(status, *announced) && !is_image(status) ? SLUICE_CREATION_PLAIN
                                                              : SLUICE_CREATION_ASK;
    *reason = SLUICE_REASON_EXISTING;
    while (decided < 0) {
        const int64_t found = atomic_load(place);
        const int state = same_file(found, word) ? found & STATE : FREE;
        *reason = created || state == SMALL ? SLUICE_REASON_SHARED : SLUICE_REASON_EXISTING;
        if (state == GROWING) {
            *announced |= SLUICE_REQUEST_OPEN_GROWN;
            share(announced);
            decided = SLUICE_CREATION_ASK;
        } else if (state == SMALL && !(created && is_left_behind(found))) {
            if (change(place, found, FREE) && !is_image(status))
                decided = SLUICE_CREATION_PLAIN;
        } else if (is_image(status) || (*announced & SLUICE_REQUEST_OPEN_DIRECT)) {
            decided = SLUICE_CREATION_ASK;
        } else {
            decided = created ? begin(place, found, word, ask ? GROWING : SMALL)
                : ask         ? SLUICE_CREATION_ASK
                              : meet(place, found, word, status->st_size == 0);
        }
    }
    return (enum sluice_creation)decided;
}

enum sluice_creation sluice_creation_look(const struct stat *status, int *announced, int *reason)
{
    const bool ask = asks(status, *announced);
    const enum sluice_creation found = look(status, announced, reason, ask);
    if (ask && found == SLUICE_CREATION_PLAIN)
        share(announced);
    return ask ? SLUICE_CREATION_ASK : found;
}

bool sluice_creation_leave(const struct stat *status, int *announced)
{
    struct stat empty = *status;
    int looked = *announced & SLUICE_REQUEST_OPEN_WRITE, reason;
    sluice_creation_take(status);
    empty.st_size = 0; /* size 0 makes OPENED stay */
    const bool plain = look(&empty, &looked, &reason, false) == SLUICE_CREATION_PLAIN;
    const int grown = looked & SLUICE_REQUEST_OPEN_GROWN;
    *announced |= grown;
    return plain || (grown == 0 && !is_image(status));
}

bool sluice_creation_holds(dev_t device, ino_t inode)
{
    int64_t word;
    const _Atomic int64_t *place = place_of(device, inode, &word);
    return place != NULL && atomic_load(place) == (word | SMALL);
}

bool sluice_creation_take(const struct stat *status)
{
    int64_t word;
    _Atomic int64_t *place = place_of(status->st_dev, status->st_ino, &word);
    const int64_t found = place == NULL ? FREE : atomic_load(place);
    return same_file(found, word) && (found & STATE) == SMALL && change(place, found, FREE);
}

bool sluice_creation_grow(dev_t device, ino_t inode)
{
    int64_t word;
    _Atomic int64_t *place = place_of(device, inode, &word);
    return place != NULL && change(place, word | SMALL, word | GROWING);
}

void sluice_creation_end(dev_t device, ino_t inode)
{
    int64_t word;
    _Atomic int64_t *place = place_of(device, inode, &word);
    if (place != NULL && !change(place, word | SMALL, FREE))
        change(place, word | GROWING, FREE);
}
