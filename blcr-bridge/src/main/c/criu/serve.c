#include "serve.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "result.h"
#include "source.h"
#include "status.h"
#include "tree.h"
#include "writer.h"

struct serve {
    const struct sluice_criu_options *options;
    struct sluice_source source;
    struct sluice_writer signals; /* tells of signals alone */
    struct sluice_tree *trees;
    size_t count; /* of the trees that were begun */
    int signal;   /* the last one that was passed on, 0 for none */
};

/* Stops the last restore, which lacks images. The ones before have all of theirs. */
static void kill_restore(struct serve *serve)
{
    for (size_t i = 0; i < serve->count; i++) {
        struct sluice_tree *tree = &serve->trees[i];
        if (i == serve->count - 1 && tree->command > 0 && tree->status < 0) {
            sluice_criu_program_kill(tree->command);
            sluice_tree_await(tree);
        }
        sluice_tree_close(tree);
    }
}

/* Ends this process as the source ended, which has told why. */
_Noreturn static void fail_with_source(struct serve *serve)
{
    kill_restore(serve);
    const int status = sluice_source_end(&serve->source);
    if (status > SLUICE_STATUS_SIGNAL) {
        sluice_launch_say("the process that reads the checkpoint was killed by signal %d; nothing "
                          "goes on with a part of its images",
                          status - SLUICE_STATUS_SIGNAL);
    }
    exit(status == 0 || status > SLUICE_STATUS_SIGNAL ? SLUICE_STATUS_FAILED : status);
}

static void heed_signals(struct serve *serve)
{
    sluice_writer_heed(&serve->signals);
    const int signal = serve->signals.signal;
    if (signal == 0)
        return;
    kill_restore(serve);
    kill(serve->source.process, SIGTERM);
    sluice_source_end(&serve->source);
    sluice_launch_say("signal %d (%s) came before the end of the restore", signal,
                      strsignal(signal));
    exit(SLUICE_STATUS_SIGNAL + signal);
}

static void list(struct serve *serve)
{
    int listed = 0;
    while (listed == 0) {
        struct pollfd both[2] = {{.fd = serve->source.from, .events = POLLIN},
                                 {.fd = serve->signals.signals, .events = POLLIN}};
        poll(both, 2, -1);
        heed_signals(serve);
        listed = sluice_source_list(&serve->source);
    }
    if (listed < 0)
        fail_with_source(serve);
}

/* Ends this process for what is no restore. */
_Noreturn static void fail_foreign(struct serve *serve)
{
    kill_restore(serve);
    kill(serve->source.process, SIGTERM);
    sluice_source_end(&serve->source);
    sluice_launch_fail(SLUICE_STATUS_FAILED,
                       "checkpoint %lld is not restored: what came through %s is no request of "
                       "CRIU's --stream",
                       (long long)serve->source.checkpoint, SLUICE_WIRE_SERVE);
}

/* Answers the requests that are there. */
static void answer(struct serve *serve, struct sluice_tree *tree)
{
    char path[8192];
    int pipe;
    while (tree->wire.socket >= 0) {
        const enum sluice_wire_event event = sluice_wire_read(&tree->wire, &pipe);
        if (event == SLUICE_WIRE_NOTHING)
            return;
        if (event == SLUICE_WIRE_FOREIGN)
            fail_foreign(serve);
        if (event == SLUICE_WIRE_END) {
            sluice_wire_close(&tree->wire);
            tree->over = true;
            continue;
        }
        snprintf(path, sizeof path, "%s%s", tree->prefix, tree->wire.name);
        const struct sluice_source_image *image = sluice_source_find(&serve->source, path);
        if (event == SLUICE_WIRE_NAME) {
            sluice_wire_answer(&tree->wire, image != NULL);
            continue;
        }
        fcntl(pipe, F_SETPIPE_SZ, SLUICE_WRITER_PIECE); /* a smaller one only takes longer */
        sluice_source_write(&serve->source, path, pipe);
        tree->asked |= strcmp(tree->wire.name, SLUICE_INVENTORY) == 0;
        tree->count++;
        tree->bytes += image->size;
    }
}

/* Returns whether CRIU has failed, or wants no more images and has all that it asked for. */
static bool is_served(const struct serve *serve, const struct sluice_tree *tree)
{
    return tree->status > 0 || ((tree->over || tree->status == 0) && serve->source.writing == 0);
}

/* Serves a tree until that is over. */
static void serve_tree(struct serve *serve, struct sluice_tree *tree)
{
    while (!is_served(serve, tree)) {
        struct pollfd polled[4] = {{.fd = serve->signals.signals, .events = POLLIN},
                                   {.fd = serve->source.from, .events = POLLIN},
                                   {.fd = tree->listener, .events = POLLIN},
                                   {.fd = tree->wire.socket, .events = POLLIN}};
        poll(polled, 4, -1);
        heed_signals(serve);
        if (polled[1].revents != 0 && !sluice_source_heed(&serve->source))
            fail_with_source(serve);
        sluice_tree_reap(tree);
        sluice_tree_accept(tree);
        answer(serve, tree);
    }
}

static char **command_of(const struct serve *serve, struct sluice_tree *tree)
{
    char **more = serve->options->writer.service.command;
    size_t count = 0;
    while (more[count] != NULL)
        count++;
    char **words = calloc(count + 8, sizeof *words);
    if (words == NULL)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "no memory");
    memcpy(words, (char *[]){"criu", "restore", "--stream", "-D", tree->images, "-W", tree->images},
           7 * sizeof *words);
    memcpy(words + 7, more, count * sizeof *words);
    return words;
}

