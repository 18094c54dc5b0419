/*
 * Other processes that come to share a description, and the end of this one. After fork, exec or
 * spawn two processes share offsets, which only the kernel can do: all images become direct first.
 */
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

#include "actions.h"
#include "description.h"
#include "open.h"
#include "process.h"
#include "real.h"
#include "recording.h"
#include "stream.h"
#include "text.h"

extern char **environ;

void sluice_process_in_child(void)
{
    sluice_descriptions_in_child();
    sluice_mappings_in_child();
    sluice_capture_abandon();
    sluice_images_in_child();
    sluice_recording_in_child();
}

long sluice_process_forked(long child)
{
    const int error = errno;
    if (child == 0)
        sluice_process_in_child();
    else
        sluice_images_after_fork();
    errno = error;
    return child;
}

static void end_image(struct image *image)
{
    const int error = sluice_image_end(image);
    if (error != 0)
        dprintf(STDERR_FILENO, "sluice: inode %lu: what was written may be incomplete: %s\n",
                (unsigned long)image->inode, sluice_client_message());
}

void sluice_process_end(bool well)
{
    if (!sluice_capture_own())
        return;
    sluice_images_each(end_image);
    sluice_capture_leave(well);
    sluice_recording_stop();
}

/* The last of all exit handlers, since it was registered first: libraries have closed their files. */
static void at_exit(int status, void *nothing)
{
    (void)nothing;
    sluice_streams_flush();
    sluice_process_end(status == 0);
}

static int quick_status;

/* It is not told the status. */
static void at_quick_end(void)
{
    sluice_process_end(quick_status == 0);
}

__attribute__((constructor)) static void watch_process(void)
{
    if (!sluice_capture_on())
        return;
    pthread_atfork(sluice_images_before_fork, sluice_images_after_fork,
                   sluice_process_in_child);
    on_exit(at_exit, NULL);
    at_quick_exit(at_quick_end);
}

SLUICE_WRAPPER void _exit(int status)
{
    sluice_process_end(status == 0);
    REAL(_exit)(status);
    __builtin_unreachable();
}

void _Exit(int status) SLUICE_ALIAS(_exit);

SLUICE_WRAPPER void quick_exit(int status)
{
    quick_status = status;
    REAL(quick_exit)(status);
    __builtin_unreachable();
}

void sluice_process_surrender(void)
{
    sluice_images_surrender(SLUICE_REASON_FORK);
}

SLUICE_WRAPPER int posix_spawn(pid_t *restrict pid, const char *restrict path,
                               const posix_spawn_file_actions_t *actions,
                               const posix_spawnattr_t *restrict attributes,
                               char *const arguments[restrict], char *const environment[restrict])
{
    sluice_process_surrender();
    sluice_open_settle(AT_FDCWD, path, O_RDONLY);
    sluice_actions_settle(actions);
    const int error = REAL(posix_spawn)(pid, path, actions, attributes, arguments, environment);
    return sluice_text_free(path, error)
        ? REAL(posix_spawn)(pid, path, actions, attributes, arguments, environment)
        : error;
}

SLUICE_WRAPPER int posix_spawnp(pid_t *restrict pid, const char *restrict file,
                                const posix_spawn_file_actions_t *actions,
                                const posix_spawnattr_t *restrict attributes,
                                char *const arguments[restrict], char *const environment[restrict])
{
    if (strchr(file, '/') != NULL)
        return posix_spawn(pid, file, actions, attributes, arguments, environment);
    sluice_process_surrender();
    sluice_actions_settle(actions);
    return REAL(posix_spawnp)(pid, file, actions, attributes, arguments, environment);
}

/* Newer than the C library that this is built with, where it is; see <spawn.h> of 2.39. */
int pidfd_spawn(int *restrict pidfd, const char *restrict path,
                const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                char *const arguments[restrict], char *const environment[restrict]);
int pidfd_spawnp(int *restrict pidfd, const char *restrict file,
                 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                 char *const arguments[restrict], char *const environment[restrict]);

SLUICE_WRAPPER int pidfd_spawn(int *restrict pidfd, const char *restrict path,
                               const posix_spawn_file_actions_t *actions,
                               const posix_spawnattr_t *attributes,
                               char *const arguments[restrict], char *const environment[restrict])
{
    sluice_process_surrender();
    sluice_open_settle(AT_FDCWD, path, O_RDONLY);
    sluice_actions_settle(actions);
    if (!sluice_real_has(SLUICE_REAL_pidfd_spawn))
        return ENOSYS;
    return REAL(pidfd_spawn)(pidfd, path, actions, attributes, arguments, environment);
}

