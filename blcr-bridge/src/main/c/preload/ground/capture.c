#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guard.h"
#include "launcher.h"
#include "presence.h"
#include "real.h"
#include "segment.h"
#include "tell.h"

enum { UNKNOWN, OFF, ON };

int sluice_capture_state = UNKNOWN;
atomic_bool sluice_capture_divided;

static char runtime[PATH_MAX];
static char captured[PATH_MAX];

/*
 * Guards the two pointers below. Each changes from NULL once; a thread that reads it without the
 * lock sees NULL or the value.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct sluice_segment *) segment;
static _Atomic(struct sluice_client *) client;
static struct sluice_client *asked; /* waits for its slot; NULL for none. Guarded by the lock */
static int asked_rank, asked_ranks;
static struct sluice_client *first; /* the process's first client; the others succeed it */
static bool segment_failed;
static bool client_failed;
static _Atomic pid_t owner; /* the process that attached; a restored one and a child attach anew */

static bool copy_variable(const char *name, char to[PATH_MAX])
{
    const char *value = getenv(name);
    if (value == NULL || value[0] != '/' || strlen(value) >= PATH_MAX)
        return false;
    strcpy(to, value);
    size_t length = strlen(to);
    while (length > 1 && to[length - 1] == '/')
        to[--length] = '\0';
    return true;
}

bool sluice_capture_look(void)
{
    const bool served = copy_variable("SLUICE_DIRECTORY", runtime);
    const bool on =
        copy_variable("SLUICE_CAPTURE", captured) && (served || getenv("SLUICE_PROFILE") != NULL);
    sluice_capture_state = on ? ON : OFF;
    return on;
}

__attribute__((constructor)) static void look_before_main(void)
{
    sluice_capture_look();
}

const struct sluice_segment *sluice_capture_segment(void)
{
    struct sluice_segment *mapped = atomic_load_explicit(&segment, memory_order_acquire);
    const bool missing = mapped != NULL && !sluice_segment_present(mapped);
    if (missing && (sluice_guard_inside() || sluice_presence_counts(mapped->life)))
        return NULL; /* until the library that replaced the mapping maps the segment again */
    if ((mapped != NULL && !missing) || segment_failed || runtime[0] == '\0'
        || sluice_guard_inside()) {
        return mapped;
    }
    sluice_guard_enter();
    pthread_mutex_lock(&lock);
    if (missing && segment == mapped)
        segment = NULL; /* never unmapped: the mapping there now may not be ours */
    mapped = segment;
    if (mapped == NULL && !segment_failed) {
        if (sluice_segment_map(runtime, &mapped) == 0)
            atomic_store_explicit(&segment, mapped, memory_order_release);
        else
            segment_failed = true;
    }
    pthread_mutex_unlock(&lock);
    sluice_guard_leave();
    return segment;
}

/*
 * Makes this process, which has lost its slot, look for another one, and perhaps another segment.
 * The caller holds the lock.
 */
static void attach_anew(void)
{
    client = sluice_client_current(client);
    client_failed = client == NULL;
    segment = NULL;
    segment_failed = false;
}

/* The caller holds the lock. */
static int attach(void)
{
    int rank, ranks;
    struct sluice_client *attached;
    sluice_launcher_rank(&rank, &ranks);
    if (asked != NULL && (rank != asked_rank || ranks != asked_ranks)) {
        sluice_client_abandon_asked(asked); /* the program has said otherwise since */
        asked = NULL;
    }
    const int error = asked != NULL ? sluice_client_attach_asked(runtime, asked, &attached)
                                    : sluice_client_attach(runtime, rank, ranks, &attached);
    asked = NULL;
    if (error == 0)
        atomic_store_explicit(&client, attached, memory_order_release);
    first = first != NULL ? first : client;
    return error;
}

void sluice_capture_ask(void)
{
    if (!sluice_capture_on() || runtime[0] == '\0' || sluice_guard_inside())
        return;
    sluice_guard_enter();
    if (pthread_mutex_trylock(&lock) == 0) { /* else a thread attaches, which may take long */
        if (client == NULL && asked == NULL && !client_failed) {
            sluice_launcher_rank(&asked_rank, &asked_ranks);
            sluice_client_ask(runtime, asked_rank, asked_ranks, &asked);
        }
        pthread_mutex_unlock(&lock);
    }
    sluice_guard_leave();
}

