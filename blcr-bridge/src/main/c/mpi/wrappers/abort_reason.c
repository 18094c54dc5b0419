#include "abort_reason.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 200
#define NAP 10000000 /* nanoseconds */

static void await(const char *path)
{
    struct stat found;
    for (int round = 0; round < ROUNDS; round++) {
        if (stat(path, &found) == 0 && found.st_size > 0)
            return;
        nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
    }
}

static void say(int where, const char *line, size_t length)
{
    if (write(where, line, length) != (ssize_t)length && where != STDERR_FILENO)
        say(STDERR_FILENO, line, length);
}

bool sluice_mpi_say_last(const char *line, size_t length)
{
    const char *path = getenv("SLUICE_MPI_SAID");
    if (path == NULL || *path == 0) {
        say(STDERR_FILENO, line, length);
        return true;
    }
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 && errno == EEXIST) {
        await(path);
        return false;
    }
    say(file < 0 ? STDERR_FILENO : file, line, length);
    if (file >= 0)
        close(file);
    return true;
}
