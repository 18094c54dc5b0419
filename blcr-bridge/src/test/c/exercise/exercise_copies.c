/*
 * exercise_copies SEED OPERATIONS DIRECTORY
 *
 * What the kernel copies to files below DIRECTORY from pipes and from other files: by splice(),
 * sendfile() and copy_file_range(), at all offsets, in parts, without waiting, interrupted, and
 * refused. Checks each result, and leaves the files. Seed and number of operations are not used.
 */
#include "files.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/time.h>

#define LARGE (3 << 20) /* bytes, more than a chunk holds */

static char large[LARGE];

static int pipes[2];

static void make_pipe(void)
{
    CHECK_EQUAL(pipe(pipes), 0);
}

static void close_pipe(void)
{
    CHECK_EQUAL(close(pipes[0]), 0);
    CHECK_EQUAL(close(pipes[1]), 0);
}

static void fill_large(void)
{
    for (size_t i = 0; i < sizeof large; i++)
        large[i] = (char)(i * 2654435761u >> 13);
}

#define REFUSED(call, error) CHECK((call) < 0 && errno == (error))

static void splice_at_offsets(void)
{
    make_pipe();
    const int fd = create("spliced", O_RDWR);
    put(fd, "head:");
    put(pipes[1], "0123456789");
    CHECK_EQUAL(splice(pipes[0], NULL, fd, NULL, 4, 0), 4);
    CHECK_EQUAL(lseek(fd, 0, SEEK_CUR), 9);
    off64_t to = 20;
    CHECK_EQUAL(splice(pipes[0], NULL, fd, &to, 100, SPLICE_F_MOVE | SPLICE_F_MORE), 6);
    CHECK_EQUAL(to, 26);
    CHECK_EQUAL(lseek(fd, 0, SEEK_CUR), 9);
    put(fd, ":tail");
    to = 2;
    put(pipes[1], "XY");
    CHECK_EQUAL(splice(pipes[0], NULL, fd, &to, 2, 0), 2);
    char found[26];
    CHECK_EQUAL(pread(fd, found, 26, 0), 26);
    CHECK(memcmp(found, "heXY:0123:tail\0\0\0\0\0\000456789", 26) == 0);
    CHECK_EQUAL(lseek(fd, 3, SEEK_SET), 3);
    put(pipes[1], "zz");
    CHECK_EQUAL(splice(pipes[0], NULL, fd, NULL, 2, 0), 2);
    close(fd);
    close_pipe();
}

static void splice_without_waiting(void)
{
    make_pipe();
    const int fd = create("not-waited", O_WRONLY);
    REFUSED(splice(pipes[0], NULL, fd, NULL, 10, SPLICE_F_NONBLOCK), EAGAIN);
    CHECK_EQUAL(splice(pipes[0], NULL, fd, NULL, 0, 0), 0);
    put(pipes[1], "some");
    CHECK_EQUAL(splice(pipes[0], NULL, fd, NULL, 10, SPLICE_F_NONBLOCK), 4);
    CHECK_EQUAL(fcntl(pipes[0], F_SETFL, O_NONBLOCK), 0);
    put(pipes[1], " more");
    CHECK_EQUAL(splice(pipes[0], NULL, fd, NULL, 10, 0), 5);
    CHECK(splice(pipes[0], NULL, fd, NULL, 10, SPLICE_F_NONBLOCK) < 0 && errno == EAGAIN);
    put(pipes[1], ", and an end");
    CHECK_EQUAL(close(pipes[1]), 0);
    CHECK_EQUAL(splice(pipes[0], NULL, fd, NULL, 100, 0), 12);
    errno = 0;
    CHECK_EQUAL(splice(pipes[0], NULL, fd, NULL, 100, 0), 0);
    CHECK_EQUAL(errno, 0);
    close(fd);
    close(pipes[0]);
    check_content("not-waited", "some more, and an end");
}

static void let_write(int signal)
{
    (void)signal;
    CHECK_EQUAL(write(pipes[1], "from the handler", 16), 16);
}

static void interrupt(int flags)
{
    const struct sigaction action = {.sa_handler = let_write, .sa_flags = flags};
    const struct itimerval soon = {.it_value = {.tv_usec = 50000}};
    CHECK_EQUAL(sigaction(SIGALRM, &action, NULL), 0);
    CHECK_EQUAL(setitimer(ITIMER_REAL, &soon, NULL), 0);
}

static void splice_interrupted(void)
{
    make_pipe();
    const int fd = create("interrupted", O_WRONLY);
    interrupt(0);
    REFUSED(splice(pipes[0], NULL, fd, NULL, 100, 0), EINTR);
    CHECK_EQUAL(splice(pipes[0], NULL, fd, NULL, 100, 0), 16);
    interrupt(SA_RESTART);
    CHECK_EQUAL(splice(pipes[0], NULL, fd, NULL, 100, 0), 16);
    close(fd);
    close_pipe();
    check_content("interrupted", "from the handlerfrom the handler");
}