struct sluice_client *sluice_capture_client(void)
{
    struct sluice_client *attached = atomic_load_explicit(&client, memory_order_acquire);
    if (attached != NULL && sluice_client_away(attached))
        return NULL;
    const bool adrift = attached != NULL && sluice_client_adrift(attached);
    if ((attached != NULL && !adrift) || client_failed || runtime[0] == '\0')
        return attached;
    sluice_guard_enter();
    pthread_mutex_lock(&lock);
    if (client != NULL && sluice_client_adrift(client))
        attach_anew();
    if (client == NULL && !client_failed)
        client_failed = attach() != 0;
    owner = getpid();
    pthread_mutex_unlock(&lock);
    sluice_guard_leave();
    return client;
}

void sluice_capture_have_taken(void)
{
    struct sluice_client *attached = atomic_load_explicit(&client, memory_order_acquire);
    if (attached == NULL || owner != getpid() || sluice_guard_inside())
        return;
    sluice_guard_enter();
    sluice_client_have_taken(attached);
    sluice_guard_leave();
}

void sluice_capture_missed(const char *path, const char *why)
{
    static atomic_bool said;
    const struct sluice_segment *mapped = sluice_capture_segment();
    if (runtime[0] == '\0')
        return;
    if (mapped != NULL)
        atomic_fetch_add_explicit(&mapped->header->unattached_files, 1, memory_order_relaxed);
    if (!atomic_exchange(&said, true)) {
        sluice_tell("%s is not captured: %s; it is written as without Sluice, and others alike",
                    path, why);
    }
}

void sluice_capture_leave(bool leaving)
{
    struct sluice_client *attached = atomic_load_explicit(&client, memory_order_acquire);
    if (attached != NULL)
        sluice_client_leave(attached, leaving);
}

void sluice_capture_abandon(void)
{
    pthread_mutex_init(&lock, NULL);
    struct sluice_client *parents = atomic_exchange(&client, NULL);
    first = NULL;
    if (parents != NULL)
        sluice_client_abandon(parents);
    if (asked != NULL)
        sluice_client_abandon_asked(asked);
    asked = NULL;
    client_failed = false;
}

bool sluice_capture_has_mapped(const void *address)
{
    struct sluice_segment *mapped = segment;
    return (mapped != NULL && sluice_segment_has(mapped, address))
        || (first != NULL && sluice_client_has(first, address));
}

bool sluice_capture_own(void)
{
    return client == NULL || owner == getpid();
}

static bool below(const char *directory, const char *path)
{
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || length == 1);
}

bool sluice_capture_names(const char *path)
{
    return below(captured, path) || strcmp(captured, path) == 0;
}

static bool in_store(const char *path)
{
    const struct sluice_segment *mapped = sluice_capture_segment();
    if (mapped == NULL)
        return false;
    char store[SLUICE_HEADER_MAX_PATH_LENGTH + 1];
    sluice_segment_path(mapped->header->store, store);
    return store[0] != '\0' && below(store, path);
}

int sluice_capture_image_state(const struct stat *status)
{
    const struct sluice_segment *mapped = sluice_capture_segment();
    if (mapped == NULL || !S_ISREG(status->st_mode))
        return SLUICE_IMAGE_STATE_FREE;
    return sluice_segment_state(mapped, status->st_dev, status->st_ino);
}

/*
 * Reads the file's path; empty where it is longer than the kernel tells. False if the file has
 * none.
 */
static bool real_path(int fd, char path[PATH_MAX])
{
    char link[40];
    snprintf(link, sizeof link,
             sluice_capture_divided ? "/proc/thread-self/fd/%d" : "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0 || errno == ENAMETOOLONG;
}

static bool is_captured(const char *path)
{
    return below(captured, path) && !in_store(path);
}

bool sluice_capture_has(int fd, char path[PATH_MAX])
{
    return real_path(fd, path) && is_captured(path);
}

/*
 * Returns whether the file was made without a name. A link may still give it one, other than a
 * deleted file.
 */
static bool is_nameless(int fd)
{
    return (REAL(fcntl)(fd, F_GETFL) & O_TMPFILE) == O_TMPFILE;
}

bool sluice_capture_file(int fd, struct stat *status, char path[PATH_MAX])
{
    if (REAL(fstat)(fd, status) != 0 || !S_ISREG(status->st_mode) || !real_path(fd, path))
        return false;
    return sluice_capture_image_state(status) != SLUICE_IMAGE_STATE_FREE
        || ((path[0] == '\0' || is_captured(path)) && (status->st_nlink > 0 || is_nameless(fd)));
}
