/*
 * The fate of descriptors of captured files: they are opened, shared, closed, or left to the
 * kernel.
 */
#pragma once

#include "descriptors.h"

/* Notices if the file of a watched description has become an image. */
void sluice_description_watch(int fd);

/* Returns whether the offset of `fd` is kept here and its writes are logged. */
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
 * Locks the image of a logged descriptor and enters the guard. NULL when the kernel writes for the
 * descriptor, and always inside the guard.
 */
struct description *sluice_description_lock(int fd);
void sluice_description_unlock(struct description *description);

/*
 * Announces that `fd` was just opened with `flags`, and keeps it if it is of a captured file.
 * `announced` are SLUICE_REQUEST_OPEN_*. With `truncate` the file is then emptied: an O_TRUNC that
 * the kernel must not carry out beneath a log. Returns 0 or a negative errno, with which the
 * opening fails. After -ESTALE the name stands for another file, to be opened instead.
 */
int sluice_description_adopt(int fd, int flags, int announced, bool truncate);

/* Notes that `to` has become a duplicate of `from`. */
void sluice_description_share(int from, int to);

/*
 * Forgets `fd`, which is about to be closed. Returns 0, or the negative errno that its last writes
 * met.
 */
int sluice_description_forget(int fd);

/* Makes the image of `fd`, if it is logged, direct, for a SLUICE_REASON_*. */
void sluice_descriptor_surrender(int fd, int reason);

/*
 * Makes the image direct, and has the I/O process close its file. So the kernel counts only
 * programs that have it open.
 */
void sluice_descriptor_let_go(int fd);

/*
 * Takes O_APPEND from the kernel before the first logged write: the log knows the file's end, the
 * kernel does not.
 */
void sluice_description_append(struct description *description);

/*
 * Makes everything direct and forgets every descriptor. Their announcements last until the process
 * ends.
 */
void sluice_descriptions_let_go(void);

/*
 * Stops following descriptors, because threads of this process are to have their own, which one
 * table cannot hold.
 */
void sluice_descriptions_divide(void);

/* Leaves all descriptors to the kernel, in a forked child. */
void sluice_descriptions_in_child(void);
