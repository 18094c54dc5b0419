#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "message.h"
#include "opener.h"
#include "standstill.h"

/*
 * The time that the I/O process may stand still before programs go on, in milliseconds, unless
 * SLUICE_GUARD_MILLIS says otherwise.
 */
#define MOST_MILLIS 1000
#define FANOTIFY 1

/* A value of `patience`: no program waits. */
#define NOBODY INT64_MAX

/* A file that a program waits to open, or that is held by a lease, for which a program may wait. */
struct held {
    int number; /* number of the question to the I/O process; of a lease, its descriptor there */
    int fd;     /* fanotify's descriptor; of a lease, a copy of the image's */
    bool leased;
    int64_t patience; /* ms that the I/O process may still stand still for the waiting program */
};

static const char *store;
static int connection;
static int group = -1;
static bool asks; /* the group is fanotify's, so that programs wait */
static int last_number;
static int64_t most_millis;

static struct held *held;
static size_t held_count, held_room;

bool sluice_watch_init(const char *segment_path, const char *store_path, int pid)
{
    struct stat status;
    const char *given = getenv("SLUICE_GUARD_MILLIS");
    most_millis = given == NULL ? MOST_MILLIS : strtoll(given, NULL, 10);
    const int fd = open(segment_path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0)
        return false;
    void *segment = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    store = store_path;
    sluice_opener_init(segment, pid);
    sluice_standstill_init(segment, pid);
    return segment != MAP_FAILED;
}

void sluice_watch_connected(int socket)
{
    connection = socket;
}

int sluice_watch_group(void)
{
    return group;
}

