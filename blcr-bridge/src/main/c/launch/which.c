#include "which.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_program(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISREG(found.st_mode) && access(path, X_OK) == 0;
}

bool sluice_launch_which(const char *word, char *path, size_t capacity)
{
    if (strchr(word, '/') != NULL)
        return (size_t)snprintf(path, capacity, "%s", word) < capacity && is_program(path);
    const char *folders = getenv("PATH");
    for (const char *at = folders; at != NULL && *word != 0;) {
        const char *end = strchrnul(at, ':');
        const int length = snprintf(path, capacity, "%.*s/%s", (int)(end - at), at, word);
        if (length > 0 && (size_t)length < capacity && is_program(path))
            return true;
        at = *end == ':' ? end + 1 : NULL;
    }
    return false;
}

_Noreturn static void become(char *const *command, bool quiet, int output)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    dup2(output, STDOUT_FILENO);
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    if (quiet)
        dup2(nothing, STDERR_FILENO);
    execvp(command[0], command);
    _exit(1);
}

int sluice_launch_which_says(char *const *command, bool quiet, char *text, size_t capacity)
{
    int fds[2];
    const pid_t child = pipe2(fds, O_CLOEXEC) == 0 ? fork() : -1;
    *text = 0;
    if (child < 0)
        return 1;
    if (child == 0)
        become(command, quiet, fds[1]);
    close(fds[1]);
    char rest[512];
    size_t length = 0;
    for (;;) {
        const bool full = length == capacity - 1;
        const ssize_t got = full ? read(fds[0], rest, sizeof rest)
                                 : read(fds[0], text + length, capacity - 1 - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        length += full ? 0 : (size_t)got;
    }
    text[length] = 0;
    close(fds[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static const char *mpi_of_program(char *path)
{
    char text[16384];
    sluice_launch_which_says((char *[]){"ldd", path, NULL}, true, text, sizeof text);
    if (strstr(text, "libmpich") != NULL || strstr(text, "libmpi.so.12") != NULL)
        return "mpich";
    return strstr(text, "libmpi.so") != NULL ? "openmpi" : NULL;
}

/*
 * Returns whether the word names a launcher. Anything else, asked for its version, may be a user's
 * script, which would run the job.
 */
static bool is_launcher(const char *word)
{
    const char *slash = strrchr(word, '/');
    const char *name = slash == NULL ? word : slash + 1;
    return strncmp(name, "mpirun", 6) == 0 || strncmp(name, "mpiexec", 7) == 0
        || strncmp(name, "orterun", 7) == 0 || strncmp(name, "prterun", 7) == 0;
}

static const char *mpi_of_launcher(char *path)
{
    char text[4096];
    sluice_launch_which_says((char *[]){path, "--version", NULL}, true, text, sizeof text);
    *strchrnul(text, '\n') = 0;
    if (strstr(text, "Open MPI") != NULL || strstr(text, "OpenRTE") != NULL)
        return "openmpi";
    return strstr(text, "HYDRA") != NULL || strstr(text, "MPICH") != NULL ? "mpich" : NULL;
}

const char *sluice_launch_which_mpi(char **command)
{
    char path[PATH_MAX];
    const char *mpi = NULL;
    for (char **word = command; *word != NULL && mpi == NULL; word++)
        if (sluice_launch_which(*word, path, sizeof path))
            mpi = mpi_of_program(path);
    for (char **word = command; *word != NULL && mpi == NULL; word++)
        if (is_launcher(*word) && sluice_launch_which(*word, path, sizeof path))
            mpi = mpi_of_launcher(path);
    return mpi;
}
