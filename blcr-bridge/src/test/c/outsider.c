/*
 * For scripts/tests/outside: a program that no shim gets into, as it is linked statically.
 *
 *     outsider read FILE            copies it to standard output
 *     outsider append FILE TEXT     behind its end
 *     outsider both FILE TEXT       prints its size, then appends, through one descriptor
 *     outsider late FILE TEXT       the same, but waits for a line on standard input after opening it
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void fail(const char *what)
{
    fprintf(stderr, "outsider: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int open_file(const char *path, int flags)
{
    const int fd = open(path, flags);
    if (fd < 0)
        fail(path);
    return fd;
}

static long long copy(int from, int to)
{
    char buffer[1 << 16];
    long long total = 0;
    ssize_t count;
    while ((count = read(from, buffer, sizeof buffer)) > 0) {
        if (to >= 0 && write(to, buffer, (size_t)count) != count)
            fail("write");
        total += count;
    }
    if (count < 0)
        fail("read");
    return total;
}

static void append(int fd, const char *text)
{
    if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
        fail("append");
}

int main(int count, char **arguments)
{
    const char *what = count > 2 ? arguments[1] : "";
    if (strcmp(what, "read") == 0) {
        copy(open_file(arguments[2], O_RDONLY), STDOUT_FILENO);
    } else if (strcmp(what, "append") == 0 && count == 4) {
        append(open_file(arguments[2], O_WRONLY | O_APPEND), arguments[3]);
    } else if ((strcmp(what, "both") == 0 || strcmp(what, "late") == 0) && count == 4) {
        const int fd = open_file(arguments[2], O_RDWR | O_APPEND);
        if (strcmp(what, "late") == 0) {
            puts("open");
            fflush(stdout);
            getchar();
        }
        printf("%lld\n", copy(fd, -1));
        append(fd, arguments[3]);
    } else {
        fputs("outsider: what?\n", stderr);
        return 2;
    }
    return 0;
}
