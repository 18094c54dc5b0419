#include "agreement.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "status.h"

/* The longest command line of a process on Linux, in bytes. */
#define MOST (6 << 20)

/*
 * The options that decide which bytes are where at the end, and which checkpoints there are.
 * Options for room and statistics do not.
 */
static const char *const deciding[] = {
    "layout",    "group", "complete", "writers", "files-per-rank", "private", "keep",      "settle",
    "threshold", "small", "series",   "stage",   "share-every",    "durable", "when-full", "grace",
};

/*
 * Returns the arguments of a process, each with its NUL, and one more NUL. NULL when they cannot be
 * read.
 */
static char *arguments_of(pid_t process)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)process);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *all = fd < 0 ? NULL : malloc(MOST + 1);
    size_t length = 0;
    for (ssize_t got; all != NULL && length < MOST; length += (size_t)got) {
        got = read(fd, all + length, MOST - length);
        if (got <= 0)
            break;
    }
    if (fd >= 0)
        close(fd);
    if (all != NULL)
        memset(all + length, 0, 1);
    return all;
}

static bool has(const char *arguments, const char *word)
{
    for (const char *at = arguments; *at != 0; at += strlen(at) + 1)
        if (strcmp(at, word) == 0)
            return true;
    return false;
}

/* Returns the value in --NAME=VALUE; NULL for any other argument. */
static const char *value_in(const char *argument, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(argument, "--", 2) == 0 && strncmp(argument + 2, name, length) == 0
            && argument[2 + length] == '='
        ? argument + 3 + length
        : NULL;
}

/* Returns an option's value in the arguments of the I/O process; the last one counts. */
static const char *value_there(const char *arguments, const char *name)
{
    const char *value = NULL;
    for (const char *at = arguments; *at != 0; at += strlen(at) + 1)
        value = value_in(at, name) == NULL ? value : value_in(at, name);
    return value;
}

static const char *value_here(char **arguments, const char *name)
{
    const char *value = NULL;
    for (; *arguments != NULL; arguments++)
        value = value_in(*arguments, name) == NULL ? value : value_in(*arguments, name);
    return value;
}

static bool is_default(const char *name, const char *value)
{
    return strcmp(name, "layout") == 0 ? strcmp(value, "files") == 0
                                       : strcmp(name, "group") == 0 && strcmp(value, "auto") == 0;
}

static bool refuse(const struct sluice_launch_options *options, const char *name, const char *there,
                   const char *here)
{
    sluice_launch_say("the I/O process %s has %s--%s%s%s, and this command %s--%s%s%s: give all "
                      "commands of a session the same, or this one another --name",
                      options->name, there == NULL ? "no " : "", name, there == NULL ? "" : " ",
                      there == NULL ? "" : there, here == NULL ? "no " : "", name,
                      here == NULL ? "" : " ", here == NULL ? "" : here);
    return false;
}

bool sluice_launch_agreement_holds(int socket, const struct sluice_launch_options *options,
                                   bool strict)
{
    struct ucred server = {0};
    socklen_t length = sizeof server;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &server, &length) != 0 || server.pid <= 0)
        return true; /* in another container */
    bool holds = true;
    char *arguments = arguments_of(server.pid);
    if (arguments != NULL && has(arguments, "--members")) {
        for (size_t i = 0; holds && i < sizeof deciding / sizeof *deciding; i++) {
            const char *there = value_there(arguments, deciding[i]);
            const char *here = value_here(options->serve, deciding[i]);
            const bool asks = here != NULL && (strict || !is_default(deciding[i], here));
            const bool same = there != NULL && here != NULL && strcmp(there, here) == 0;
            if (!same && (asks || (strict && there != NULL)))
                holds = refuse(options, deciding[i], there, here);
        }
    }
    free(arguments);
    return holds;
}
