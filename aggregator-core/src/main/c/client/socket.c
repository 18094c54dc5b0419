#include "socket.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "kernel.h"

/*
 * Makes the address of the socket, through the directory's descriptor where the name is too long.
 */
static int address_of(const char *directory, struct sockaddr_un *address, int *directory_fd)
{
    address->sun_family = AF_UNIX;
    *directory_fd = -1;
    if ((size_t)snprintf(address->sun_path, sizeof address->sun_path, "%s/socket", directory)
        < sizeof address->sun_path) {
        return 0;
    }
    *directory_fd = sluice_kernel_open(directory, O_PATH | O_DIRECTORY);
    if (*directory_fd < 0)
        return *directory_fd;
    snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/socket", *directory_fd);
    return 0;
}

/*
 * Makes a socket past the functions of the C library. A checkpointer that knows of a socket drains
 * it with bytes of its own, which would break our stream. The number is high, out of the way of
 * programs that choose numbers themselves, as a shell's `exec 3>file`.
 */
int sluice_socket_make(void)
{
    const int fd = (int)sluice_kernel_call(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC);
    const int high =
        fd < 0 ? fd : (int)sluice_kernel_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, SLUICE_SOCKET_NUMBER);
    if (high < 0)
        return fd;
    sluice_kernel_close(fd);
    return high;
}

int sluice_socket_connect(int fd, const char *directory)
{
    struct sockaddr_un address;
    int directory_fd;
    int error = address_of(directory, &address, &directory_fd);
    if (error == 0) {
        do {
            error = (int)sluice_kernel_call(SYS_connect, fd, (long)&address, sizeof address);
        } while (error == -EINTR);
    }
    if (directory_fd >= 0)
        sluice_kernel_close(directory_fd);
    return error;
}

void sluice_socket_limit(int fd, int patience)
{
    const struct timeval most = {.tv_sec = patience / 1000, .tv_usec = patience % 1000 * 1000};
    sluice_kernel_call(SYS_setsockopt, fd, SOL_SOCKET, SO_SNDTIMEO, (long)&most, sizeof most);
    sluice_kernel_call(SYS_setsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, (long)&most, sizeof most);
}

uint64_t sluice_socket_number(int fd)
{
    struct stat status;
    return sluice_kernel_call(SYS_fstat, fd, (long)&status) == 0 && S_ISSOCK(status.st_mode)
        ? status.st_ino
        : 0;
}
