/*
 * exercise_limits SEED OPERATIONS DIRECTORY
 *
 * How far a file may reach: every call that names an offset or a length, with all that are near a border of
 * the kernel's, the file system's, RLIMIT_FSIZE or ours. What it gave, and the position and size of a file
 * below DIRECTORY then, is left in DIRECTORY/limits, to be compared with a plain run. SEED and OPERATIONS
 * are for others.
 */
#include "exercise.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FIRST 100 /* bytes of the file before the call */
#define LIMIT 10000

static int fd;
static char path[4096];
static volatile sig_atomic_t exceeded;

static void count_excess(int signal)
{
    (void)signal;
    exceeded++;
}

static const struct iovec PARTS[] = {{"12345", 5}, {"67890", 5}};

static long do_write(off_t at)
{
    return lseek(fd, at, SEEK_SET) < 0 ? -2 : write(fd, "1234567890", 10);
}
static long do_writev(off_t at)
{
    return lseek(fd, at, SEEK_SET) < 0 ? -2 : writev(fd, PARTS, 2);
}
static long do_pwrite(off_t at)
{
    return pwrite(fd, "1234567890", 10, at);
}
static long do_pwrite_nothing(off_t at)
{
    return pwrite(fd, "", 0, at);
}
static long do_pwritev(off_t at)
{
    return pwritev(fd, PARTS, 2, at);
}
static long do_pwritev2(off_t at)
{
    return pwritev2(fd, PARTS, 2, at, 0);
}
static long do_pread(off_t at)
{
    char text[10];
    return pread(fd, text, sizeof text, at);
}
static long do_seek(off_t at)
{
    return lseek(fd, at, SEEK_SET);
}
static long do_seek_on(off_t at)
{
    return lseek(fd, at, SEEK_CUR);
}
static long do_seek_behind(off_t at)
{
    return lseek(fd, at, SEEK_END);
}
static long do_seek_data(off_t at)
{
    return lseek(fd, at, SEEK_DATA);
}
static long do_ftruncate(off_t at)
{
    return ftruncate(fd, at);
}
static long do_truncate(off_t at)
{
    return truncate(path, at);
}
static long do_fallocate(off_t at)
{
    return fallocate(fd, 0, at, 10);
}
static long do_fallocate_long(off_t at)
{
    return fallocate(fd, FALLOC_FL_KEEP_SIZE, 10, at);
}
static long do_posix_fallocate(off_t at)
{
    return posix_fallocate(fd, at, 10);
}

static const struct {
    const char *name;
    long (*run)(off_t at);
} CALLS[] = {
    {"write", do_write},
    {"writev", do_writev},
    {"pwrite", do_pwrite},
    {"pwrite of nothing", do_pwrite_nothing},
    {"pwritev", do_pwritev},
    {"pwritev2", do_pwritev2},
    {"pread", do_pread},
    {"lseek", do_seek},
    {"lseek on", do_seek_on},
    {"lseek behind", do_seek_behind},
    {"lseek to data", do_seek_data},
    {"ftruncate", do_ftruncate},
    {"truncate", do_truncate},
    {"fallocate", do_fallocate},
    {"fallocate long", do_fallocate_long},
    {"posix_fallocate", do_posix_fallocate},
};

#define BIT(number) (INT64_C(1) << (number))

static const off_t OFFSETS[] = {
    -1,
    INT64_MIN,
    0,
    LIMIT - 5,
    LIMIT,
    BIT(43) - 10,
    BIT(43) - 5,
    BIT(43) + 1,
    BIT(60),
    BIT(60) - 5,
    INT64_MAX - 110,
    INT64_MAX - 10,
    INT64_MAX - 9,
    INT64_MAX,
};

/* A length that a file may have is room that a disk may have: the call would take it all from others. */
static bool is_greedy(int call, off_t offset)
{
    return CALLS[call].run == do_fallocate_long && offset > LIMIT && offset < INT64_MAX - 110;
}

/* A file that is being written, whose bytes the log has. */
static void try(FILE *transcript, int call, off_t offset, int flags, bool limited)
{
    struct rlimit limit, before;
    struct stat status;
    char first[FIRST];
    memset(first, 'x', sizeof first);
    fd = open(path, O_RDWR | O_CREAT | O_TRUNC | flags, 0600);
    CHECK(fd >= 0);
    CHECK_EQUAL(write(fd, first, sizeof first), sizeof first);
    CHECK_EQUAL(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = LIMIT;
    CHECK_EQUAL(limited ? setrlimit(RLIMIT_FSIZE, &limit) : 0, 0);
    exceeded = errno = 0;
    const long result = CALLS[call].run(offset);
    const int error = result < 0 ? errno : 0;
    CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &before), 0);
    CHECK_EQUAL(fstat(fd, &status), 0);
    fprintf(transcript, "%s %lld%s%s: %ld (%s), %d signals, at %lld of %lld\n", CALLS[call].name,
            (long long)offset, flags != 0 ? " appending" : "", limited ? " limited" : "", result,
            strerror(error), (int)exceeded, (long long)lseek(fd, 0, SEEK_CUR),
            (long long)status.st_size);
    CHECK_EQUAL(ftruncate(fd, FIRST), 0); /* nobody should have to read it all */
    CHECK_EQUAL(close(fd), 0);
}

int main(int count, char **arguments)
{
    char *text;
    size_t length;
    CHECK_EQUAL(count, 4);
    signal(SIGXFSZ, count_excess);
    snprintf(path, sizeof path, "%s/limited", arguments[3]);
    FILE *transcript = open_memstream(&text, &length);
    CHECK(transcript != NULL);
    for (size_t call = 0; call < sizeof CALLS / sizeof *CALLS; call++) {
        for (size_t i = 0; i < sizeof OFFSETS / sizeof *OFFSETS; i++) {
            if (is_greedy((int)call, OFFSETS[i]))
                continue;
            try(transcript, (int)call, OFFSETS[i], 0, false);
            if (OFFSETS[i] > 0 && OFFSETS[i] <= LIMIT)
                try(transcript, (int)call, OFFSETS[i], 0, true);
            if (strstr(CALLS[call].name, "write") != NULL)
                try(transcript, (int)call, OFFSETS[i], O_APPEND, OFFSETS[i] < BIT(43));
        }
    }
    fclose(transcript);
    snprintf(path, sizeof path, "%s/limits", arguments[3]);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    CHECK(fd >= 0);
    CHECK_EQUAL(write(fd, text, length), length);
    CHECK_EQUAL(close(fd), 0);
    return 0;
}
