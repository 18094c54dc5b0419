/*
 * exercise_beyond SEED OPERATIONS DIRECTORY
 *
 * What can be done to files below DIRECTORY beyond writing to them: maps them, copies them in the
 * kernel, writes behind the C library's back, locks them, comes to limits, renames them; checks what
 * comes back, and leaves the files. The seed and the number of operations are not used.
 */
#include "files.h"

#include <aio.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static void map_and_copy(void)
{
    const int fd = create("mapped", O_RDWR);
    put(fd, "some text to be mapped");
    char *map = mmap(NULL, 22, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(map != MAP_FAILED);
    CHECK(memcmp(map, "some text to be mapped", 22) == 0);
    memcpy(map, "SOME", 4);
    put(fd, " and more");
    close(fd);
    CHECK_EQUAL(munmap(map, 22), 0);
    check_content("mapped", "SOME text to be mapped and more");

    const int made = create("made-by-map", O_RDWR);
    CHECK_EQUAL(ftruncate(made, 10000), 0);
    map = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
    CHECK(map != MAP_FAILED);
    close(made);
    memset(map, 'm', 10000);
    CHECK_EQUAL(munmap(map, 10000), 0);

    const int in = open(in_directory("mapped"), O_RDWR), out = create("copied", O_RDWR);
    put(out, "head:");
    CHECK_EQUAL(sendfile(out, in, NULL, 9), 9);
    CHECK_EQUAL(copy_file_range(in, NULL, out, NULL, 100, 0), 22);
    put(out, ":tail");
    close(in);
    close(out);
    check_content("copied", "head:SOME text to be mapped and more:tail");
}

static void asynchronous(void)
{
    const int fd = create("aio", O_RDWR);
    put(fd, "0123456789");
    struct aiocb control = {.aio_fildes = fd, .aio_buf = "XYZ", .aio_nbytes = 3, .aio_offset = 4};
    CHECK_EQUAL(aio_write(&control), 0);
    const struct aiocb *list[] = {&control};
    while (aio_error(&control) == EINPROGRESS)
        aio_suspend(list, 1, NULL);
    CHECK_EQUAL(aio_return(&control), 3);
    CHECK_EQUAL(syscall(SYS_pwrite64, fd, "S", 1L, 8L), 1);
    CHECK_EQUAL(syscall(SYS_write, fd, "T", 1L), 1);
    close(fd);
    check_content("aio", "0123XYZ7S9T");
}

static void locks_and_allocation(void)
{
    const int fd = create("locked", O_RDWR);
    put(fd, "locked");
    CHECK_EQUAL(flock(fd, LOCK_EX), 0);
    put(fd, " by flock");
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    CHECK_EQUAL(fcntl(fd, F_SETLK, &lock), 0);
    close(fd);
    check_content("locked", "locked by flock");
    const int allocated = create("allocated", O_RDWR);
    put(allocated, "head");
    CHECK_EQUAL(posix_fallocate(allocated, 0, 100), 0);
    struct stat status;
    CHECK_EQUAL(fstat(allocated, &status), 0);
    CHECK_EQUAL(status.st_size, 100);
    put(allocated, "more");
    close(allocated);
}

static void limits(void)
{
    const pid_t child = start_fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        const int fd = create("limited", O_WRONLY);
        const struct rlimit limit = {100, 100};
        CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
        char bytes[80];
        memset(bytes, 'l', sizeof bytes);
        CHECK_EQUAL(write(fd, bytes, 80), 80);
        CHECK_EQUAL(write(fd, bytes, 80), 20);
        CHECK(write(fd, bytes, 80) < 0 && errno == EFBIG);
        CHECK(ftruncate(fd, 101) < 0 && errno == EFBIG);
        _exit(0);
    }
    wait_for(child);
    const int fd = create("refused", O_WRONLY);
    CHECK(pwrite(fd, "x", 1, -1) < 0 && errno == EINVAL);
    CHECK(lseek(fd, -1, SEEK_SET) < 0 && errno == EINVAL);
    CHECK(lseek(fd, 0, 99) < 0 && errno == EINVAL);
    CHECK(ftruncate(fd, -1) < 0 && errno == EINVAL);
    CHECK(read(fd, directory ? (char[1]){0} : NULL, 1) < 0 && errno == EBADF);
    CHECK_EQUAL(write(fd, "x", 0), 0);
    CHECK_EQUAL(lseek(fd, 5, SEEK_END), 5);
    put(fd, "after a gap");
    close(fd);
}

static void names_and_links(void)
{
    int fd = create("temporary", O_WRONLY);
    put(fd, "renamed");
    CHECK_EQUAL(rename(in_directory("temporary"), in_directory("final")), 0);
    put(fd, " while open");
    close(fd);
    check_content("final", "renamed while open");
    fd = create("temporary", O_WRONLY);
    put(fd, "a newer one");
    close(fd);
    CHECK_EQUAL(rename(in_directory("temporary"), in_directory("final")), 0);
    check_content("final", "a newer one");
    CHECK_EQUAL(symlink("final", in_directory("link")), 0);
    fd = open(in_directory("link"), O_WRONLY | O_APPEND);
    put(fd, ", by a link");
    close(fd);
    check_content("final", "a newer one, by a link");
    CHECK_EQUAL(unlink(in_directory("link")), 0);
    CHECK_EQUAL(symlink("made-by-link", in_directory("dangling")), 0);
    fd = open(in_directory("dangling"), O_WRONLY | O_CREAT, 0644);
    put(fd, "through a dangling link");
    close(fd);
    check_content("made-by-link", "through a dangling link");
    CHECK_EQUAL(unlink(in_directory("dangling")), 0);
    fd = create("unlinked", O_RDWR);
    put(fd, "still there");
    CHECK_EQUAL(unlink(in_directory("unlinked")), 0);
    char content[12] = "";
    CHECK_EQUAL(pread(fd, content, 11, 0), 11);
    CHECK(strcmp(content, "still there") == 0);
    close(fd);
    fd = open(in_directory("no-rights"), O_WRONLY | O_CREAT | O_EXCL, 0);
    put(fd, "mode 0");
    struct stat status;
    CHECK_EQUAL(fstat(fd, &status), 0);
    CHECK_EQUAL(status.st_mode & 07777, 0);
    close(fd);
    CHECK_EQUAL(chmod(in_directory("no-rights"), 0600), 0);
}

static void set_times(void)
{
    const int fd = create("times", O_WRONLY);
    put(fd, "old");
    const struct timespec times[2] = {{1000, 0}, {2000, 0}};
    CHECK_EQUAL(futimens(fd, times), 0);
    close(fd);
    struct stat status;
    CHECK_EQUAL(stat(in_directory("times"), &status), 0);
    CHECK_EQUAL(status.st_mtime, 2000);
}

int main(int count, char **arguments)
{
    return EXERCISE_EACH(count, arguments, map_and_copy, asynchronous, locks_and_allocation, limits,
                         names_and_links, set_times);
}
