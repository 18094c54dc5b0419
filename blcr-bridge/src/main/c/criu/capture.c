#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "status.h"

/* A pipe that an image comes through. */
struct stream {
    int pipe;
    sluice_image *image;
    struct sluice_tree *tree;
    struct sluice_inventory *inventory; /* NULL for another image */
};

struct capture {
    struct sluice_writer *writer;
    struct sluice_tree *trees;
    size_t count;
    struct stream *streams; /* open ones */
    size_t open;
    size_t room;
    struct pollfd *polled; /* signals, three of each tree, and one of each stream */
};

/* Ends the streams that are open, and waits for what runs CRIU: CRIU lets its processes run on. */
static void give_up(struct capture *capture)
{
    for (size_t i = 0; i < capture->open; i++)
        close(capture->streams[i].pipe);
    for (size_t i = 0; i < capture->count; i++)
        sluice_tree_leave(&capture->trees[i]);
    for (size_t i = 0; i < capture->count; i++)
        sluice_tree_stop(&capture->trees[i]);
    for (size_t i = 0; i < capture->count; i++)
        sluice_tree_close(&capture->trees[i]);
}

/* Ends this process for a failed call. */
_Noreturn static void fail(struct capture *capture, int error)
{
    give_up(capture);
    sluice_writer_fail(capture->writer, error);
}

/* Ends this process with a line of its own. */
#define END(capture, status, ...)                                                                  \
    do {                                                                                           \
        const int status_ = (status);                                                              \
        give_up(capture);                                                                          \
        sluice_launch_say(__VA_ARGS__);                                                            \
        sluice_writer_end((capture)->writer, status_);                                             \
    } while (0)

static long long number_of(const struct capture *capture)
{
    return (long long)capture->writer->options->checkpoint;
}

static void add_stream(struct capture *capture, struct sluice_tree *tree, int pipe)
{
    char name[NAME_MAX + 32];
    if (capture->open == capture->room) {
        capture->room = 2 * capture->room + 64;
        const size_t polled = 1 + 3 * capture->count + capture->room;
        capture->streams = realloc(capture->streams, capture->room * sizeof *capture->streams);
        capture->polled = realloc(capture->polled, polled * sizeof *capture->polled);
        if (capture->streams == NULL || capture->polled == NULL)
            sluice_launch_fail(SLUICE_STATUS_FAILED, "no memory");
    }
    struct stream *stream = &capture->streams[capture->open];
    *stream = (struct stream){.pipe = pipe, .tree = tree};
    capture->open++;
    snprintf(name, sizeof name, "%s%s", tree->prefix, tree->wire.name);
    const int error =
        sluice_image_create(capture->writer->session, number_of(capture), name, &stream->image);
    if (error != 0)
        fail(capture, error);
    fcntl(pipe, F_SETPIPE_SZ, SLUICE_WRITER_PIECE); /* a smaller one only takes longer */
    tree->count++;
    if (strcmp(tree->wire.name, SLUICE_INVENTORY) == 0)
        stream->inventory = &tree->inventory;
}

/* Takes the requests that are there. */
static void take_requests(struct capture *capture, struct sluice_tree *tree)
{
    int pipe;
    while (tree->wire.socket >= 0) {
        switch (sluice_wire_read(&tree->wire, &pipe)) {
        case SLUICE_WIRE_NAME:
            break;
        case SLUICE_WIRE_PIPE:
            add_stream(capture, tree, pipe);
            break;
        case SLUICE_WIRE_END:
            sluice_wire_close(&tree->wire);
            tree->over = true;
            break;
        case SLUICE_WIRE_FOREIGN:
            END(capture, SLUICE_STATUS_FAILED,
                "checkpoint %lld is given up: what came through %s is no request of CRIU's "
                "--stream",
                number_of(capture), SLUICE_WIRE_CAPTURE);
            break;
        default:
            return;
        }
    }
}

/* Takes what is there of an inventory, which is looked at. Returns as sluice_image_fill(). */
static ssize_t take_inventory(struct stream *stream)
{
    char piece[4096];
    const ssize_t count = read(stream->pipe, piece, sizeof piece);
    if (count < 0)
        return sluice_log_source(-errno);
    sluice_inventory_add(stream->inventory, piece, (size_t)count);
    const ssize_t written = sluice_image_write(stream->image, piece, (size_t)count);
    return written < 0 ? written : count;
}

/* Takes what is there of a stream. Returns false at its end. */
static bool take(struct capture *capture, struct stream *stream)
{
    const ssize_t count = stream->inventory != NULL
        ? take_inventory(stream)
        : sluice_image_fill(stream->image, stream->pipe, SLUICE_WRITER_PIECE);
    if (count > 0)
        stream->tree->bytes += count;
    if (count > 0 || count == -EAGAIN || count == -EINTR)
        return true;
    const int error = count < 0 ? (int)count : sluice_image_close(stream->image);
    if (error != 0)
        fail(capture, error);
    close(stream->pipe);
    return false;
}

static void take_streams(struct capture *capture, const struct pollfd *polled, size_t known)
{
    size_t kept = 0;
    for (size_t i = 0; i < capture->open; i++) {
        const bool ready = i < known && polled[i].revents != 0;
        if (!ready || take(capture, &capture->streams[i]))
            capture->streams[kept++] = capture->streams[i];
    }
    capture->open = kept;
}