/* Restores the tree whose images begin with the prefix. Returns 0 while that goes well. */
static int restore(struct serve *serve, const char *prefix)
{
    struct sluice_tree *tree = &serve->trees[serve->count];
    const char *directory = serve->options->directory;
    int status = sluice_tree_open(tree, directory, prefix, SLUICE_WIRE_SERVE, false);
    if (status != 0)
        return status;
    serve->count++;
    if (directory == NULL)
        status = sluice_tree_start(tree, command_of(serve, tree));
    else if (*serve->options->writer.service.command != NULL)
        status = sluice_tree_start(tree, serve->options->writer.service.command);
    if (status == 0)
        serve_tree(serve, tree);
    return status != 0 ? status : tree->status > 0 ? tree->status : 0;
}

/* Restores a tree for each inventory, one after the other: one CRIU does not take another's PIDs. */
static int restore_all(struct serve *serve)
{
    const size_t length = strlen(SLUICE_INVENTORY);
    int status = 0;
    for (size_t i = 0; i < serve->source.count && status == 0; i++) {
        const char *path = serve->source.images[i].path;
        const size_t all = strlen(path);
        if (all < length || strcmp(path + all - length, SLUICE_INVENTORY) != 0
            || (all > length && path[all - length - 1] != '/')) {
            continue;
        }
        if (serve->options->directory != NULL && serve->count > 0) {
            sluice_launch_say("checkpoint %lld has several process trees: sluice criu restore "
                              "restores them",
                              (long long)serve->source.checkpoint);
            return SLUICE_STATUS_USAGE;
        }
        status = restore(serve, strndup(path, all - length));
    }
    if (status == 0 && serve->count == 0) {
        sluice_launch_say("checkpoint %lld has no image %s, so it is none of CRIU's",
                          (long long)serve->source.checkpoint, SLUICE_INVENTORY);
        return SLUICE_STATUS_NOT_FOUND;
    }
    return status;
}

/* Passes a signal on to restored processes. CRIU, which waits for them, heeds none. */
static void pass_signal(struct serve *serve, const struct sluice_tree *tree)
{
    const int signal = serve->signals.signal;
    if (signal == 0)
        return;
    serve->signals.signal = 0;
    serve->signal = signal;
    if (tree->own)
        sluice_criu_program_tell_children(tree->command, signal);
}

/*
 * Waits for the ends of all commands, one after the other, and passes signals on. Returns the first
 * status that fails.
 */
static int await_all(struct serve *serve)
{
    int status = 0;
    for (size_t i = 0; i < serve->count; i++) {
        struct sluice_tree *tree = &serve->trees[i];
        serve->signals.command = tree->command;
        sluice_tree_reap(tree); /* the signal of its end may have been heard */
        while (tree->command > 0 && tree->status < 0) {
            struct pollfd polled = {.fd = serve->signals.signals, .events = POLLIN};
            poll(&polled, 1, -1);
            sluice_writer_heed(&serve->signals);
            pass_signal(serve, tree);
            sluice_tree_reap(tree);
        }
        status = status == 0 && tree->status > 0 ? tree->status : status;
        sluice_tree_close(tree);
    }
    return status;
}

/* Returns whether a restore has asked for each inventory, and says so if not. */
static bool have_all_asked(const struct serve *serve)
{
    for (size_t i = 0; i < serve->count; i++) {
        if (!serve->trees[i].asked) {
            sluice_launch_say("checkpoint %lld is not restored: nobody asked for %s%s",
                              (long long)serve->source.checkpoint, serve->trees[i].prefix,
                              SLUICE_INVENTORY);
            return false;
        }
    }
    return true;
}

/* Tells what is restored. Returns the exit status. */
static int tell(const struct serve *serve)
{
    const int64_t number = serve->source.checkpoint;
    const bool given = serve->trees->command == 0;
    if (serve->options->writer.json) {
        sluice_tree_print(number, serve->trees, serve->count);
    } else if (given) {
        sluice_result_print("gave checkpoint %lld: %lld images, %lld bytes\n", (long long)number,
                            (long long)serve->trees->count, (long long)serve->trees->bytes);
    } else {
        sluice_result_print("restored checkpoint %lld: %zu process tree%s\n", (long long)number,
                            serve->count, serve->count == 1 ? "" : "s");
    }
    return sluice_result_status(number, given ? "given" : "restored");
}

int sluice_serve(const struct sluice_criu_options *options)
{
    static struct serve serve;
    serve.options = options;
    sluice_writer_listen(&serve.signals, true);
    sluice_source_start(&serve.source, options);
    list(&serve);
    serve.trees = calloc(serve.source.count + 1, sizeof *serve.trees);
    if (serve.trees == NULL)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "no memory");
    int status = restore_all(&serve);
    if (status != 0)
        kill(serve.source.process, SIGTERM);
    const int read = sluice_source_end(&serve.source);
    const int ended = await_all(&serve);
    status = status != 0 ? status : read != 0 ? read : ended;
    if (serve.signal != 0) {
        sluice_launch_say("signal %d (%s) was passed on to what was restored, which has ended",
                          serve.signal, strsignal(serve.signal));
        return SLUICE_STATUS_SIGNAL + serve.signal;
    }
    if (status == ended && status != 0) {
        sluice_launch_say("checkpoint %lld is not restored: criu ended with status %d",
                          (long long)serve.source.checkpoint, status);
    }
    if (status == 0 && !have_all_asked(&serve))
        status = SLUICE_STATUS_FAILED;
    return status != 0 ? status : tell(&serve);
}
