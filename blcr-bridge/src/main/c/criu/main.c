/* sluice criu: has CRIU dump processes into a checkpoint, and restore them from one. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture.h"
#include "criu_options.h"
#include "every.h"
#include "program.h"
#include "result.h"
#include "serve.h"
#include "status.h"
#include "tree.h"
#include "writer.h"

/* CRIU has many images open at a time, and so has this process then. */
static void need_descriptors(void)
{
    struct rlimit limit;
    int fd;
    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    close(fd);
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* Returns the command line of CRIU for a tree, with what the user adds. */
static char **command_of(const struct sluice_criu_options *options, struct sluice_tree *tree,
                         char *pid)
{
    static char hold[3100];
    char **more = options->writer.service.command;
    size_t count = 0;
    while (more[count] != NULL)
        count++;
    char **words = calloc(count + 13, sizeof *words);
    if (words == NULL || readlink("/proc/self/exe", hold, sizeof hold - 1) < 0)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "no memory");
    char *const fixed[] = {"criu",
                           "dump",
                           "--stream",
                           "-D",
                           tree->images,
                           "-W",
                           tree->images,
                           "-t",
                           pid,
                           options->leaves ? "--leave-running" : "--action-script",
                           options->leaves ? NULL : hold};
    const size_t length = sizeof fixed / sizeof *fixed - (options->leaves ? 1 : 0);
    memcpy(words, fixed, length * sizeof *words);
    memcpy(words + length, more, count * sizeof *words);
    return words;
}

static void start(const struct sluice_criu_options *options, struct sluice_writer *writer,
                  struct sluice_tree *trees, size_t count)
{
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++) {
        if (options->directory != NULL) {
            status = *options->writer.service.command == NULL
                ? 0
                : sluice_tree_start(&trees[i], options->writer.service.command);
        } else {
            status =
                sluice_tree_start(&trees[i], command_of(options, &trees[i], options->trees[i]));
        }
    }
    if (status == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        sluice_tree_leave(&trees[i]);
        sluice_tree_await(&trees[i]);
        sluice_tree_close(&trees[i]);
    }
    sluice_writer_end(writer, status);
}

/* Tells what is committed. Returns the exit status. */
static int tell(const struct sluice_criu_options *options, const struct sluice_tree *trees,
                size_t count)
{
    const int64_t number = options->writer.checkpoint;
    const struct sluice_tree all = sluice_tree_sum(trees, count);
    if (options->writer.json) {
        sluice_tree_print(number, trees, count);
    } else {
        sluice_result_print("checkpoint %lld has %zu process tree%s: %lld images, %lld bytes\n",
                            (long long)number, count, count == 1 ? "" : "s", (long long)all.count,
                            (long long)all.bytes);
    }
    return sluice_result_status(number, "committed");
}

/* Makes the trees and their sockets, and ends the process if that fails. */
static struct sluice_tree *make_trees(const struct sluice_criu_options *options,
                                      struct sluice_writer *writer, size_t count)
{
    struct sluice_tree *trees = calloc(count, sizeof *trees);
    int status = trees == NULL ? SLUICE_STATUS_FAILED : 0;
    for (size_t i = 0; i < count && status == 0; i++) {
        char *prefix = "";
        if (options->directory == NULL && asprintf(&prefix, "%s/", options->trees[i]) < 0)
            sluice_launch_fail(SLUICE_STATUS_FAILED, "no memory");
        status = sluice_tree_open(&trees[i], options->directory, prefix, SLUICE_WIRE_CAPTURE,
                                  options->directory == NULL && !options->leaves);
        for (size_t made = 0; made < i && status != 0; made++)
            sluice_tree_close(&trees[made]);
    }
    if (status != 0)
        sluice_writer_end(writer, status);
    return trees;
}

static int dump(struct sluice_criu_options *options)
{
    static struct sluice_writer writer;
    const size_t count = options->directory == NULL ? options->tree_count : 1;
    sluice_writer_enter(&writer, &options->writer, true);
    sluice_writer_begin(&writer);
    struct sluice_tree *trees = make_trees(options, &writer, count);
    start(options, &writer, trees, count);
    sluice_capture(&writer, trees, count);
    for (size_t i = 0; i < count; i++)
        sluice_tree_close(&trees[i]);
    const int failure = sluice_writer_leave(&writer);
    return failure != 0 ? failure : tell(options, trees, count);
}

int main(int count, char **arguments)
{
    static struct sluice_criu_options options;
    static char name[64];
    if (count == 1) /* as CRIU starts it */
        return sluice_tree_hold();
    snprintf(name, sizeof name, "sluice criu %s", arguments[1]);
    sluice_launch_name = name;
    sluice_criu_options_parse(count - 1, arguments + 1, &options);
    need_descriptors();
    if (options.directory == NULL)
        sluice_criu_program_need();
    for (size_t i = 0; i < options.tree_count; i++)
        sluice_criu_program_need_process(options.trees[i]);
    if (options.serves)
        return sluice_serve(&options);
    return options.every > 0 ? sluice_every(&options, dump) : dump(&options);
}
