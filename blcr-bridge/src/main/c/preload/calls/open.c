#include "open.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "creation_word.h"
#include "description.h"
#include "early_attach.h"
#include "go.h"
#include "mpi.h"
#include "opening.h"
#include "presence.h"
#include "queues.h"
#include "real.h"
#include "segment.h"
#include "usage.h"

#define ATTEMPTS 4

/* A plan to open a file so that afterwards it is known if this call created or emptied it. */
struct plan {
    int flags;       /* flags of the real call */
    bool created;    /* if the call succeeds, the file is new or empty */
    bool exclusive;  /* O_EXCL is our addition */
    bool truncate;   /* O_TRUNC is kept back until the image's log knows of this process */
    struct stat old; /* the file of this name so far; st_ino 0 for none */
};

static bool writes(int flags)
{
    return (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC);
}

/* Returns whether the flags make a file that a link may name later. */
static bool makes_nameless(int flags)
{
    return (flags & O_TMPFILE) == O_TMPFILE && !(flags & O_EXCL) && writes(flags);
}

static int request_replace(const struct stat *status, int flags, const char *name)
{
    struct sluice_client *client = sluice_capture_client();
    if (client == NULL)
        return -EIO;
    sluice_guard_enter();
    const int error = sluice_client_replace(client, status->st_dev, status->st_ino, flags, name);
    sluice_guard_leave();
    return error;
}

/* Gives the name of a committed image, which must not change, to a fresh file. */
static int replace(int dirfd, const char *path, const struct stat *status, bool truncate)
{
    const int fd = REAL(openat)(dirfd, path, O_PATH | O_CLOEXEC);
    struct stat found;
    char name[PATH_MAX];
    if (fd < 0)
        return errno == ENOENT ? 0 : -errno;
    const bool same = sluice_capture_file(fd, &found, name) && found.st_ino == status->st_ino;
    REAL(close)(fd);
    return same ? request_replace(status, truncate ? SLUICE_REQUEST_REPLACE_TRUNCATE : 0, name) : 0;
}

static int look_up(int dirfd, const char *path, int flags, struct stat *status)
{
    return REAL(fstatat)(dirfd, path, status, flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0);
}

/*
 * Asks the I/O process to give back a lease on the file before this process opens it. Only where
 * the kernel lets programs wait in no other way.
 */
static void ask_lease_back(int dirfd, const char *path, int flags)
{
    const struct sluice_segment *segment = sluice_capture_segment();
    struct stat status;
    if (segment == NULL || ((flags & O_CREAT) && (flags & O_EXCL))
        || atomic_load_explicit(&segment->header->leases, memory_order_relaxed) == 0
        || look_up(dirfd, path, flags, &status) != 0) {
        return;
    }
    const int state = sluice_capture_image_state(&status);
    if (state == SLUICE_IMAGE_STATE_DIVERTED || state == SLUICE_IMAGE_STATE_COMMITTED)
        request_replace(&status, SLUICE_REQUEST_REPLACE_NONE, "");
}

/*
 * Returns whether a fresh file is to take the name. A committed image must not change. On a job of
 * several nodes, a file that is no image may be open on a node that is taken for dead.
 */
static bool wants_fresh(int dirfd, const char *path, int state, int flags)
{
    if (state != SLUICE_IMAGE_STATE_FREE || !(flags & O_TRUNC))
        return state == SLUICE_IMAGE_STATE_COMMITTED && writes(flags);
    const struct sluice_client *client = sluice_capture_client();
    return client != NULL && sluice_client_asks(client)
        && faccessat(dirfd, path, W_OK, AT_EACCESS) == 0;
}

static int plan_existing(int dirfd, const char *path, struct plan *plan)
{
    int state = sluice_capture_image_state(&plan->old);
    if (wants_fresh(dirfd, path, state, plan->flags)) {
        const int error = replace(dirfd, path, &plan->old, (plan->flags & O_TRUNC) != 0);
        if (error != 0 && state == SLUICE_IMAGE_STATE_COMMITTED)
            return error;
        if (look_up(dirfd, path, plan->flags, &plan->old) != 0)
            plan->old.st_ino = 0;
        state = sluice_capture_image_state(&plan->old);
    }
    if (state == SLUICE_IMAGE_STATE_DIVERTED && (plan->flags & O_TRUNC)) {
        plan->flags &= ~O_TRUNC;
        plan->truncate = true;
    }
    plan->created = (plan->flags & O_TRUNC) != 0;
    return 0;
}

