#include "number.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* Each byte stands for a number. A lock of it ends with its process, however that ends. */
#define FILE_NAME "numbers"

/* Returns the descriptor of the file, or a negative errno. The log of a series needs none. */
static int open_numbers(const char *store)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/containers", store);
    if (access(path, F_OK) != 0)
        return -ENOENT;
    snprintf(path, sizeof path, "%s/%s", store, FILE_NAME);
    const int fd =
        open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, S_IRUSR | S_IWUSR);
    return fd < 0 ? -errno : fd;
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
    return error == EAGAIN || error == EACCES ? -EBUSY : -error;
}