SLUICE_WRAPPER int pidfd_spawnp(int *restrict pidfd, const char *restrict file,
                                const posix_spawn_file_actions_t *actions,
                                const posix_spawnattr_t *attributes,
                                char *const arguments[restrict], char *const environment[restrict])
{
    sluice_process_surrender();
    sluice_actions_settle(actions);
    if (!sluice_real_has(SLUICE_REAL_pidfd_spawnp))
        return ENOSYS;
    return REAL(pidfd_spawnp)(pidfd, file, actions, attributes, arguments, environment);
}

SLUICE_WRAPPER int system(const char *command)
{
    sluice_process_surrender();
    return REAL(system)(command);
}

SLUICE_WRAPPER FILE *popen(const char *command, const char *mode)
{
    sluice_process_surrender();
    return REAL(popen)(command, mode);
}

FILE *_IO_popen(const char *command, const char *mode) SLUICE_ALIAS(popen);

/* A shell expands what stands in `$()`. */
SLUICE_WRAPPER int wordexp(const char *restrict words, wordexp_t *restrict result, int flags)
{
    if (!(flags & WRDE_NOCMD))
        sluice_process_surrender();
    return REAL(wordexp)(words, result, flags);
}

/* The parent ends within it, and well; its files are the child's to go on with. */
SLUICE_WRAPPER int daemon(int stay, int keep_streams)
{
    sluice_capture_leave(true);
    sluice_recording_pause();
    const int result = REAL(daemon)(stay, keep_streams);
    sluice_capture_leave(false);
    return result;
}

/* The trace's part ends with the program; should the exec fail, another one begins. */
static void prepare_exec(void)
{
    sluice_process_surrender();
    if (sluice_capture_own()) /* a child that shares the memory of its parent leaves that where it is */
        sluice_capture_leave(true);
    sluice_recording_pause();
}

static int exec_failed(void)
{
    sluice_capture_leave(false);
    return -1;
}

SLUICE_WRAPPER int execve(const char *path, char *const arguments[], char *const environment[])
{
    prepare_exec();
    sluice_open_settle(AT_FDCWD, path, O_RDONLY);
    REAL(execve)(path, arguments, environment);
    const int error = errno;
    if (sluice_text_free(path, error))
        REAL(execve)(path, arguments, environment);
    else
        errno = error;
    return exec_failed();
}

SLUICE_WRAPPER int execv(const char *path, char *const arguments[])
{
    return execve(path, arguments, environ);
}

SLUICE_WRAPPER int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    prepare_exec();
    if (strchr(file, '/') != NULL) {
        sluice_open_settle(AT_FDCWD, file, O_RDONLY);
        REAL(execvpe)(file, arguments, environment);
        const int error = errno;
        if (!sluice_text_free(file, error)) {
            errno = error;
            return exec_failed();
        }
    }
    REAL(execvpe)(file, arguments, environment);
    return exec_failed();
}

SLUICE_WRAPPER int execvp(const char *file, char *const arguments[])
{
    return execvpe(file, arguments, environ);
}

SLUICE_WRAPPER int fexecve(int fd, char *const arguments[], char *const environment[])
{
    prepare_exec();
    REAL(fexecve)(fd, arguments, environment);
    return exec_failed();
}

SLUICE_WRAPPER int execveat(int dirfd, const char *path, char *const arguments[],
                            char *const environment[], int flags)
{
    prepare_exec();
    REAL(execveat)(dirfd, path, arguments, environment, flags);
    return exec_failed();
}

static int count(va_list arguments)
{
    int found = 1; /* the one before them */
    while (va_arg(arguments, const char *) != NULL)
        found++;
    return found;
}

/* The arguments as an array, the terminating NULL with them; `environment` follows it, if asked. */
static void gather(const char *first, va_list arguments, char **array, char *const **environment)
{
    *array++ = (char *)first;
    while ((*array++ = va_arg(arguments, char *)) != NULL) {
    }
    if (environment != NULL)
        *environment = va_arg(arguments, char *const *);
}

/* The body of an execl*(): counts, gathers, and calls `run` with `array` and `environment`. */
#define EXECUTE(first, with_environment, run)                                                      \
    do {                                                                                           \
        va_list arguments_;                                                                        \
        va_start(arguments_, first);                                                               \
        const int count_ = count(arguments_);                                                      \
        va_end(arguments_);                                                                        \
        char *array[count_ + 1];                                                                   \
        char *const *environment = environ;                                                        \
        va_start(arguments_, first);                                                               \
        gather(first, arguments_, array, (with_environment) ? &environment : NULL);                \
        va_end(arguments_);                                                                        \
        return run;                                                                                \
    } while (0)

SLUICE_WRAPPER int execl(const char *path, const char *argument, ...)
{
    EXECUTE(argument, false, execve(path, array, environment));
}

SLUICE_WRAPPER int execle(const char *path, const char *argument, ...)
{
    EXECUTE(argument, true, execve(path, array, environment));
}

SLUICE_WRAPPER int execlp(const char *file, const char *argument, ...)
{
    EXECUTE(argument, false, execvpe(file, array, environment));
}
