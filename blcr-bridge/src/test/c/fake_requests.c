#include "fake_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static struct fake_image *image_of(struct fake_io_process *iop, int32_t id)
{
    for (int i = 0; i < iop->image_count; i++)
        if (iop->images[i].entry->image_id == id)
            return iop->images + i;
    fake_must(false, "request for an unknown image");
    return NULL;
}

static struct fake_image *add_image(struct fake_io_process *iop, int64_t device, int64_t inode,
                                    const char *path)
{
    uint64_t hash = (uint64_t)inode * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)device;
    hash ^= hash >> 32;
    struct sluice_image_entry *entry =
        (struct sluice_image_entry *)(iop->base + iop->header->images)
        + (hash & (FAKE_IMAGES / 16 - 1)) * 16;
    while (atomic_load(&entry->state) != SLUICE_IMAGE_STATE_FREE)
        entry++;
    struct fake_image *image = iop->images + iop->image_count++;
    image->entry = entry;
    image->fd = open(path, O_RDWR | O_CLOEXEC);
    MUST(image->fd >= 0);
    image->overlay = malloc(FAKE_IMAGE_LIMIT * sizeof *image->overlay);
    memset(image->overlay, 0xff, FAKE_IMAGE_LIMIT * sizeof *image->overlay);
    struct stat status;
    MUST(fstat(image->fd, &status) == 0);
    entry->image_id = iop->image_count;
    atomic_store(&entry->device, device);
    atomic_store(&entry->inode, inode);
    atomic_store(&entry->size, status.st_size);
    atomic_store(&entry->state,
                 iop->disposition == SLUICE_REQUEST_DIVERT ? SLUICE_IMAGE_STATE_DIVERTED
                                                           : SLUICE_IMAGE_STATE_DIRECT);
    return image;
}

static void reply(int fd, int status, const void *body, size_t length)
{
    char frame[8 + 4096];
    const int32_t header[2] = {(int32_t)(8 + length), status};
    memcpy(frame, header, sizeof header);
    if (length > 0)
        memcpy(frame + sizeof header, body, length);
    send(fd, frame, 8 + length, MSG_NOSIGNAL);
}

static void refuse(int fd, int error, const char *sentence)
{
    reply(fd, -error, sentence, strlen(sentence));
}

static void answer_open(struct fake_io_process *iop, int fd, int64_t device, int64_t inode,
                        const char *path, const char *tail)
{
    struct {
        int32_t disposition, entry, id, reserved;
        int64_t size;
        int32_t length;
        char path[256];
    } body = {.disposition = iop->disposition};
    if (iop->disposition != SLUICE_REQUEST_PLAIN) {
        struct fake_image *image = add_image(iop, device, inode, path);
        body.entry = (int32_t)(image->entry
                               - (struct sluice_image_entry *)(iop->base + iop->header->images));
        body.id = image->entry->image_id;
        body.size = atomic_load(&image->entry->size);
    }
    size_t length = offsetof(__typeof__(body), length);
    if (tail != NULL) {
        body.length = (int32_t)strlen(tail);
        strcpy(body.path, tail);
        length = offsetof(__typeof__(body), path) + strlen(tail);
    }
    reply(fd, 0, &body, length);
}

static void create(struct fake_io_process *iop, int fd, const char *body)
{
    char path[256];
    int32_t name_length;
    memcpy(&name_length, body + 16, 4);
    snprintf(path, sizeof path, "%s/image-%d", iop->directory, iop->image_count);
    const int created = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct stat status;
    MUST(created >= 0 && fstat(created, &status) == 0 && name_length > 0);
    close(created);
    answer_open(iop, fd, (int64_t)status.st_dev, (int64_t)status.st_ino, path, path);
    iop->images[iop->image_count - 1].by_request = true;
}

static struct fake_image *find_image(struct fake_io_process *iop, int64_t device, int64_t inode)
{
    for (int i = 0; i < iop->image_count; i++) {
        struct sluice_image_entry *entry = iop->images[i].entry;
        if (atomic_load(&entry->device) == device && atomic_load(&entry->inode) == inode)
            return iop->images + i;
    }
    return NULL;
}

static void reply_plain(int fd)
{
    reply(fd, 0, (const int32_t[6]){SLUICE_REQUEST_PLAIN}, 6 * sizeof(int32_t));
}

/* A file that it knows becomes direct; one that it does not know is an image if it is new. */
static void open_image(struct fake_io_process *iop, int fd, const char *body, size_t length)
{
    int64_t identity[2];
    int32_t flags;
    char path[256] = "";
    memcpy(identity, body, sizeof identity);
    memcpy(&flags, body + 16, sizeof flags);
    memcpy(path, body + 24, length - 24);
    struct fake_image *known = find_image(iop, identity[0], identity[1]);
    if (known == NULL && (flags & SLUICE_REQUEST_OPEN_CREATED)) {
        answer_open(iop, fd, identity[0], identity[1], path, NULL);
    } else if (known == NULL || known->by_request) {
        reply_plain(fd); /* by request: the shim sees the API of its own process open the file */
    } else {
        atomic_store(&known->entry->state, SLUICE_IMAGE_STATE_DIRECT);
        fake_settle(iop, known);
        reply(fd, 0, (const int32_t[6]){SLUICE_REQUEST_DIRECT, 0, known->entry->image_id},
              6 * sizeof(int32_t));
    }
}