/*
 * Makes a plan. The first attempt does not look for the file, since most files that a call may
 * create do not exist.
 */
static int make_plan(int dirfd, const char *path, int flags, bool looks, struct plan *plan)
{
    *plan = (struct plan){.flags = flags, .created = makes_nameless(flags)};
    if (plan->created)
        return 0;
    if ((flags & O_CREAT) && ((flags & O_EXCL) || !looks)) {
        plan->flags |= O_EXCL;
        plan->created = true;
        plan->exclusive = (flags & O_EXCL) == 0;
        return 0;
    }
    if (!writes(flags) && !(flags & O_CREAT))
        return 0;
    if (look_up(dirfd, path, flags, &plan->old) == 0)
        return S_ISREG(plan->old.st_mode) ? plan_existing(dirfd, path, plan) : 0;
    plan->old.st_ino = 0;
    if (flags & O_CREAT) {
        plan->flags |= O_EXCL;
        plan->created = true;
        plan->exclusive = true;
    }
    return 0;
}

static int adopt(int fd, int flags, const struct plan *plan)
{
    struct stat status;
    if (writes(flags)) {
        sluice_go_look();
        sluice_queues_look();
    }
    bool created = plan->created;
    if (plan->old.st_ino != 0 && REAL(fstat)(fd, &status) == 0 && (flags & O_CREAT)
        && status.st_ino != plan->old.st_ino) {
        created = status.st_size == 0; /* removed in between, so created after all */
    }
    const bool made = makes_nameless(flags)
        || (plan->created && (plan->flags & O_CREAT) && (plan->flags & O_EXCL));
    const bool empty = created || plan->truncate;
    const bool unwritable = plan->truncate && !sluice_flags_write(flags);
    const int asked = sluice_images_all_direct();
    const int reason = flags & O_DIRECT           ? SLUICE_REASON_O_DIRECT
        : flags & O_DSYNC                         ? SLUICE_REASON_SYNC
        : unwritable                              ? SLUICE_REASON_CONTROL
        : asked != SLUICE_REASON_NONE             ? asked
        : made && sluice_usage_is_database(flags) ? SLUICE_REASON_READ
                                                  : SLUICE_REASON_NONE;
    const int announced = (empty ? SLUICE_REQUEST_OPEN_CREATED : 0)
        | (made ? SLUICE_REQUEST_OPEN_MADE : 0)
        | (empty || writes(flags) ? SLUICE_REQUEST_OPEN_WRITE : 0)
        | (sluice_mpi_opening() ? SLUICE_REQUEST_OPEN_MPI : 0)
        | (reason != SLUICE_REASON_NONE ? sluice_open_direct(reason) : 0);
    return sluice_description_adopt(fd, flags, announced, plan->truncate);
}

/*
 * Opens the file by the plan: 0 and a descriptor. -ESTALE, or -EEXIST if O_EXCL is ours: the name
 * stands for another file than before, and a new plan is needed.
 */
static int open_planned(int dirfd, const char *path, int flags, mode_t mode,
                        const struct plan *plan, int *opened)
{
    if (plan->truncate && faccessat(dirfd, path, W_OK, AT_EACCESS) != 0)
        return -errno;
    const int fd = SLUICE_OPENING(REAL(openat)(dirfd, path, plan->flags, mode));
    if (fd < 0)
        return -errno;
    const int error = adopt(fd, flags, plan);
    if (error != 0) {
        sluice_description_forget(fd);
        REAL(close)(fd);
        return error;
    }
    *opened = fd;
    return 0;
}

/*
 * Makes a last attempt, without O_EXCL: there is a dangling link, or another process creates and
 * removes all the time.
 */
static int open_as_asked(int dirfd, const char *path, int flags, mode_t mode, int *opened)
{
    struct stat status;
    const int fd = SLUICE_OPENING(REAL(openat)(dirfd, path, flags, mode));
    if (fd < 0)
        return -errno;
    const struct plan plan = {.flags = flags,
                              .created = REAL(fstat)(fd, &status) == 0 && status.st_size == 0
                                  && sluice_capture_image_state(&status)
                                      == SLUICE_IMAGE_STATE_FREE};
    adopt(fd, flags, &plan);
    *opened = fd;
    return 0;
}

