#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "clock.h"
#include "message.h"
#include "sluice_layout.h"

#define MOST_MILLIS 1000
#define FANOTIFY 1

/* A program that waits to open a file. */
struct waiting {
    int number; /* under which the I/O process was asked */
    int event;  /* fanotify's descriptor; of a lease the copy of the image's, which stays open */
    bool leased;
    int64_t deadline; /* CLOCK_MONOTONIC, ms */
};

/* An image that is held by a lease. */
struct leased {
    int number; /* its descriptor in the I/O process */
    int fd;
};

static const uint8_t *segment;
static const char *store;
static int io_process;
static int connection;
static int group = -1;
static bool asks; /* the group is fanotify's, so that programs wait */
static int last_number;

static struct waiting *waiting;
static size_t waiting_count, waiting_room;
static struct leased *leased;
static size_t leased_count, leased_room;

bool sluice_watch_init(const char *segment_path, const char *store_path, int pid)
{
    struct stat status;
    const int fd = open(segment_path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0)
        return false;
    segment = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    store = store_path;
    io_process = pid;
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

/* Never waits: one that does not read its messages is not waited for either. */
static void send_message(const struct sluice_guard_message *message)
{
    send(connection, message, sizeof *message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Makes room for one more; false without memory. */
static bool make_room(void **array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return true;
    const size_t more = *room == 0 ? 64 : 2 * *room;
    void *grown = realloc(*array, more * size);
    if (grown == NULL)
        return false;
    *array = grown;
    *room = more;
    return true;
}

static bool wait_for(int number, int event, bool is_leased)
{
    if (!make_room((void **)&waiting, waiting_count, &waiting_room, sizeof *waiting))
        return false;
    waiting[waiting_count++] =
        (struct waiting){number, event, is_leased, sluice_clock_ms() + MOST_MILLIS};
    return true;
}

static void allow(int event)
{
    const struct fanotify_response response = {.fd = event, .response = FAN_ALLOW};
    const ssize_t written = write(group, &response, sizeof response);
    (void)written; /* the one who waited was killed meanwhile */
    close(event);
}

/* Lets the program go on that waits as number `i`. */
static void let_go_on(size_t i)
{
    const struct waiting one = waiting[i];
    waiting[i] = waiting[--waiting_count];
    if (one.leased)
        fcntl(one.event, F_SETLEASE, F_UNLCK);
    else
        allow(one.event);
}

int sluice_watch_patience(void)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < waiting_count; i++)
        first = waiting[i].deadline < first ? waiting[i].deadline : first;
    const int64_t left = first - sluice_clock_ms();
    return first == INT64_MAX ? -1 : left > 0 ? (int)left : 0;
}

void sluice_watch_expire(void)
{
    const int64_t time = sluice_clock_ms();
    for (size_t i = 0; i < waiting_count;) {
        if (waiting[i].deadline <= time) {
            send_message(&(struct sluice_guard_message){.type = SLUICE_GUARD_LATE,
                                                        .number = waiting[i].number});
            let_go_on(i);
        } else {
            i++;
        }
    }
}

/* ---- what the I/O process says ---- */

/* The place of a program that waits, waiting_count for none. */
static size_t find_waiting(bool is_leased, int number)
{
    size_t i = 0;
    while (i < waiting_count && (waiting[i].leased != is_leased || waiting[i].number != number))
        i++;
    return i;
}

static void answered(int number)
{
    const size_t i = find_waiting(false, number);
    if (i < waiting_count)
        let_go_on(i);
}

static void hold_lease(int number, int fd)
{
    if (!make_room((void **)&leased, leased_count, &leased_room, sizeof *leased)) {
        close(fd);
        return;
    }
    leased[leased_count++] = (struct leased){number, fd};
}

/* The I/O process has given the lease back itself. */
static void drop_lease(int number)
{
    for (size_t i; (i = find_waiting(true, number)) < waiting_count;)
        waiting[i] = waiting[--waiting_count];
    for (size_t i = 0; i < leased_count; i++) {
        if (leased[i].number == number) {
            close(leased[i].fd);
            leased[i] = leased[--leased_count];
            return;
        }
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
        send_message(&(struct sluice_guard_message){.type = SLUICE_GUARD_PONG});
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

/* ---- what the kernel says ---- */

/*
 * The slots are ours to read; a process that has one settles what it opens by itself. One that becomes
 * another program has its slot a moment longer, and the program may be one without the shim.
 */
static bool is_attached(int pid)
{
    const struct sluice_header *header = (const struct sluice_header *)segment;
    const struct sluice_slot *slots = (const struct sluice_slot *)(segment + header->slots);
    for (int32_t i = 0; i < header->slot_count; i++) {
        if (slots[i].pid == pid
            && atomic_load_explicit(&slots[i].state, memory_order_acquire)
                == SLUICE_SLOT_STATE_ATTACHED
            && atomic_load_explicit(&slots[i].left, memory_order_acquire) == 0) {
            return true;
        }
    }
    return false;
}

/* Checkpoints have links of images: who reads those reads a checkpoint. */
static bool is_in_store(int event)
{
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", event);
    const ssize_t length = readlink(link, path, sizeof path);
    const size_t store_length = strlen(store);
    return length > (ssize_t)store_length && strncmp(path, store, store_length) == 0
        && path[store_length] == '/';
}

static void ask(int event, int pid)
{
    struct stat status;
    if (pid == io_process || pid == getpid() || is_attached(pid) || is_in_store(event)
        || fstat(event, &status) != 0 || !wait_for(++last_number, event, false)) {
        allow(event);
        return;
    }
    send_message(&(struct sluice_guard_message){
        .type = SLUICE_GUARD_ASK,
        .number = last_number,
        .pid = pid,
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
            ask(event->fd, event->pid);
    return true;
}

static bool read_notices(void)
{
    _Alignas(struct inotify_event) char events[4096];
    const ssize_t length = read(group, events, sizeof events);
    for (ssize_t at = 0; at < length;) {
        const struct inotify_event *event = (const struct inotify_event *)(events + at);
        send_message(
            &(struct sluice_guard_message){.type = SLUICE_GUARD_OPENED, .number = event->wd});
        at += (ssize_t)(sizeof *event + event->len);
    }
    return length > 0;
}

void sluice_watch_events(void)
{
    while (group >= 0 && (asks ? read_permissions() : read_notices()))
        continue;
}

static void tell_of_broken_lease(struct leased *one)
{
    if (find_waiting(true, one->number) < waiting_count)
        return;
    wait_for(one->number, one->fd, true);
    send_message(
        &(struct sluice_guard_message){.type = SLUICE_GUARD_BROKEN, .number = one->number});
}

/* The queue of signals was full: which leases they were about is to be asked for. */
static void look_at_all_leases(void)
{
    for (size_t i = 0; i < leased_count; i++)
        if (fcntl(leased[i].fd, F_GETLEASE) != F_WRLCK)
            tell_of_broken_lease(&leased[i]);
}

void sluice_watch_signals(int signals)
{
    struct signalfd_siginfo signal;
    while (read(signals, &signal, sizeof signal) == sizeof signal) {
        struct leased *found = NULL;
        for (size_t i = 0; i < leased_count; i++)
            found = leased[i].number == signal.ssi_fd ? &leased[i] : found;
        if ((int)signal.ssi_signo == SIGIO) {
            look_at_all_leases();
        } else if (found != NULL) {
            tell_of_broken_lease(found);
        } else {
            send_message(&(struct sluice_guard_message){.type = SLUICE_GUARD_BROKEN,
                                                        .number = signal.ssi_fd});
        }
    }
}
