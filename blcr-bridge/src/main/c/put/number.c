#include "number.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each byte stands for a number. A lock of it ends with its process, however that ends. */
#define FILE_NAME "numbers"

/*
 * Returns the descriptor of the file, or a negative errno. The log of a series needs none. A user
 * who may write to the store may write to the file.
 */
static int open_numbers(const char *store)
{
    char path[PATH_MAX];
    struct stat directory;
    snprintf(path, sizeof path, "%s/containers", store);
    if (access(path, F_OK) != 0)
        return -ENOENT;
    snprintf(path, sizeof path, "%s/%s", store, FILE_NAME);
    const int fd =
        open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, S_IRUSR | S_IWUSR);
    if (fd < 0)
        return -errno;
    if (stat(store, &directory) == 0)
        fchmod(fd, directory.st_mode & 0666); /* another user's has its mode already */
    return fd;
}

int sluice_number_take(const char *store, int64_t number, bool shared)
{
    struct flock lock = {.l_type = shared ? F_RDLCK : F_WRLCK, .l_start = number, .l_len = 1};
    const int fd = open_numbers(store);
    if (fd < 0)
        return fd == -ENOENT ? 0 : fd;
    if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
        return 0; /* the descriptor is kept for its lock */
    const int error = errno;
    close(fd);
    if (error == ENOLCK || error == EOPNOTSUPP)
        return 0; /* where a file system has no locks nobody is kept out */
    return error == EAGAIN || error == EACCES ? -EBUSY : -error;
}