static bool left_alone(int flags)
{
    return !sluice_capture_on() || sluice_guard_inside() || (flags & O_PATH)
        || ((flags & O_DIRECTORY) && !makes_nameless(flags));
}

/*
 * Returns whether the file lists the process's mappings. A library that reads it may be about to
 * replace them.
 */
static bool tells_mappings(const char *path)
{
    static const char proc[] = "/proc/";
    if (strncmp(path, proc, sizeof proc - 1) != 0)
        return false;
    const char *name = strrchr(path, '/');
    return strcmp(name, "/maps") == 0 || strcmp(name, "/smaps") == 0
        || strcmp(name, "/pagemap") == 0;
}

int sluice_open(int dirfd, const char *path, int flags, mode_t mode)
{
    if (sluice_capture_on() && path != NULL && tells_mappings(path))
        sluice_presence_doubt();
    sluice_early_touch(dirfd, path);
    if (left_alone(flags))
        return REAL(openat)(dirfd, path, flags, mode);
    const int before = errno;
    struct plan plan = {0};
    int fd = -1, error = -ESTALE;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        ask_lease_back(dirfd, path, flags);
        error = make_plan(dirfd, path, flags, attempt > 0, &plan);
        if (error == 0)
            error = open_planned(dirfd, path, flags, mode, &plan, &fd);
        if (error != -ESTALE && !(error == -EEXIST && plan.exclusive))
            break;
    }
    if (error == -ESTALE || (error == -EEXIST && plan.exclusive))
        error = open_as_asked(dirfd, path, flags, mode, &fd);
    errno = error == 0 ? before : -error;
    return fd;
}

/*
 * Returns whether the kernel's offset is stale because the owner keeps its own. Most files are
 * written from beginning to end, so the owner is at the end. The image may be direct by now without
 * its owner's knowledge.
 */
static bool owner_keeps_offset(int fd, int flags, int state)
{
    const bool unnoticed = state == SLUICE_IMAGE_STATE_DIRECT && (flags & O_ACCMODE) == O_WRONLY
        && REAL(lseek)(fd, 0, SEEK_CUR) == 0;
    return state == SLUICE_IMAGE_STATE_DIVERTED || unnoticed;
}

void sluice_open_shared(int fd)
{
    struct stat status;
    if (left_alone(0) || REAL(fstat)(fd, &status) != 0)
        return;
    if (sluice_creation_take(&status)) {
        REAL(lseek)(fd, 0, SEEK_END);
        return;
    }
    const int state = sluice_capture_image_state(&status);
    const int flags = REAL(fcntl)(fd, F_GETFL);
    if (state == SLUICE_IMAGE_STATE_FREE || flags < 0
        || sluice_images_surrender_file(&status, SLUICE_REASON_PASSED)) {
        return;
    }
    const int written = writes(flags) ? SLUICE_REQUEST_OPEN_WRITE : 0;
    sluice_description_adopt(fd, flags, sluice_open_direct(SLUICE_REASON_PASSED) | written, false);
    if (owner_keeps_offset(fd, flags, state))
        REAL(lseek)(fd, 0, SEEK_END);
}

void sluice_open_settle(int dirfd, const char *path, int flags)
{
    struct stat status;
    const int before = errno;
    if (left_alone(0) || REAL(fstatat)(dirfd, path, &status, 0) != 0) {
        errno = before;
        return;
    }
    int64_t size; /* an image has one as long as its own file may lack bytes */
    const struct sluice_segment *segment = sluice_capture_segment();
    if (segment != NULL && sluice_segment_size(segment, status.st_dev, status.st_ino, &size)
        && !sluice_images_surrender_file(&status, SLUICE_REASON_CONTROL)) {
        const int fd = sluice_open(dirfd, path, flags | O_CLOEXEC, 0);
        if (fd >= 0) {
            sluice_descriptor_surrender(fd, SLUICE_REASON_CONTROL);
            close(fd);
        }
    }
    errno = before;
}

/* Returns the third argument if the flags announce it, which those of __open_2() do not. */
#define MODE_OF(flags)                                                                             \
    ((flags) & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? SLUICE_NEXT(mode_t, flags) : 0)

