/* The checkpoints of a session: begin, complete, wait, list, restore. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "failure.h"
#include "session.h"

/*
 * The longest wait in one request, in milliseconds. A long wait is made of short ones, so that
 * requests of other threads come in between.
 */
#define WAIT_SLICE 50

/* The most numbers that a reply can carry. */
#define MAX_LISTED ((SLUICE_REQUEST_MAX_LENGTH - SLUICE_REQUEST_HEADER_LENGTH - 4) / 8)

int sluice_checkpoint_begin(sluice_session *session, int64_t checkpoint)
{
    if (checkpoint < 0)
        return sluice_failure(EINVAL, "checkpoint %lld: numbers begin at 0", (long long)checkpoint);
    if (session == NULL)
        return sluice_session_missing();
    const struct sluice_request_begin begin = {checkpoint, session->ranks, session->bound};
    return sluice_session_request(session, SLUICE_REQUEST_BEGIN, SLUICE_BODY(begin), NULL);
}

int sluice_checkpoint_complete(sluice_session *session, int64_t checkpoint)
{
    if (session == NULL)
        return sluice_session_missing();
    const struct sluice_request_complete complete = {checkpoint, session->rank};
    return sluice_session_request(session, SLUICE_REQUEST_COMPLETE, SLUICE_BODY(complete), NULL);
}

int sluice_checkpoint_cancel(sluice_session *session, int64_t checkpoint)
{
    if (session == NULL)
        return sluice_session_missing();
    const struct sluice_request_cancel cancel = {checkpoint};
    return sluice_session_request(session, SLUICE_REQUEST_CANCEL, SLUICE_BODY(cancel), NULL);
}

int sluice_checkpoint_wait(sluice_session *session, int64_t checkpoint, int64_t timeout)
{
    const int64_t end =
        timeout < 0 || timeout > INT64_MAX / 2 ? INT64_MAX : sluice_clock_ms() + timeout;
    for (;;) {
        const int64_t left = end - sluice_clock_ms();
        const struct sluice_request_wait wait = {checkpoint, MAX(0, MIN(left, WAIT_SLICE))};
        const int error =
            sluice_session_request(session, SLUICE_REQUEST_WAIT, SLUICE_BODY(wait), NULL);
        if (error != -ETIMEDOUT || left <= 0)
            return error;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

int sluice_checkpoint_list(sluice_session *session, int64_t *checkpoints, size_t capacity)
{
    if (checkpoints == NULL && capacity > 0)
        return sluice_session_null("checkpoints");
    size_t count = 0;
    int64_t *listed = malloc(MAX_LISTED * sizeof *listed);
    if (listed == NULL)
        return sluice_failure(ENOMEM, "no memory for the list of checkpoints");
    const struct sluice_reply reply = {.elements = listed,
                                       .element_length = sizeof *listed,
                                       .capacity = MAX_LISTED,
                                       .count = &count};
    const int error = sluice_session_request(session, SLUICE_REQUEST_LIST, NULL, &reply);
    if (error == 0 && capacity > 0) {
        const size_t kept = count < capacity ? count : capacity;
        memcpy(checkpoints, listed + count - kept, kept * sizeof *listed);
    }
    free(listed);
    return error != 0 ? error : (int)count;
}

int sluice_checkpoint_newest(sluice_session *session, int64_t *checkpoint)
{
    if (checkpoint == NULL)
        return sluice_session_null("checkpoint");
    const int count = sluice_checkpoint_list(session, checkpoint, 1);
    if (count == 0)
        return sluice_failure(ENOENT, "no checkpoint is committed");
    return count < 0 ? count : 0;
}

/* Returns 0, or a negative errno, where the path of a directory cannot be made absolute. */
static int make_absolute(const char *directory, char whole[PATH_MAX])
{
    char here[PATH_MAX] = "";
    if (*directory == 0)
        return -EINVAL;
    if (*directory != '/' && getcwd(here, sizeof here) == NULL)
        return -errno;
    const int length =
        snprintf(whole, PATH_MAX, "%s%s%s", here, *directory == '/' ? "" : "/", directory);
    return length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

int sluice_checkpoint_restore(sluice_session *session, int64_t checkpoint, const char *directory)
{
    char whole[PATH_MAX];
    if (directory == NULL)
        return sluice_session_null("directory");
    const int error = make_absolute(directory, whole);
    if (error != 0)
        return sluice_failure(-error, "cannot restore: %s: '%s'", strerror(-error), directory);
    const struct sluice_request_restore restore = {checkpoint};
    return sluice_session_request(session, SLUICE_REQUEST_RESTORE, SLUICE_BODY_AND(restore, whole),
                                  NULL);
}
