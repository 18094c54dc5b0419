/* For exercisers that write a few words to files of their own, by name, and fork. */
#pragma once

#include "exercise.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *directory;

static inline const char *in_directory(const char *name)
{
    static _Thread_local char paths[4][4096];
    static _Thread_local int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static inline int create(const char *name, int flags)
{
    const int fd = open(in_directory(name), O_CREAT | O_TRUNC | flags, 0644);
    CHECK(fd >= 0);
    return fd;
}

static inline void put(int fd, const char *text)
{
    CHECK_EQUAL(write(fd, text, strlen(text)), strlen(text));
}

static inline void check_content(const char *name, const char *expected)
{
    static char content[1 << 16];
    const int fd = open(in_directory(name), O_RDONLY);
    CHECK(fd >= 0);
    const ssize_t length = read(fd, content, sizeof content - 1);
    CHECK(length >= 0);
    content[length] = '\0';
    if (strcmp(content, expected) != 0) {
        fprintf(stderr, "%s holds <%s>, expected <%s>\n", name, content, expected);
        abort();
    }
    CHECK_EQUAL(close(fd), 0);
}

static inline void wait_for(pid_t child)
{
    int status;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
}

static inline pid_t start_fork(void)
{
    const pid_t child = fork();
    CHECK(child >= 0);
    return child;
}

/* Does one after the other, or the one whose number is in the environment. What main() returns. */
static inline int exercise_each(int count, char **arguments, void (*const exercises[])(void),
                                long number)
{
    const char *only = getenv("EXERCISE");
    CHECK_EQUAL(count, 4);
    directory = arguments[3];
    for (step = 0; step < number; step++)
        if (only == NULL || atol(only) == step)
            exercises[step]();
    return 0;
}

#define EXERCISE_EACH(count, arguments, ...)                                                       \
    exercise_each(count, arguments, (void (*const[])(void)){__VA_ARGS__},                          \
                  sizeof((void (*const[])(void)){__VA_ARGS__}) / sizeof(void (*)(void)))