SLUICE_AS(int, open, (const char *path, int flags, ...),
          sluice_open(AT_FDCWD, path, flags, MODE_OF(flags)))
SLUICE_AS(int, openat, (int dirfd, const char *path, int flags, ...),
          sluice_open(dirfd, path, flags, MODE_OF(flags)))
SLUICE_AS(int, creat, (const char *path, mode_t mode),
          sluice_open(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode))

SLUICE_WRAPPER int mkostemps(char *template, int suffix, int flags)
{
    const int fd = REAL(mkostemps)(template, suffix, flags);
    if (fd >= 0 && !left_alone(0)) {
        sluice_description_adopt(fd, O_RDWR | flags,
                                 SLUICE_REQUEST_OPEN_CREATED | SLUICE_REQUEST_OPEN_MADE
                                     | SLUICE_REQUEST_OPEN_WRITE,
                                 false);
    }
    return fd;
}

SLUICE_AS(int, mkstemp, (char *template), mkostemps(template, 0, 0))
SLUICE_AS(int, mkostemp, (char *template, int flags), mkostemps(template, 0, flags))
SLUICE_AS(int, mkstemps, (char *template, int suffix), mkostemps(template, suffix, 0))

/* ---- openings without a name, or in a way that only the kernel knows ---- */

/*
 * Opens the file behind `path_fd`, which it closes, as openat() would open its name. -1 and ENOENT
 * for a file without a name.
 */
static int open_found(int path_fd, int flags)
{
    struct stat status, named;
    char path[PATH_MAX];
    if (path_fd < 0)
        return -1;
    const int before = errno;
    errno = ENOENT;
    int fd = -1;
    if (!left_alone(flags) && sluice_capture_file(path_fd, &status, path)) {
        if (path[0] == '\0') /* the name is too long */
            snprintf(path, sizeof path, "/proc/thread-self/fd/%d", path_fd);
        const bool has_name = REAL(fstatat)(AT_FDCWD, path, &named, 0) == 0
            && named.st_ino == status.st_ino && named.st_dev == status.st_dev;
        errno = ENOENT;
        if (has_name)
            fd = sluice_open(AT_FDCWD, path, flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW), 0);
    }
    const int after = errno;
    REAL(close)(path_fd);
    errno = fd >= 0 ? before : after;
    return fd;
}

SLUICE_WRAPPER int open_by_handle_at(int mount, struct file_handle *handle, int flags)
{
    if (left_alone(flags))
        return REAL(open_by_handle_at)(mount, handle, flags);
    const int fd = open_found(REAL(open_by_handle_at)(mount, handle, O_PATH | O_CLOEXEC), flags);
    return fd >= 0 || errno != ENOENT ? fd : REAL(open_by_handle_at)(mount, handle, flags);
}

/* Opens an existing file by its name; lets the kernel make a new one as asked. */
long sluice_open_by_how(int dirfd, const char *path, const struct open_how *how, size_t size)
{
    const bool asked = how == NULL || size < sizeof *how; /* a probe whether there is such a call */
    if (asked || left_alone((int)how->flags))
        return REAL(syscall)(SYS_openat2, dirfd, path, how, size);
    const int flags = (int)how->flags;
    struct open_how look = {.flags = O_PATH | O_CLOEXEC | (flags & (O_NOFOLLOW | O_DIRECTORY)),
                            .resolve = how->resolve};
    const bool exclusive = (flags & O_CREAT) && (flags & O_EXCL);
    const int there =
        exclusive ? -1 : (int)REAL(syscall)(SYS_openat2, dirfd, path, &look, sizeof look);
    if (there >= 0) {
        const int found = open_found(there, flags);
        if (found >= 0 || errno != ENOENT)
            return found;
    }
    const int fd = (int)SLUICE_OPENING(REAL(syscall)(SYS_openat2, dirfd, path, how, size));
    struct stat status;
    if (fd >= 0 && REAL(fstat)(fd, &status) == 0 && S_ISREG(status.st_mode)
        && ((flags & O_CREAT) || makes_nameless(flags)) && status.st_size == 0) {
        sluice_description_adopt(fd, flags, SLUICE_REQUEST_OPEN_CREATED | SLUICE_REQUEST_OPEN_WRITE,
                                 false);
    }
    return fd;
}
