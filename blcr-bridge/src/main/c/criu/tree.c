#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "result.h"
#include "status.h"

#define COMMITTED 'c'

/* Times in milliseconds. */
#define PATIENCE 10000
#define NAP 10

static void remove_file(const struct sluice_tree *tree, const char *name)
{
    char path[sizeof tree->images + NAME_MAX + 2];
    snprintf(path, sizeof path, "%s/%s", tree->images, name);
    unlink(path);
}

/* Makes a directory that this user alone enters. Its path is short, as CRIU cuts long ones. */
static int make_directory(struct sluice_tree *tree)
{
    const char *folder = getenv("TMPDIR");
    folder = folder == NULL || *folder == 0 ? "/tmp" : folder;
    if ((size_t)snprintf(tree->images, sizeof tree->images, "%s/sluice-criu-XXXXXX", folder)
        >= sizeof tree->images) {
        sluice_launch_say("TMPDIR %s is too long for a socket's path; set a shorter one", folder);
        return SLUICE_STATUS_USAGE;
    }
    if (mkdtemp(tree->images) == NULL) {
        const int error = errno;
        sluice_launch_say("cannot make %s: %s", tree->images, strerror(error));
        return sluice_launch_status(-error);
    }
    tree->own = true;
    return 0;
}

static int status_of(int error)
{
    return error == -ENAMETOOLONG ? SLUICE_STATUS_USAGE
        : error == -ENOTDIR       ? SLUICE_STATUS_USAGE
        : error == -ENOENT        ? SLUICE_STATUS_NOT_FOUND
        : error == -EADDRINUSE    ? SLUICE_STATUS_BUSY
                                  : sluice_launch_status(error);
}

int sluice_tree_open(struct sluice_tree *tree, const char *directory, const char *prefix,
                     const char *socket, bool hold)
{
    *tree = (struct sluice_tree){.prefix = prefix,
                                 .listener = -1,
                                 .hold_listener = -1,
                                 .hold = -1,
                                 .wire.socket = -1,
                                 .status = -1};
    int status = 0;
    if (directory == NULL)
        status = make_directory(tree);
    else
        snprintf(tree->images, sizeof tree->images, "%s", directory);
    if (status != 0)
        return status;
    tree->listener = sluice_wire_listen(directory == NULL ? tree->images : directory, socket);
    if (tree->listener >= 0 && hold)
        tree->hold_listener = sluice_wire_listen(tree->images, SLUICE_TREE_HOLD);
    tree->socket = tree->listener >= 0 ? socket : NULL;
    if (tree->listener < 0 || (hold && tree->hold_listener < 0)) {
        status = status_of(tree->listener < 0 ? tree->listener : tree->hold_listener);
        sluice_tree_close(tree);
    }
    return status;
}

int sluice_tree_start(struct sluice_tree *tree, char **command)
{
    const pid_t child = sluice_launch_command_start(command);
    if (child < 0)
        return SLUICE_STATUS_FAILED;
    tree->command = child;
    return 0;
}

static int accept_at(int *listener)
{
    const int connection = *listener < 0 ? -1 : accept4(*listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection >= 0) {
        close(*listener);
        *listener = -1;
    }
    return connection;
}

void sluice_tree_accept(struct sluice_tree *tree)
{
    const int connection = accept_at(&tree->listener);
    if (connection >= 0) {
        tree->connected = true;
        sluice_wire_begin(&tree->wire, connection);
    }
    const int hold = accept_at(&tree->hold_listener);
    tree->hold = hold >= 0 ? hold : tree->hold;
}

static void note_end(struct sluice_tree *tree, int flags)
{
    int status;
    if (tree->command <= 0 || tree->status >= 0)
        return;
    pid_t ended;
    do {
        ended = waitpid(tree->command, &status, flags);
    } while (ended < 0 && errno == EINTR);
    if (ended == tree->command) {
        tree->status =
            WIFSIGNALED(status) ? SLUICE_STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
    }
}

void sluice_tree_reap(struct sluice_tree *tree)
{
    note_end(tree, WNOHANG);
}

void sluice_tree_await(struct sluice_tree *tree)
{
    note_end(tree, 0);
}

void sluice_tree_stop(struct sluice_tree *tree)
{
    if (tree->command > 0 && tree->status < 0 && !tree->own)
        kill(tree->command, SIGTERM);
    for (int waited = 0; tree->command > 0 && tree->status < 0; waited += NAP) {
        if (waited == PATIENCE)
            kill(tree->command, SIGTERM);
        if (waited == 2 * PATIENCE)
            kill(tree->command, SIGKILL);
        nanosleep(&(struct timespec){.tv_nsec = NAP * 1000000}, NULL);
        sluice_tree_reap(tree);
    }
}

void sluice_tree_release(struct sluice_tree *tree)
{
    if (tree->hold >= 0)
        send(tree->hold, (char[]){COMMITTED}, 1, MSG_NOSIGNAL);
}

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void sluice_tree_leave(struct sluice_tree *tree)
{
    sluice_wire_close(&tree->wire);
    close_one(&tree->listener);
    close_one(&tree->hold_listener);
    close_one(&tree->hold);
}

/* Removes the files of a CRIU that did well: its figures, and a log that the user asked for. */
static void remove_files(const struct sluice_tree *tree)
{
    DIR *directory = opendir(tree->images);
    const struct dirent *entry;
    while (directory != NULL && (entry = readdir(directory)) != NULL)
        if (*entry->d_name != '.')
            remove_file(tree, entry->d_name);
    if (directory != NULL)
        closedir(directory);
}

void sluice_tree_close(struct sluice_tree *tree)
{
    sluice_tree_leave(tree);
    if (*tree->images == 0)
        return;
    if (tree->socket != NULL)
        remove_file(tree, tree->socket);
    tree->socket = NULL;
    if (!tree->own)
        return;
    remove_file(tree, SLUICE_TREE_HOLD);
    if (tree->status == 0)
        remove_files(tree);
    if (rmdir(tree->images) != 0)
        sluice_launch_say("the files of criu are left in %s", tree->images);
    tree->own = false;
}

struct sluice_tree sluice_tree_sum(const struct sluice_tree *trees, size_t count)
{
    struct sluice_tree all = {0};
    for (size_t i = 0; i < count; i++) {
        all.count += trees[i].count;
        all.bytes += trees[i].bytes;
    }
    return all;
}

void sluice_tree_print(int64_t checkpoint, const struct sluice_tree *trees, size_t count)
{
    const struct sluice_tree all = sluice_tree_sum(trees, count);
    sluice_result_begin();
    sluice_result_number("checkpoint", checkpoint);
    sluice_result_number("trees", (int64_t)count);
    sluice_result_number("images", all.count);
    sluice_result_number("bytes", all.bytes);
    sluice_result_end();
}

int sluice_tree_hold(void)
{
    const char *action = getenv("CRTOOLS_SCRIPT_ACTION");
    const char *images = getenv("CRTOOLS_IMAGE_DIR");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char answer = 0;
    if (action == NULL || images == NULL || strcmp(action, "post-dump") != 0)
        return 0;
    snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", images, SLUICE_TREE_HOLD);
    const int hold = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (hold < 0 || connect(hold, (struct sockaddr *)&address, sizeof address) != 0)
        return SLUICE_STATUS_FAILED;
    while (recv(hold, &answer, 1, 0) < 0 && errno == EINTR) {
    }
    return answer == COMMITTED ? 0 : SLUICE_STATUS_FAILED;
}