/* Sends a message without waiting. A receiver that does not read its messages loses them. */
static void send_message(const struct sluice_guard_message *message)
{
    send(connection, message, sizeof *message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void say(int type, int number)
{
    send_message(&(struct sluice_guard_message){.type = type, .number = number});
}

static bool hold(struct held one)
{
    if (held_count == held_room) {
        const size_t more = held_room == 0 ? 64 : 2 * held_room;
        struct held *grown = realloc(held, more * sizeof *grown);
        if (grown == NULL)
            return false;
        held = grown;
        held_room = more;
    }
    held[held_count++] = one;
    return true;
}

static struct held *find(bool leased, int number)
{
    struct held *one = held;
    while (one < held + held_count && (one->leased != leased || one->number != number))
        one++;
    return one < held + held_count ? one : NULL;
}

static void allow(int event)
{
    const struct fanotify_response response = {.fd = event, .response = FAN_ALLOW};
    const ssize_t written = write(group, &response, sizeof response);
    (void)written; /* fails if the waiting process was killed meanwhile */
    close(event);
}

/* A lease is held on until the I/O process drops it. */
static void let_go_on(struct held *one)
{
    if (one->leased) {
        fcntl(one->fd, F_SETLEASE, F_UNLCK);
        one->patience = NOBODY;
    } else {
        allow(one->fd);
        *one = held[--held_count];
    }
}

static bool waits(const struct held *one)
{
    return one->patience != NOBODY;
}

int sluice_watch_patience(void)
{
    for (const struct held *one = held; one < held + held_count; one++)
        if (waits(one))
            return SLUICE_STANDSTILL_LOOK_MILLIS;
    return -1;
}

void sluice_watch_expire(void)
{
    if (sluice_watch_patience() < 0)
        return;
    const int64_t stood = sluice_standstill_look();
    for (size_t i = held_count; i-- > 0;) {
        if (!waits(&held[i]))
            continue;
        held[i].patience = stood < 0 ? most_millis : held[i].patience - stood;
        if (held[i].patience <= 0) {
            say(SLUICE_GUARD_LATE, held[i].number);
            let_go_on(&held[i]);
        }
    }
}

/* ---- messages of the I/O process ---- */

static void answered(int number)
{
    struct held *one = find(false, number);
    if (one != NULL)
        let_go_on(one);
}

static void hold_lease(int number, int fd)
{
    if (!hold((struct held){number, fd, true, NOBODY}))
        close(fd);
}

static void drop_lease(int number)
{
    struct held *one = find(true, number);
    if (one != NULL) {
        close(one->fd);
        *one = held[--held_count];
    }
}

static void handle_message(const struct sluice_guard_message *message, int fd)
{
    switch (message->type) {
    case SLUICE_GUARD_GROUP:
        group = fd;
        asks = message->number == FANOTIFY;
        break;
    case SLUICE_GUARD_ALLOW:
        answered(message->number);
        break;
    case SLUICE_GUARD_LEASE:
        hold_lease(message->number, fd);
        break;
    case SLUICE_GUARD_DROP:
        drop_lease(message->number);
        break;
    case SLUICE_GUARD_PING:
        say(SLUICE_GUARD_PONG, 0);
        break;
    }
}

bool sluice_watch_messages(void)
{
    for (;;) {
        struct sluice_guard_message message;
        union {
            char bytes[CMSG_SPACE(sizeof(int))];
            struct cmsghdr header;
        } control;
        struct iovec vector = {&message, sizeof message};
        struct msghdr packet = {.msg_iov = &vector,
                                .msg_iovlen = 1,
                                .msg_control = control.bytes,
                                .msg_controllen = sizeof control.bytes};
        const ssize_t length = recvmsg(connection, &packet, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
        if (length < 0)
            return errno == EAGAIN || errno == EINTR;
        if (length == 0)
            return false;
        int fd = -1;
        const struct cmsghdr *first = CMSG_FIRSTHDR(&packet);
        if (first != NULL && first->cmsg_type == SCM_RIGHTS)
            memcpy(&fd, CMSG_DATA(first), sizeof fd);
        handle_message(&message, fd);
    }
}

/* ---- messages of the kernel ---- */

/*
 * Returns whether the open is by a name in the store. Checkpoints have links of images: a process
 * that opens one reads a checkpoint.
 */
static bool is_in_store(int event)
{
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", event);
    const ssize_t length = readlink(link, path, sizeof path);
    const size_t store_length = strlen(store);
    return length > (ssize_t)store_length && strncmp(path, store, store_length) == 0
        && path[store_length] == '/';
}

/* Starts the count of standstill for the first waiting program, without the time before. */
static void begin_to_look(void)
{
    if (sluice_watch_patience() < 0)
        sluice_standstill_look();
}

static bool may_open(int event, pid_t thread, pid_t announced)
{
    return sluice_opener_is_ours(thread) || (announced != 0 && sluice_opener_is_attached(announced))
        || is_in_store(event);
}

static void ask(int event, pid_t thread)
{
    struct stat status;
    const pid_t announced = sluice_opener_announced(thread);
    begin_to_look();
    if (may_open(event, thread, announced) || fstat(event, &status) != 0
        || !hold((struct held){++last_number, event, false, most_millis})) {
        allow(event);
        return;
    }
    send_message(&(struct sluice_guard_message){
        .type = SLUICE_GUARD_ASK,
        .number = last_number,
        .pid = announced,
        .thread = thread,
        .device = (int64_t)major(status.st_dev) << 32 | minor(status.st_dev),
        .inode = (int64_t)status.st_ino,
    });
}

static bool read_permissions(void)
{
    _Alignas(struct fanotify_event_metadata) char events[4096];
    ssize_t length = read(group, events, sizeof events);
    if (length <= 0)
        return false;
    const struct fanotify_event_metadata *event = (const struct fanotify_event_metadata *)events;
    for (; FAN_EVENT_OK(event, length); event = FAN_EVENT_NEXT(event, length))
        if (event->fd >= 0)
            ask(event->fd, event->pid); /* the pid is a thread's */
    return true;
}

static bool read_notices(void)
{
    _Alignas(struct inotify_event) char events[4096];
    const ssize_t length = read(group, events, sizeof events);
    for (ssize_t at = 0; at < length;) {
        const struct inotify_event *event = (const struct inotify_event *)(events + at);
        say(SLUICE_GUARD_OPENED, event->wd);
        at += (ssize_t)(sizeof *event + event->len);
    }
    return length > 0;
}

void sluice_watch_events(void)
{
    while (group >= 0 && (asks ? read_permissions() : read_notices()))
        continue;
}

static void tell_of_broken_lease(struct held *one)
{
    if (waits(one))
        return;
    begin_to_look();
    one->patience = most_millis;
    say(SLUICE_GUARD_BROKEN, one->number);
}

/* Looks at all leases. The queue of signals was full, so some signals are missing. */
static void look_at_all_leases(void)
{
    for (struct held *one = held; one < held + held_count; one++)
        if (one->leased && fcntl(one->fd, F_GETLEASE) != F_WRLCK)
            tell_of_broken_lease(one);
}

void sluice_watch_signals(int signals)
{
    struct signalfd_siginfo signal;
    while (read(signals, &signal, sizeof signal) == sizeof signal) {
        struct held *one = find(true, signal.ssi_fd);
        if ((int)signal.ssi_signo == SIGIO)
            look_at_all_leases();
        else if (one != NULL)
            tell_of_broken_lease(one);
        else
            say(SLUICE_GUARD_BROKEN, signal.ssi_fd);
    }
}
