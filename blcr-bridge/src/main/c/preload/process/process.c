/*
 * Processes that come to share a description, and the end of this process. After fork, exec or
 * spawn two processes share offsets, as only the kernel can. So all images become direct first.
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
#include "early_attach.h"
#include "kernel.h"
#include "mapping.h"
#include "open.h"
#include "process.h"
#include "queues.h"
#include "real.h"
#include "recording.h"
#include "streams.h"
#include "text.h"

extern char **environ;

void sluice_process_in_child(void)
{
    sluice_descriptions_in_child();
    sluice_mappings_in_child();
    sluice_capture_abandon();
    sluice_early_in_child();
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

static void end_image(struct image *image, int reason)
{
    (void)reason;
    if (sluice_image_end(image) != 0)
        sluice_image_incomplete(image, sluice_failure_message());
}

void sluice_process_end(bool well)
{
    if (!sluice_capture_own())
        return;
    sluice_queues_look_last();
    sluice_images_each(end_image, SLUICE_REASON_NONE);
    sluice_capture_have_taken();
    sluice_capture_leave(well);
    sluice_recording_stop();
}

/*
 * Ends this process's part as the last of all exit handlers, since it was registered first:
 * libraries have closed their files.
 */
static void at_exit(int status, void *nothing)
{
    (void)nothing;
    sluice_streams_flush();
    sluice_process_end(status == 0);
}

static int quick_status;

/* Ends this process's part at quick_exit(), whose status quick_status has. */
static void at_quick_end(void)
{
    sluice_process_end(quick_status == 0);
}

__attribute__((constructor)) static void watch_process(void)
{
    if (!sluice_capture_on())
        return;
    pthread_atfork(sluice_images_before_fork, sluice_images_after_fork, sluice_process_in_child);
    on_exit(at_exit, NULL);
    at_quick_exit(at_quick_end);
    sluice_early_begin();
}

SLUICE_WRAPPER void _exit(int status)
{
    sluice_process_end(status == 0);
    REAL(_exit)(status);
    __builtin_unreachable();
}

SLUICE_WRAPPER void quick_exit(int status)
{
    quick_status = status;
    REAL(quick_exit)(status);
    __builtin_unreachable();
}

typedef int spawn_function(int *child, const char *file, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const arguments[],
                           char *const environment[]);

/*
 * Spawns a program. `path` is its file, or NULL. `real` is NULL where only newer C libraries have
 * the function.
 */
static int spawn(spawn_function *real, const char *path, int *child, const char *file,
                 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                 char *const arguments[], char *const environment[])
{
    sluice_images_surrender(SLUICE_REASON_FORK);
    sluice_text_settle(path);
    sluice_actions_settle(actions);
    if (real == NULL)
        return ENOSYS;
    int error, attempt = 0;
    do {
        error = real(child, file, actions, attributes, arguments, environment);
    } while (sluice_text_free(path, error, attempt++));
    return error;
}

