/*
 * The captured files that this process has open, by inode.
 *
 * Locks, in the order they are taken: one for the list of images and the table of descriptors, then
 * one per image, which guards its log and the offsets of its descriptions. Images and descriptions
 * are recycled but never unmapped, and their locks are initialised once. So a thread that raced
 * with close() and holds a stale pointer can lock, look at the table again and step back.
 */
#pragma once

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture.h"
#include "guard.h"
#include "trace.h"

struct image {
    struct sluice_lock lock;
    struct sluice_log_image log;
    dev_t device;
    ino_t inode;
    int openings;   /* announced, each to be ended; 0 for a file that is no image */
    bool writable;  /* announced for writing */
    bool small;     /* not announced yet, see small.h */
    bool unsettled; /* written since the last settle */
    bool created;   /* by this process, or emptied */
    bool fresh;     /* the same, and nothing was written yet */
    bool unstamped; /* written by this process since stamp() in image.c */
    int harms;      /* by being read or synchronised with little written before, see usage.h */
    int64_t gained; /* bytes logged since */
    uint32_t kind;  /* of its path, see usage.h */
    int mappings;   /* into memory; they outlive the descriptions */
    int64_t mapped,
        mapped_end; /* bytes that were counted, of a file that is no image, and their end */
    bool of_dump;   /* opened by the thread that writes the process down */
    bool let_go;    /* by the I/O process: a program wants a lease on it */
    struct sluice_trace_file traced; /* the recording's */
    struct description *descriptions;
    struct image *next;
};

/* An open file description. */
struct description {
    _Atomic(struct image *) image;
    atomic_bool logged;  /* offset and O_APPEND are kept here; the kernel's are stale */
    atomic_bool watched; /* of a file that is no image, but may become one */
    atomic_bool tracked; /* the recording's: the offset is right although not logged */
    bool append;
    bool
        kernel_appends; /* O_APPEND is still the kernel's; it is taken away before the first write */
    bool reads, writes; /* what it was opened for; access mode 3 is for neither */
    int fd;             /* one of its descriptors */
    int descriptors;    /* how many there are */
    int64_t offset;
    int64_t kernel;           /* the kernel's offset while logged, if nobody else has moved it */
    struct description *next; /* of the same image */
};

/* What a descriptor with these flags of open(2) may do. Linux has a third way: mode 3 may do neither. */
static inline bool sluice_flags_read(int flags)
{
    return (flags & O_ACCMODE) == O_RDONLY || (flags & O_ACCMODE) == O_RDWR;
}

static inline bool sluice_flags_write(int flags)
{
    return (flags & O_ACCMODE) == O_WRONLY || (flags & O_ACCMODE) == O_RDWR;
}

/* The lock above all image locks; enters the guard. */
void sluice_images_lock(void);
void sluice_images_unlock(void);

/*
 * The image that `fd` was opened on, announced to the I/O process with SLUICE_REQUEST_OPEN_* flags;
 * -ESTALE when it was committed, so that its name stands for another file by now. Any other errno
 * says that it is to be left alone. The images are locked.
 */
int sluice_image_open(int fd, const struct stat *status, int announced, const char *path,
                      struct image **image);

/*
 * Whether an errno of sluice_image_open is the I/O process's refusal: the file is not what it
 * should be, so that nobody may open it. Any other only means that there is nobody to log it.
 */
bool sluice_image_refused(int error);

/*
 * An image that was no image yet when it was opened: announces it if it has become one, because
 * another process made it anew. The images are locked.
 */
void sluice_image_watch(struct image *image, int fd);

/*
 * A description for writing is about to be closed: programs outside find the file as long and as new as it is then,
 * if it can be. Locked; the images are locked, too.
 */
void sluice_image_closing(struct image *image);

/* Ends the openings of an image; its descriptions become the kernel's. Locked. The drain's
 * errno. */
int sluice_image_end(struct image *image);

/* The same, and the image is gone, if nothing refers to it any more. The images are locked too. */
int sluice_image_release(struct image *image);

/*
 * The kernel takes over: the image becomes direct, for a SLUICE_REASON_*, and the kernel gets every
 * offset. Locked.
 */
void sluice_image_surrender(struct image *image, int reason);

/*
 * Before a direct image is synchronised: tries again to put what its file could not be given when it became
 * direct, so that nobody is told that lost bytes are durable. -ESTALE: the kernel has all. Locked.
 */
int sluice_image_settle_rest(struct image *image);

/* The size of a logged image, or a negative errno as sluice_log_size() has it. Locked. */
int64_t sluice_image_size(struct image *image);

/* Announces an opening, with SLUICE_REQUEST_OPEN_* flags. 0 or a negative errno. */
int sluice_image_announce(int fd, const struct stat *status, int announced, const char *path,
                          struct sluice_disposition *disposition);

/*
 * If this process has a file open: its image becomes direct, and the answer is true. Who closed a
 * descriptor of the file would lose the locks that the process has on it.
 */
bool sluice_images_surrender_file(const struct stat *status, int reason);

/* Says on standard error that what was written to the file may be incomplete, and why. */
void sluice_image_incomplete(const struct image *image, const char *why);

/* The file is made to hold everything written, before a process reads it. Locked. -ESTALE: use
 * it. */
int sluice_image_settle(struct image *image);

/* An O_TRUNC kept back from the kernel. Locked. */
int sluice_image_empty(struct image *image, int fd);

/* Ends what was closed while the segment was away. The images are locked. */
void sluice_images_tidy(void);

/* False, unlocked, if another thread has the lock for longer than any does that runs. */
bool sluice_images_try_lock(void);

/*
 * Locks an image. False if that is what the process was written down to: where it is brought back,
 * the image is locked by a thread that was just writing it, for ever, and of no use.
 */
bool sluice_image_lock(struct image *image);

/* Does `action` to every image, locked, for a reason. */
void sluice_images_each(void (*action)(struct image *image, int reason), int reason);

/* Surrenders every image. */
void sluice_images_surrender(int reason);

/* The same, and so does all that is opened later: it is written in unseen ways. */
void sluice_images_go_direct(int reason);

/* The reason why all that is opened is direct; SLUICE_REASON_NONE while it need not be. */
int sluice_images_all_direct(void);

/* Around fork: all locks are taken and all images surrendered; then released; or all forgotten. */
void sluice_images_before_fork(void);
void sluice_images_after_fork(void);
void sluice_images_in_child(void);