/* Waits for anything of the trees, the streams or signals, and handles it. */
static void step(struct capture *capture)
{
    struct pollfd *at = capture->polled;
    *at++ = (struct pollfd){.fd = capture->writer->signals, .events = POLLIN};
    for (size_t i = 0; i < capture->count; i++) {
        const struct sluice_tree *tree = &capture->trees[i];
        *at++ = (struct pollfd){.fd = tree->wire.socket, .events = POLLIN};
        *at++ = (struct pollfd){.fd = tree->listener, .events = POLLIN};
        *at++ = (struct pollfd){.fd = tree->hold_listener, .events = POLLIN};
    }
    const size_t known = capture->open;
    for (size_t i = 0; i < known; i++)
        at[i] = (struct pollfd){.fd = capture->streams[i].pipe, .events = POLLIN};
    poll(capture->polled, (nfds_t)(at - capture->polled) + known, SLUICE_WRITER_LOOK);
    take_streams(capture, at, known); /* as many as were looked at: requests add others */
    for (size_t i = 0; i < capture->count; i++) {
        sluice_tree_reap(&capture->trees[i]);
        sluice_tree_accept(&capture->trees[i]);
        take_requests(capture, &capture->trees[i]);
    }
    sluice_writer_heed(capture->writer);
}

static bool has_streams(const struct capture *capture, const struct sluice_tree *tree)
{
    for (size_t i = 0; i < capture->open; i++)
        if (capture->streams[i].tree == tree)
            return true;
    return false;
}

/* Returns whether all images of a tree came. CRIU says so, by its status or as it waits. */
static bool has_come(const struct capture *capture, const struct sluice_tree *tree)
{
    const bool ended = tree->command == 0 ? tree->over : tree->status == 0;
    return (tree->hold >= 0 || (ended && tree->wire.socket < 0)) && !has_streams(capture, tree);
}

static void fail_command(struct capture *capture, const struct sluice_tree *tree)
{
    const char *name = tree->own ? "criu" : *capture->writer->options->service.command;
    const char *then =
        tree->own ? "what it was to dump runs on" : "look whether what it was to dump runs";
    const int status = tree->status;
    if (status == SLUICE_STATUS_NO_COMMAND || status == SLUICE_STATUS_NOT_EXECUTABLE) {
        give_up(capture); /* after a line already */
        sluice_writer_end(capture->writer, status);
    }
    if (!tree->connected && geteuid() != 0 && tree->own) {
        END(capture, SLUICE_STATUS_DENIED,
            "checkpoint %lld is given up: criu may not dump; run it as root, or give it "
            "CAP_CHECKPOINT_RESTORE and say --unprivileged behind --",
            number_of(capture));
    }
    END(capture, status, "checkpoint %lld is given up: %s ended with status %d; %s",
        number_of(capture), name, status, then);
}

/* Ends this process if a tree fails, or a signal came. */
static void look(struct capture *capture)
{
    for (size_t i = 0; i < capture->count; i++) {
        const struct sluice_tree *tree = &capture->trees[i];
        if (tree->status > 0)
            fail_command(capture, tree);
        if (has_come(capture, tree) && !sluice_inventory_is_whole(&tree->inventory)) {
            END(capture, SLUICE_STATUS_FAILED,
                "checkpoint %lld is given up: the dump is not whole: no whole %s came",
                number_of(capture), SLUICE_INVENTORY);
        }
    }
    const int signal = capture->writer->signal;
    if (signal != 0) {
        END(capture, SLUICE_STATUS_SIGNAL + signal,
            "checkpoint %lld is given up: signal %d (%s) came before the end of the dump",
            number_of(capture), signal, strsignal(signal));
    }
}

static bool all_have_come(const struct capture *capture)
{
    for (size_t i = 0; i < capture->count; i++)
        if (!has_come(capture, &capture->trees[i]))
            return false;
    return true;
}

static void commit(struct capture *capture)
{
    struct sluice_writer *writer = capture->writer;
    int error = sluice_checkpoint_complete(writer->session, writer->options->checkpoint);
    if (error != 0)
        fail(capture, error);
    writer->begun = false;
    if (!capture->trees->own)
        writer->loss = "; look whether what criu dumped still runs";
    error = sluice_writer_await(writer);
    if (error == -EINTR) {
        give_up(capture);
        sluice_writer_end(writer, SLUICE_STATUS_SIGNAL + writer->signal);
    }
    if (error != 0)
        fail(capture, error);
}

/* Lets CRIU end its processes where it waits for that. */
static void release(struct capture *capture)
{
    for (size_t i = 0; i < capture->count; i++)
        sluice_tree_release(&capture->trees[i]);
    for (size_t i = 0; i < capture->count; i++) {
        struct sluice_tree *tree = &capture->trees[i];
        sluice_tree_await(tree);
        if (tree->status > 0) {
            sluice_launch_say("checkpoint %lld is committed, but criu ended with status %d then: "
                              "look whether its process runs",
                              number_of(capture), tree->status);
            give_up(capture);
            sluice_writer_end(capture->writer, tree->status);
        }
    }
}

void sluice_capture(struct sluice_writer *writer, struct sluice_tree *trees, size_t count)
{
    struct capture capture = {.writer = writer, .trees = trees, .count = count};
    int64_t looked = sluice_clock_ms();
    capture.polled = calloc(1 + 3 * count, sizeof *capture.polled);
    if (capture.polled == NULL)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "no memory");
    while (!all_have_come(&capture)) {
        step(&capture);
        look(&capture);
        if (sluice_clock_ms() - looked >= SLUICE_WRITER_LOOK) {
            looked = sluice_clock_ms();
            const int error = sluice_writer_look(writer);
            if (error != 0)
                fail(&capture, error);
        }
    }
    commit(&capture);
    release(&capture);
    free(capture.streams);
    free(capture.polled);
}