/* Defines a spawn function; `room` has place for a path. */
#define SPAWN(name, path)                                                                          \
    SLUICE_WRAPPER int name(int *restrict child, const char *restrict file,                        \
                            const posix_spawn_file_actions_t *restrict actions,                    \
                            const posix_spawnattr_t *restrict attributes,                          \
                            char *const arguments[restrict], char *const environment[restrict])    \
    {                                                                                              \
        char room[PATH_MAX] = "";                                                                  \
        (void)room;                                                                                \
        return spawn((spawn_function *)sluice_real_look(#name), path, child, file, actions,        \
                     attributes, arguments, environment);                                          \
    }

SPAWN(posix_spawn, file)
SPAWN(posix_spawnp, sluice_text_find(file, room))
SPAWN(pidfd_spawn, file)
SPAWN(pidfd_spawnp, sluice_text_find(file, room))

SLUICE_BEFORE(int, system, (const char *command), (command),
              sluice_images_surrender(SLUICE_REASON_FORK))
SLUICE_BEFORE(FILE *, popen, (const char *command, const char *mode), (command, mode),
              sluice_images_surrender(SLUICE_REASON_FORK))

/* A shell expands `$()`. */
SLUICE_BEFORE(int, wordexp, (const char *restrict words, wordexp_t *restrict result, int flags),
              (words, result, flags),
              if (!(flags & WRDE_NOCMD)) sluice_images_surrender(SLUICE_REASON_FORK))

/* The parent exits normally within daemon(); the child goes on with its files. */
SLUICE_WRAPPER int daemon(int stay, int keep_streams)
{
    sluice_capture_leave(true);
    sluice_recording_pause();
    const int result = REAL(daemon)(stay, keep_streams);
    sluice_capture_leave(false);
    return result;
}

/* The trace's part ends with the program. Another part begins if the exec fails. */
static void prepare_exec(void)
{
    sluice_images_surrender(SLUICE_REASON_FORK);
    if (sluice_capture_own()) /* a child that shares memory has its parent's client */
        sluice_capture_leave(true);
    sluice_recording_pause();
}

static int exec_failed(void)
{
    sluice_capture_leave(false);
    return -1;
}

/* Runs a program. `path` is its file, or NULL. */
static int execute(__typeof__(&execve) real, const char *path, const char *file,
                   char *const arguments[], char *const environment[])
{
    prepare_exec();
    sluice_text_settle(path);
    int error, attempt = 0;
    do {
        real(file, arguments, environment);
        error = errno;
    } while (sluice_text_free(path, error, attempt++));
    errno = error;
    return exec_failed();
}

SLUICE_AS(int, execve, (const char *path, char *const arguments[], char *const environment[]),
          execute(REAL(execve), path, path, arguments, environment))

SLUICE_WRAPPER int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    char room[PATH_MAX];
    return execute(REAL(execvpe), sluice_text_find(file, room), file, arguments, environment);
}

SLUICE_AS(int, execv, (const char *path, char *const arguments[]), execve(path, arguments, environ))
SLUICE_AS(int, execvp, (const char *file, char *const arguments[]),
          execvpe(file, arguments, environ))

SLUICE_WRAPPER int execveat(int dirfd, const char *path, char *const arguments[],
                            char *const environment[], int flags)
{
    char room[PATH_MAX];
    prepare_exec();
    const char *text = sluice_text_at(dirfd, path, flags, room);
    sluice_text_settle(text);
    REAL(execveat)(dirfd, path, arguments, environment, flags);
    int error = errno;
    for (int attempt = 0; sluice_text_free(text, error, attempt); attempt++) {
        /* the descriptor is of the file that the copy replaced */
        REAL(execveat)(AT_FDCWD, text, arguments, environment, flags & ~AT_EMPTY_PATH);
        error = errno;
    }
    errno = error;
    return exec_failed();
}

SLUICE_AS(int, fexecve, (int fd, char *const arguments[], char *const environment[]),
          execveat(fd, "", arguments, environment, AT_EMPTY_PATH))

static int count_arguments(va_list arguments)
{
    int found = 1; /* `argument`, before the variable ones */
    while (va_arg(arguments, const char *) != NULL)
        found++;
    return found;
}

/*
 * Gathers the arguments in an array, with the terminating NULL. `environment`, if asked for,
 * follows them.
 */
static void gather(const char *first, va_list arguments, char **array, char *const **environment)
{
    *array++ = (char *)first;
    while ((*array++ = va_arg(arguments, char *)) != NULL) {
    }
    if (environment != NULL)
        *environment = va_arg(arguments, char *const *);
}

/*
 * Defines an execl*(): counts and gathers the arguments, and calls `run` with `array` and
 * `environment`.
 */
#define EXECUTES(name, first, with_environment, run)                                               \
    SLUICE_WRAPPER int name(const char *first, const char *argument, ...)                          \
    {                                                                                              \
        va_list arguments;                                                                         \
        va_start(arguments, argument);                                                             \
        const int count = count_arguments(arguments);                                              \
        va_end(arguments);                                                                         \
        char *array[count + 1];                                                                    \
        char *const *environment = environ;                                                        \
        va_start(arguments, argument);                                                             \
        gather(argument, arguments, array, (with_environment) ? &environment : NULL);              \
        va_end(arguments);                                                                         \
        return run;                                                                                \
    }

EXECUTES(execl, path, false, execve(path, array, environment))
EXECUTES(execle, path, true, execve(path, array, environment))
EXECUTES(execlp, file, false, execvpe(file, array, environment))
