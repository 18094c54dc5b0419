/* What becomes of descriptors of captured files: they are opened, shared, closed, or left to the kernel. */
#pragma once

#include "descriptors.h"

/* Looks whether the file of a watched description has become an image. */
void sluice_description_watch(int fd);

/* True while the offset of `fd` is kept here and its writes are logged. */
static inline bool sluice_description_logged(int fd)
{
    struct description *description = sluice_description_of(fd);
    if (description == NULL)
        return false;
    if (description->watched)
        sluice_description_watch(fd);
    return description->logged;
}

/*
 * Locks the image of a logged descriptor and enters the guard. NULL when the descriptor is (or has
 * by now become) the kernel's business, and always inside the guard.
 */
struct description *sluice_description_lock(int fd);
void sluice_description_unlock(struct description *description);

/*
 * Tells the I/O process that `fd` was just opened with `flags`, and keeps it from here on if it is
 * of a captured file. `announced` are SLUICE_REQUEST_OPEN_*. With `truncate` the file is then made
 * empty: an O_TRUNC that the kernel must not carry out beneath a log. 0 or a negative errno, with
 * which the opening fails. After -ESTALE the name stands for another file by now, to be opened
 * instead.
 */
int sluice_description_adopt(int fd, int flags, int announced, bool truncate);

/* `to` has become a duplicate of `from`. */
void sluice_description_share(int from, int to);

/* `fd` is about to be closed. 0, or the negative errno that its last writes met. */
int sluice_description_forget(int fd);

/* The image of `fd`, if it is logged, becomes direct, for a SLUICE_REASON_*. */
void sluice_descriptor_surrender(int fd, int reason);

/* The same, and the kernel counts nobody but programs that have its file open. */
void sluice_descriptor_let_go(int fd);

/* Before the first write to the log: it knows the file's end, the kernel does not. */
void sluice_description_append(struct description *description);

/*
 * Everything becomes direct, and no descriptor is known here any more; what they announced lasts
 * until the process ends.
 */
void sluice_descriptions_let_go(void);

/*
 * Threads of this process are to have descriptors of their own, of which one table cannot tell: from
 * here on none is followed.
 */
void sluice_descriptions_divide(void);

/* In a forked child all descriptors are the kernel's. */
void sluice_descriptions_in_child(void);
