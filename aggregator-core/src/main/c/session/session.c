#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "launcher.h"

/* The sessions of this process, for the fork handlers. The lock is held across a fork. */
static pthread_mutex_t sessions_lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(, sluice_session) sessions;
static unsigned forks;

static void before_fork(void)
{
    pthread_mutex_lock(&sessions_lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&sessions_lock);
}

/*
 * Closes the parent's connections in the child, so that the I/O process notices the parent's death.
 * Another thread may have held a session's lock at the fork. No such thread exists here, so the
 * lock is initialised anew.
 */
static void in_child(void)
{
    forks++;
    struct sluice_session *session;
    LIST_FOREACH (session, &sessions, all) {
        pthread_mutex_init(&session->lock, NULL);
        if (session->client != NULL)
            sluice_client_abandon(session->client);
        session->client = NULL;
        LIST_INIT(&session->images);
    }
    pthread_mutex_unlock(&sessions_lock);
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
}

static void enlist(struct sluice_session *session)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&sessions_lock);
    LIST_INSERT_HEAD(&sessions, session, all);
    pthread_mutex_unlock(&sessions_lock);
}

static void delist(struct sluice_session *session)
{
    pthread_mutex_lock(&sessions_lock);
    LIST_REMOVE(session, all);
    pthread_mutex_unlock(&sessions_lock);
}

unsigned sluice_session_forks(void)
{
    return forks;
}

static void destroy(struct sluice_session *session)
{
    pthread_mutex_destroy(&session->lock);
    free(session->directory);
    free(session);
}

/* Sets rank and number of ranks as the caller asks, or as the launcher tells. */
static int place(struct sluice_session *session, int rank, int ranks)
{
    if (rank < 0) {
        sluice_launcher_rank(&rank, &ranks);
        ranks = ranks > 0 ? ranks : rank < 0 ? 1 : rank + 1;
        rank = rank < 0 ? 0 : rank;
    }
    if (rank >= ranks)
        return sluice_failure(EINVAL, "there is no rank %d among %d ranks", rank, ranks);
    session->rank = rank;
    session->ranks = ranks;
    return 0;
}

int sluice_session_open(const char *directory, int rank, int ranks, sluice_session **session)
{
    if (session == NULL)
        return sluice_session_null("session");
    *session = NULL;
    directory = directory != NULL ? directory : getenv("SLUICE_DIRECTORY");
    if (directory == NULL) {
        return sluice_failure(EINVAL,
                              "no I/O process: SLUICE_DIRECTORY is not set; run the program under "
                              "`sluice run`");
    }
    struct sluice_session *opened = calloc(1, sizeof *opened);
    if (opened == NULL || (opened->directory = strdup(directory)) == NULL) {
        free(opened);
        return sluice_failure(ENOMEM, "no memory for a session");
    }
    pthread_mutex_init(&opened->lock, NULL);
    int error = place(opened, rank, ranks);
    if (error == 0)
        error = sluice_client_attach(directory, opened->rank, opened->ranks, &opened->client);
    if (error != 0) {
        destroy(opened);
        return error;
    }
    enlist(opened);
    *session = opened;
    return 0;
}

int sluice_session_null(const char *what)
{
    return sluice_failure(EINVAL, "%s is NULL", what);
}

int sluice_session_missing(void)
{
    return sluice_failure(EBADF, "no session: sluice_session_open failed, or was not called");
}

int sluice_session_close(sluice_session *session)
{
    if (session == NULL)
        return sluice_session_missing();
    unsigned images = 0;
    const struct sluice_image *image;
    pthread_mutex_lock(&session->lock);
    LIST_FOREACH (image, &session->images, all) {
        images++;
    }
    pthread_mutex_unlock(&session->lock);
    if (images != 0)
        return sluice_failure(EBUSY, "%u images of the session are open; close them first", images);
    delist(session);
    if (session->client != NULL)
        sluice_client_detach(session->client);
    destroy(session);
    return 0;
}

struct sluice_client *sluice_session_client(struct sluice_session *session, int *error)
{
    *error = session == NULL ? sluice_session_missing() : 0;
    if (session == NULL)
        return NULL;
    pthread_mutex_lock(&session->lock);
    session->client = sluice_client_current(session->client);
    if (session->client == NULL) {
        *error = sluice_client_attach(session->directory, session->rank, session->ranks,
                                      &session->client);
    }
    struct sluice_client *client = session->client;
    pthread_mutex_unlock(&session->lock);
    return client;
}

int sluice_session_request(struct sluice_session *session, int type, const struct sluice_body *body,
                           const struct sluice_reply *reply)
{
    int error;
    struct sluice_client *client = sluice_session_client(session, &error);
    return error != 0 ? error : sluice_connection_request(&client->connection, type, body, reply);
}

const char *sluice_message(void)
{
    return sluice_failure_message();
}