static void restart(struct fake_io_process *iop, int fd)
{
    struct {
        int32_t length;
        char path[200];
    } body;
    body.length = snprintf(body.path, sizeof body.path, "%s/rebuilt", iop->directory);
    const int copy = open(body.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    MUST(copy >= 0 && write(copy, "rebuilt bytes", 13) == 13);
    close(copy);
    reply(fd, 0, &body, sizeof body.length + (size_t)body.length);
}

/* Pieces of an image; all that a test's image has fits into a pipe. */
struct pieces {
    char bytes[4096];
    size_t length;
};

static void add_piece(struct pieces *pieces, struct sluice_piece piece, const char *bytes)
{
    memcpy(pieces->bytes + pieces->length, &piece, sizeof piece);
    pieces->length += sizeof piece;
    if (bytes != NULL) {
        memcpy(pieces->bytes + pieces->length, bytes, (size_t)piece.length);
        pieces->length += (size_t)piece.length;
    }
}

/* The first time it is cut, as by a kill. */
static void send_image(struct fake_io_process *iop, int fd, const char *body, size_t length)
{
    struct sluice_request_read request;
    char name[64] = "";
    struct pieces all = {.length = 0};
    memcpy(&request, body, sizeof request);
    memcpy(name, body + sizeof request + 4, length - sizeof request - 4);
    if (strcmp(name, "hidden") == 0) {
        refuse(fd, EACCES, "the pipe cannot be opened");
        return;
    }
    const int pipe = dup(request.descriptor);
    if (strcmp(name, "damaged") == 0) {
        add_piece(&all, (struct sluice_piece){SLUICE_PIECE_TYPE_FAILED, EBADMSG, 0, 13},
                  "it is damaged");
    } else if (strcmp(name, "zeros") == 0) {
        add_piece(&all, (struct sluice_piece){SLUICE_PIECE_TYPE_ZEROS, 0, 0, 1000 * 4096}, NULL);
    } else {
        add_piece(&all, (struct sluice_piece){SLUICE_PIECE_TYPE_BYTES, 0, 8, 5}, "tails");
        add_piece(&all, (struct sluice_piece){SLUICE_PIECE_TYPE_BYTES, 0, 0, 5}, "heads");
        add_piece(&all, (struct sluice_piece){SLUICE_PIECE_TYPE_ZEROS, 0, 5, 3}, NULL);
    }
    add_piece(&all, (struct sluice_piece){.type = SLUICE_PIECE_TYPE_END}, NULL);
    if (iop->requests[SLUICE_REQUEST_READ] == 1)
        all.length = 30;
    MUST(pipe >= 0 && write(pipe, all.bytes, all.length) == (ssize_t)all.length);
    close(pipe);
    reply(fd, 0, NULL, 0);
}

static void answer_settle(struct fake_io_process *iop, int fd, const int32_t *body)
{
    struct fake_image *image = image_of(iop, body[0]);
    if (body[1] != SLUICE_REASON_NONE)
        atomic_store(&image->entry->state, SLUICE_IMAGE_STATE_DIRECT);
    fake_settle(iop, image);
    const int64_t size = atomic_load(&image->entry->size);
    reply(fd, 0, &size, sizeof size);
}

void fake_answer(struct fake_io_process *iop, int slot, int type, const char *body, size_t length)
{
    const int fd = iop->clients[slot];
    switch (type) {
    case SLUICE_REQUEST_ATTACH: {
        const int64_t session[2] = {slot, iop->header->session_id};
        int32_t version;
        memcpy(&version, body, sizeof version);
        if (version != SLUICE_HEADER_VERSION) {
            refuse(fd, EPROTONOSUPPORT, "another version");
        } else {
            iop->slots[slot].generation++;
            iop->slots[slot].makes_memory = 1;
            iop->slots[slot].state = SLUICE_SLOT_STATE_ATTACHED;
            reply(fd, 0, session, sizeof session);
        }
        break;
    }
    case SLUICE_REQUEST_OPEN:
        open_image(iop, fd, body, length);
        break;
    case SLUICE_REQUEST_CREATE:
        create(iop, fd, body);
        break;
    case SLUICE_REQUEST_SETTLE:
        answer_settle(iop, fd, (const int32_t *)body);
        break;
    case SLUICE_REQUEST_WAIT:
        refuse(fd, ETIMEDOUT, "not yet");
        break;
    case SLUICE_REQUEST_LIST: {
        const int32_t numbers[5] = {2, 7, 0, 9, 0};
        reply(fd, 0, numbers, sizeof numbers);
        break;
    }
    case SLUICE_REQUEST_RESTART:
        restart(iop, fd);
        break;
    case SLUICE_REQUEST_READ:
        send_image(iop, fd, body, length);
        break;
    case SLUICE_REQUEST_LEAVE:
        memcpy(&iop->last_status, body, sizeof iop->last_status);
        iop->member[slot] = false;
        reply(fd, 0, NULL, 0);
        break;
    case SLUICE_REQUEST_JOIN:
        iop->member[slot] = true;
        reply(fd, 0, NULL, 0);
        break;
    case SLUICE_REQUEST_RENAMED:
    case SLUICE_REQUEST_WAKE:
        break;
    default:
        reply(fd, 0, NULL, 0);
    }
}