static void splice_large(void)
{
    make_pipe();
    const int whole = fcntl(pipes[1], F_SETPIPE_SZ, 1 << 20);
    CHECK_EQUAL(whole, 1 << 20);
    const int fd = create("spliced-large", O_WRONLY);
    CHECK_EQUAL(write(pipes[1], large, 1 << 20), 1 << 20);
    CHECK_EQUAL(splice(pipes[0], NULL, fd, NULL, LARGE, 0), 1 << 20);
    const pid_t child = start_fork();
    if (child == 0) {
        CHECK_EQUAL(write(pipes[1], large, LARGE), LARGE);
        _exit(0);
    }
    CHECK_EQUAL(close(pipes[1]), 0);
    const int other = create("spliced-from-child", O_WRONLY);
    size_t sum = 0;
    ssize_t count;
    while ((count = splice(pipes[0], NULL, other, NULL, 1 << 30, SPLICE_F_MOVE)) > 0)
        sum += (size_t)count;
    CHECK_EQUAL(count, 0);
    CHECK_EQUAL(sum, LARGE);
    wait_for(child);
    close(pipes[0]);
    close(fd);
    close(other);
}

static void copy_from_files(void)
{
    const int in = create("source", O_RDWR), out = create("sent", O_RDWR);
    CHECK_EQUAL(write(in, large, LARGE), LARGE);
    off_t from = LARGE - 5;
    CHECK_EQUAL(sendfile(out, in, &from, 100), 5);
    CHECK_EQUAL(from, LARGE);
    CHECK_EQUAL(sendfile(out, in, &from, 100), 0);
    CHECK_EQUAL(lseek(in, 7, SEEK_SET), 7);
    CHECK_EQUAL(sendfile(out, in, NULL, LARGE), LARGE - 7);
    CHECK_EQUAL(lseek(in, 0, SEEK_CUR), LARGE);
    CHECK_EQUAL(sendfile(out, in, NULL, 1), 0);
    put(out, "after");
    const int copied = create("copied", O_RDWR);
    CHECK_EQUAL(lseek(in, 3, SEEK_SET), 3);
    CHECK_EQUAL(copy_file_range(in, NULL, copied, NULL, 10, 0), 10);
    CHECK_EQUAL(lseek(in, 0, SEEK_CUR), 13);
    CHECK_EQUAL(lseek(copied, 0, SEEK_CUR), 10);
    off64_t begin = 1 << 20, to = 100;
    CHECK_EQUAL(copy_file_range(in, &begin, copied, &to, 1000, 0), 1000);
    CHECK_EQUAL(begin, (1 << 20) + 1000);
    CHECK_EQUAL(to, 1100);
    CHECK_EQUAL(lseek(in, 0, SEEK_CUR), 13);
    CHECK_EQUAL(lseek(copied, 0, SEEK_CUR), 10);
    CHECK_EQUAL(copy_file_range(in, NULL, copied, NULL, 1 << 21, 0), 1 << 21);
    begin = 0, to = 5;
    REFUSED(copy_file_range(copied, &begin, copied, &to, 100, 0), EINVAL);
    to = 4 << 20;
    CHECK_EQUAL(copy_file_range(copied, &begin, copied, &to, 100, 0), 100);
    put(copied, "behind");
    close(in);
    close(out);
    close(copied);
}

static void refused(void)
{
    make_pipe();
    put(pipes[1], "stays in the pipe");
    const int appended = create("appended", O_WRONLY | O_APPEND);
    put(appended, "head:");
    REFUSED(splice(pipes[0], NULL, appended, NULL, 5, 0), EINVAL);
    const int in = open(in_directory("appended"), O_RDONLY);
    REFUSED(sendfile(appended, in, NULL, 5), EINVAL);
    put(appended, "tail");
    const int fd = create("refused-copies", O_WRONLY);
    off64_t offset = -1, zero = 0;
    REFUSED(splice(pipes[0], &zero, fd, NULL, 5, 0), ESPIPE);
    REFUSED(splice(pipes[0], NULL, fd, &offset, 5, 0), EINVAL);
    REFUSED(splice(pipes[0], NULL, fd, NULL, 5, 1 << 20), EINVAL);
    REFUSED(splice(in, NULL, fd, NULL, 5, 0), EINVAL);
    REFUSED(splice(pipes[0], NULL, in, NULL, 5, 0), EBADF);
    REFUSED(copy_file_range(in, NULL, fd, NULL, 5, 1), EINVAL);
    REFUSED(copy_file_range(fd, NULL, fd, NULL, 5, 0), EBADF);
    CHECK_EQUAL(splice(pipes[0], NULL, fd, NULL, 100, 0), 17);
    close(fd);
    close(in);
    close(appended);
    close_pipe();
}

/* What does not fit stays in the pipe. */
static void limited(void)
{
    const pid_t child = start_fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        make_pipe();
        const struct rlimit limit = {100, 100};
        CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const int fd = create("limited-copies", O_WRONLY);
        CHECK_EQUAL(write(pipes[1], large, 160), 160);
        CHECK_EQUAL(splice(pipes[0], NULL, fd, NULL, 80, 0), 80);
        CHECK_EQUAL(splice(pipes[0], NULL, fd, NULL, 80, 0), 20);
        REFUSED(splice(pipes[0], NULL, fd, NULL, 80, 0), EFBIG);
        char rest[100];
        CHECK_EQUAL(read(pipes[0], rest, sizeof rest), 60);
        CHECK(memcmp(rest, large + 100, 60) == 0);
        _exit(0);
    }
    wait_for(child);
}

int main(int count, char **arguments)
{
    fill_large();
    return EXERCISE_EACH(count, arguments, splice_at_offsets, splice_without_waiting,
                         splice_interrupted, splice_large, copy_from_files, refused, limited);
}
