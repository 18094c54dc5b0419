/* The closing and duplicating of descriptors, and fcntl(). */
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "description.h"
#include "real.h"

SLUICE_WRAPPER int close(int fd)
{
    if (sluice_description_of(fd) == NULL)
        return REAL(close)(fd);
    sluice_guard_hold();
    const int error = sluice_description_forget(fd);
    const int result = REAL(close)(fd);
    sluice_guard_release();
    return error != 0 && result == 0 ? (int)sluice_guard_result(error) : result;
}

SLUICE_WRAPPER int close_range(unsigned first, unsigned last, int flags)
{
    if (flags & CLOSE_RANGE_UNSHARE)
        sluice_descriptions_divide();
    sluice_guard_hold();
    if (!(flags & CLOSE_RANGE_CLOEXEC))
        for (unsigned fd = first; fd <= last && fd < SLUICE_DESCRIPTORS; fd++)
            sluice_description_forget((int)fd);
    const int result = REAL(close_range)(first, last, flags);
    sluice_guard_release();
    return result;
}

SLUICE_AS(void, closefrom, (int first),
          (void)close_range(first < 0 ? 0 : (unsigned)first, UINT_MAX, 0))
SLUICE_AFTER(int, dup, (int fd), (fd), if (result >= 0) sluice_description_share(fd, result))

static int duplicate_unseen(int from, int to, int flags)
{
    return flags == 0 ? REAL(dup2)(from, to) : REAL(dup3)(from, to, flags);
}

/* The kernel closes the former file of `to`, unless the call fails because `from` is bad. */
static int duplicate(int from, int to, int flags)
{
    if (sluice_description_of(from) == NULL && sluice_description_of(to) == NULL)
        return duplicate_unseen(from, to, flags);
    sluice_guard_hold();
    if (sluice_description_of(to) != NULL && REAL(fcntl)(from, F_GETFD) >= 0)
        sluice_description_forget(to);
    const int copy = duplicate_unseen(from, to, flags);
    if (copy >= 0)
        sluice_description_share(from, copy);
    sluice_guard_release();
    return copy;
}

SLUICE_AS(int, dup2, (int from, int to), from == to ? REAL(dup2)(from, to) : duplicate(from, to, 0))
SLUICE_AS(int, dup3, (int from, int to, int flags),
          from == to ? REAL(dup3)(from, to, flags) : duplicate(from, to, flags))

/* While the file is logged, O_APPEND is kept here; O_DIRECT leaves no room for a log. */
static int set_flags(int fd, long flags)
{
    if (flags & O_DIRECT)
        sluice_descriptor_surrender(fd, SLUICE_REASON_O_DIRECT);
    struct description *description = sluice_description_lock(fd);
    if (description == NULL) {
        description = sluice_description_of(fd);
        if (description != NULL)
            description->append = (flags & O_APPEND) != 0;
        return REAL(fcntl)(fd, F_SETFL, flags);
    }
    const int result = REAL(fcntl)(fd, F_SETFL, flags & ~O_APPEND);
    const int error = errno;
    if (result >= 0) {
        description->append = (flags & O_APPEND) != 0;
        description->kernel_appends = false;
    }
    sluice_description_unlock(description);
    return result < 0 ? (int)sluice_guard_result(-error) : result;
}

static int get_flags(int fd)
{
    struct description *description = sluice_description_lock(fd);
    if (description == NULL)
        return REAL(fcntl)(fd, F_GETFL);
    const int flags = REAL(fcntl)(fd, F_GETFL) | (description->append ? O_APPEND : 0);
    sluice_description_unlock(description);
    return flags;
}

/* Commands newer than the C library's headers. */
#define SLUICE_F_DUPFD_QUERY 1027
#define SLUICE_F_CREATED_QUERY 1028

/*
 * Returns whether the log can follow a command. A lock from the file's start is harmless: another
 * process with the file open has made its image direct. A lock from the offset or the end needs the
 * kernel's offset or end. Unknown commands may do anything.
 */
static bool follows(int command, const struct flock *lock)
{
    static const int locks[] = {F_GETLK, F_SETLK, F_SETLKW, F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW};
    static const int others[] = {F_DUPFD,
                                 F_DUPFD_CLOEXEC,
                                 SLUICE_F_DUPFD_QUERY,
                                 SLUICE_F_CREATED_QUERY,
                                 F_GETFD,
                                 F_SETFD,
                                 F_GETOWN,
                                 F_SETOWN,
                                 F_GETOWN_EX,
                                 F_SETOWN_EX,
                                 F_GETSIG,
                                 F_SETSIG,
                                 F_GET_SEALS,
                                 F_GET_RW_HINT,
                                 F_SET_RW_HINT,
                                 F_GET_FILE_RW_HINT,
                                 F_SET_FILE_RW_HINT};
    for (size_t i = 0; i < sizeof locks / sizeof *locks; i++)
        if (command == locks[i])
            return lock == NULL || lock->l_whence == SEEK_SET;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (command == others[i])
            return true;
    return false;
}

/*
 * Prepares for a lease, which the kernel gives when nobody else has the file open: the I/O process
 * closes it. A descriptor from another program is announced first.
 */
static void prepare_lease(int fd)
{
    struct stat status;
    if (!sluice_capture_on() || sluice_guard_inside())
        return;
    const int flags = REAL(fcntl)(fd, F_GETFL);
    if (sluice_description_of(fd) == NULL && flags >= 0 && REAL(fstat)(fd, &status) == 0
        && sluice_capture_image_state(&status) != SLUICE_IMAGE_STATE_FREE) {
        sluice_description_adopt(
            fd, flags,
            sluice_open_direct(SLUICE_REASON_LOCK)
                | ((flags & O_ACCMODE) != O_RDONLY ? SLUICE_REQUEST_OPEN_WRITE : 0),
            false);
    }
    sluice_descriptor_let_go(fd);
}

SLUICE_WRAPPER int fcntl(int fd, int command, ...)
{
    void *argument = SLUICE_NEXT(void *, command);
    if (command == F_SETLEASE && (long)argument != F_UNLCK)
        prepare_lease(fd);
    if (sluice_description_of(fd) == NULL)
        return REAL(fcntl)(fd, command, argument);
    if (command == F_GETFL)
        return get_flags(fd);
    if (command == F_SETFL)
        return set_flags(fd, (long)argument);
    if (!follows(command, argument))
        sluice_descriptor_surrender(fd, SLUICE_REASON_LOCK);
    const int result = REAL(fcntl)(fd, command, argument);
    if (result >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC))
        sluice_description_share(fd, result);
    return result;
}
