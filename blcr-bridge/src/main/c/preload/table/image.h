/*
 * The captured files that this process has open, by inode.
 *
 * The first lock guards the list of images and the table of descriptors. The second, taken inside
 * it, is an image's: it guards its log and the offsets of its descriptions. Images and descriptions
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
    int openings; /* count of announced openings, each to be ended; 0 for a file that is no image */
    bool writable;                   /* announced for writing */
    bool small;                      /* not announced yet, see small.h */
    bool unsettled;                  /* written since the last settle */
    bool created;                    /* this process has made or emptied the file */
    bool fresh;                      /* created, and nothing was written yet */
    bool unstamped;                  /* written by this process since stamp() in image.c */
    int harms;                       /* count of reads or syncs after few writes, see usage.h */
    int64_t gained;                  /* bytes logged since the last of them */
    uint32_t kind;                   /* kind of its path, see usage.h */
    int mappings;                    /* count of memory mappings, which outlive the descriptions */
    int64_t mapped, mapped_end;      /* counted bytes of a file that is no image, and their end */
    bool of_dump;                    /* opened by the thread that writes the process down */
    unsigned life;                   /* the life in which it was opened */
    bool let_go;                     /* the I/O process has closed it: a program wants a lease */
    struct sluice_trace_file traced; /* the recording's name of the file */
    struct description *descriptions;
    struct image *next;
};

/* An open file description. */
struct description {
    _Atomic(struct image *) image;
    atomic_bool logged;  /* offset and O_APPEND are kept here; the kernel's are stale */
    atomic_bool watched; /* the file is no image, but may become one */
    atomic_bool tracked; /* for the recording: the offset is right although not logged */
    bool append;
    bool kernel_appends; /* the kernel has O_APPEND, until the first write */
    bool reads, writes;  /* as opened; neither for access mode 3 */
    int fd;              /* a descriptor of it */
    int descriptors;     /* count of its descriptors */
    int64_t offset;
    int64_t kernel; /* the kernel's offset while logged, unless another process moves it */
    struct description *next; /* the next one of the image */
};

/*
 * Return what a descriptor with these flags of open(2) may do. Linux has access mode 3, which
 * allows neither.
 */
static inline bool sluice_flags_read(int flags)
{
    return (flags & O_ACCMODE) == O_RDONLY || (flags & O_ACCMODE) == O_RDWR;
}

static inline bool sluice_flags_write(int flags)
{
    return (flags & O_ACCMODE) == O_WRONLY || (flags & O_ACCMODE) == O_RDWR;
}

/* Takes the lock above all image locks; enters the guard. */
void sluice_images_lock(void);
void sluice_images_unlock(void);

/*
 * Finds or makes the image of `fd`, announced to the I/O process with SLUICE_REQUEST_OPEN_* flags.
 * -ESTALE: the image was committed, and its name stands for another file by now. Any other errno:
 * leave the file alone. The images are locked.
 */
int sluice_image_open(int fd, const struct stat *status, int announced, const char *path,
                      struct image **image);

/*
 * Returns whether an errno of sluice_image_open() is a refusal by the I/O process. The file is then
 * not what it should be, and no program may open it. Any other errno means that nobody is there to
 * log the file.
 */
bool sluice_image_refused(int error);

/*
 * Announces a file that was no image when it was opened, if another process has made it one. The
 * images are locked.
 */
void sluice_image_watch(struct image *image, int fd);

/*
 * Prepares the close of a description for writing. If possible, gives the file the length and time
 * of modification that other programs expect. The image is locked, and the images are, too.
 */
void sluice_image_closing(struct image *image);

/*
 * Ends the openings of an image; its descriptions become the kernel's. Returns the drain's negative
 * errno or 0. The image is locked.
 */
int sluice_image_end(struct image *image);

/*
 * Ends the openings and frees the image, if nothing refers to it any more. The image is locked, and
 * the images are, too.
 */
int sluice_image_release(struct image *image);

/*
 * Makes the image direct, for a SLUICE_REASON_*, and gives the kernel every offset. The image is
 * locked.
 */
void sluice_image_surrender(struct image *image, int reason);

/*
 * Prepares the sync of a direct image: writes what its file could not take when the image became
 * direct. So lost bytes are never called durable. -ESTALE: the kernel has all. The image is locked.
 */
int sluice_image_settle_rest(struct image *image);

/*
 * Returns the size of a logged image in bytes, or a negative errno as sluice_log_size() does. The
 * image is locked.
 */
int64_t sluice_image_size(struct image *image);

/* Announces an opening, with SLUICE_REQUEST_OPEN_* flags. 0 or a negative errno. */
int sluice_image_announce(int fd, const struct stat *status, int announced, const char *path,
                          struct sluice_disposition *disposition);

/*
 * Makes the image of a file direct, if this process has the file open, and returns true then. The
 * caller must not open and close the file: a close would lose the process's locks on it.
 */
bool sluice_images_surrender_file(const struct stat *status, int reason);

/* Says on standard error that the bytes written to the file may be incomplete, and why. */
void sluice_image_incomplete(const struct image *image, const char *why);

/*
 * Makes the file hold everything written, before a process reads it. -ESTALE: use the file. The
 * image is locked.
 */
int sluice_image_settle(struct image *image);

/* Empties the image, as an O_TRUNC kept back from the kernel would. The image is locked. */
int sluice_image_empty(struct image *image, int fd);

/* Ends the images closed while the segment was not mapped. The images are locked. */
void sluice_images_tidy(void);

/* Locks the images; false if another thread holds the lock longer than any running thread does. */
bool sluice_images_try_lock(void);

/*
 * Locks an image. False in a restarted process for the image that it was written down to: only the
 * process that was written down had that open.
 */
bool sluice_image_lock(struct image *image);

/* Does `action` to every image, locked, with a reason. */
void sluice_images_each(void (*action)(struct image *image, int reason), int reason);

void sluice_images_surrender(int reason);

/*
 * Surrenders every image, and makes all that are opened later direct: they are written in unseen
 * ways.
 */
void sluice_images_go_direct(int reason);

/* Returns why all files are direct; SLUICE_REASON_NONE while they need not be. */
int sluice_images_all_direct(void);

/*
 * Around fork: the first takes all locks and surrenders all images. The others release the locks in
 * the parent, and forget everything in the child.
 */
void sluice_images_before_fork(void);
void sluice_images_after_fork(void);
void sluice_images_in_child(void);
