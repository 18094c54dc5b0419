#include "where.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "segment.h"
#include "status.h"

/* Sets a variable, or unsets it for NULL. Returns its former value, which stays valid. */
static char *exchange(const char *variable, const char *value)
{
    const char *former = getenv(variable);
    char *kept = former == NULL ? NULL : strdup(former);
    if (value != NULL)
        setenv(variable, value, 1);
    else
        unsetenv(variable);
    return kept;
}

static bool is_same(const char *one, const char *other)
{
    struct stat first;
    struct stat second;
    return strcmp(one, other) == 0
        || (stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev
            && first.st_ino == second.st_ino);
}

/* Returns whether an I/O process owns the directory, and writes to the store. */
static bool has_store(const char *directory, const char *store)
{
    struct sluice_segment *segment;
    char its[SLUICE_HEADER_MAX_PATH_LENGTH + 1];
    if (directory == NULL || strrchr(directory, '/') == NULL
        || sluice_segment_map(directory, &segment) != 0) {
        return false;
    }
    sluice_segment_path(segment->header->store, its);
    sluice_segment_unmap(segment);
    return is_same(its, store);
}

/* Writes the path of a store that may be yet to be made, the same however the user wrote it. */
static void resolve(const char *store, char whole[PATH_MAX])
{
    char above[PATH_MAX];
    const char *slash = strrchr(store, '/');
    if (realpath(store, whole) != NULL)
        return;
    snprintf(above, sizeof above, "%.*s", (int)(slash - store), store);
    char *found = realpath(above, NULL);
    snprintf(whole, PATH_MAX, "%s%s", found != NULL ? found : above, slash);
    free(found);
}

/* Names an I/O process after the store and the checkpoint, by FNV-1a. */
static void name_shared(const struct sluice_writer_options *options, char *name, size_t capacity)
{
    char store[PATH_MAX];
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    resolve(options->service.store, store);
    for (const char *at = store; *at != 0; at++)
        sum = (sum ^ (uint8_t)*at) * UINT64_C(0x100000001b3);
    snprintf(name, capacity, "put-%lld-%016llx", (long long)options->checkpoint,
             (unsigned long long)sum);
}

void sluice_where_enter(struct sluice_launch_service *service,
                        struct sluice_writer_options *options)
{
    static char name[PATH_MAX];
    const char *directory = getenv("SLUICE_DIRECTORY");
    char runtime[PATH_MAX];
    const bool present = has_store(directory, options->service.store);
    snprintf(runtime, sizeof runtime, "%s", present ? directory : "");
    if (present) {
        char *slash = strrchr(runtime, '/');
        snprintf(name, sizeof name, "%s", slash + 1);
        *slash = 0;
    } else if (options->joins) {
        name_shared(options, name, sizeof name);
    } else {
        snprintf(name, sizeof name, "put-%d", (int)getpid());
    }
    options->service.name = name;
    char *capture = exchange("SLUICE_CAPTURE", NULL); /* an I/O process of ours captures nothing */
    char *former = exchange("SLUICE_RUNTIME", present ? runtime : getenv("SLUICE_RUNTIME"));
    if (options->joins && !present)
        sluice_launch_service_join(service, &options->service);
    else
        sluice_launch_service_start(service, &options->service);
    free(exchange("SLUICE_CAPTURE", capture));
    free(exchange("SLUICE_RUNTIME", former));
}

int sluice_where_open(const char *directory, const struct sluice_writer_options *options,
                      sluice_session **session)
{
    char local[16];
    snprintf(local, sizeof local, "%d", options->joins ? options->ranks : 1);
    char *former = exchange("SLUICE_LOCAL_RANKS", local);
    const int error = sluice_session_open(directory, options->rank, options->ranks, session);
    free(exchange("SLUICE_LOCAL_RANKS", former));
    return error;
}
