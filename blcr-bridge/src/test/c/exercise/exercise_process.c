/*
 * exercise_process SEED OPERATIONS DIRECTORY
 *
 * Several processes and threads on the same files below DIRECTORY, and everything that a log of
 * writes cannot follow; checks what comes back, and leaves the files. The seed is not used.
 */
#include "exercise.h"

#include <aio.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *directory;
static long repetitions; /* of what threads do */

static const char *in_directory(const char *name)
{
    static _Thread_local char paths[4][4096];
    static _Thread_local int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static int create(const char *name, int flags)
{
    const int fd = open(in_directory(name), O_CREAT | O_TRUNC | flags, 0644);
    CHECK(fd >= 0);
    return fd;
}

static void put(int fd, const char *text)
{
    CHECK_EQUAL(write(fd, text, strlen(text)), strlen(text));
}

static void check_content(const char *name, const char *expected)
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

static void wait_for(pid_t child)
{
    int status;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
}

static pid_t start_fork(void)
{
    const pid_t child = fork();
    CHECK(child >= 0);
    return child;
}

static void offset_shared_over_fork(void)
{
    const int fd = create("fork", O_WRONLY);
    put(fd, "parent ");
    const pid_t child = start_fork();
    if (child == 0) {
        put(fd, "child ");
        _exit(0);
    }
    wait_for(child);
    put(fd, "parent again");
    CHECK_EQUAL(lseek(fd, 0, SEEK_CUR), 25);
    close(fd);
    check_content("fork", "parent child parent again");
}

static void child_opens_its_own(void)
{
    const int fd = create("own-parent", O_WRONLY);
    put(fd, "parent");
    const pid_t child = start_fork();
    if (child == 0) {
        FILE *file = fopen(in_directory("own-child"), "w");
        for (int i = 0; i < 1000; i++)
            fprintf(file, "%d ", i);
        exit(0);
    }
    put(fd, " goes on");
    wait_for(child);
    struct stat status;
    CHECK_EQUAL(stat(in_directory("own-child"), &status), 0);
    CHECK_EQUAL(status.st_size, 3890);
    close(fd);
    check_content("own-parent", "parent goes on");
}

static void programs_write_to_inherited(void)
{
    const int fd = create("inherited", O_WRONLY);
    put(fd, "start\n");
    char command[64];
    snprintf(command, sizeof command, "echo system >&%d", fd);
    CHECK_EQUAL(system(command), 0);
    put(fd, "between\n");
    snprintf(command, sizeof command, "cat >&%d", fd);
    FILE *pipe = popen(command, "w");
    fputs("popen\n", pipe);
    CHECK_EQUAL(pclose(pipe), 0);

    snprintf(command, sizeof command, "echo spawn >&%d", fd);
    char *const arguments[] = {"sh", "-c", command, NULL};
    pid_t child;
    CHECK_EQUAL(posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ), 0);
    wait_for(child);

    child = vfork();
    if (child == 0) {
        dup2(fd, STDOUT_FILENO);
        execlp("echo", "echo", "vfork", (char *)NULL);
        _exit(1);
    }
    wait_for(child);
    put(fd, "end\n");
    close(fd);
    check_content("inherited", "start\nsystem\nbetween\npopen\nspawn\nvfork\nend\n");
}

static void exec_with_open_file(void)
{
    const pid_t child = start_fork();
    if (child == 0) {
        const int fd = create("exec", O_WRONLY | O_APPEND);
        put(fd, "before exec\n");
        dup2(fd, STDOUT_FILENO);
        execl("/bin/sh", "sh", "-c", "echo after exec", (char *)NULL);
        _exit(1);
    }
    wait_for(child);
    check_content("exec", "before exec\nafter exec\n");
}

static void *write_part(void *argument)
{
    const long part = (long)argument;
    const int fd = open(in_directory("threads"), O_WRONLY);
    unsigned char bytes[97];
    memset(bytes, 'A' + (int)part, sizeof bytes);
    for (int i = 0; i < repetitions; i++)
        CHECK_EQUAL(pwrite(fd, bytes, sizeof bytes, (i * 4 + part) * (off_t)sizeof bytes), 97);
    close(fd);
    return NULL;
}

static int shared_log;

static void *write_lines(void *argument)
{
    char line[8];
    snprintf(line, sizeof line, "%07ld", (long)argument);
    for (int i = 0; i < repetitions; i++)
        CHECK_EQUAL(write(shared_log, line, 7), 7);
    return NULL;
}

static void run_threads(void *(*work)(void *))
{
    pthread_t threads[4];
    for (long i = 0; i < 4; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, work, (void *)i), 0);
    for (int i = 0; i < 4; i++)
        CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
}

static void threads_write(void)
{
    const int fd = create("threads", O_RDWR);
    run_threads(write_part);
    unsigned char *bytes = malloc(4 * repetitions * 97);
    CHECK_EQUAL(pread(fd, bytes, 4 * repetitions * 97, 0), 4 * repetitions * 97);
    for (long i = 0; i < 4 * repetitions * 97; i++)
        CHECK_EQUAL(bytes[i], 'A' + i / 97 % 4);
    free(bytes);
    close(fd);

    shared_log = create("thread-lines", O_WRONLY);
    run_threads(write_lines);
    CHECK_EQUAL(lseek(shared_log, 0, SEEK_CUR), 4 * repetitions * 7);
    close(shared_log);
    CHECK_EQUAL(truncate(in_directory("thread-lines"), 0), 0); /* the order is nobody's */
}

static void *open_and_close(void *argument)
{
    (void)argument;
    for (int i = 0; i < repetitions; i++) {
        const int fd = open(in_directory("races"), O_WRONLY | O_CREAT, 0644);
        CHECK(fd >= 0);
        CHECK_EQUAL(pwrite(fd, "race", 4, 0), 4);
        CHECK_EQUAL(close(fd), 0);
    }
    return NULL;
}

static void ends_without_close(void)
{
    pid_t child = start_fork();
    if (child == 0) {
        put(create("exit", O_WRONLY), "written before exit");
        exit(0);
    }
    wait_for(child);
    check_content("exit", "written before exit");
    child = start_fork();
    if (child == 0) {
        put(create("_exit", O_WRONLY), "written before _exit");
        _exit(0);
    }
    wait_for(child);
    check_content("_exit", "written before _exit");
    child = start_fork();
    if (child == 0) {
        put(create("killed", O_WRONLY), "written before kill");
        raise(SIGKILL);
    }
    int status;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    check_content("killed", "written before kill");
}

static void take_turns(void)
{
    int there[2], back[2];
    char token = 't';
    CHECK_EQUAL(pipe(there), 0);
    CHECK_EQUAL(pipe(back), 0);
    const pid_t child = start_fork();
    const int mine = child == 0 ? there[0] : back[0], others = child == 0 ? back[1] : there[1];
    int fd = -1;
    if (child != 0) {
        fd = open(in_directory("turns"), O_RDWR | O_CREAT | O_TRUNC, 0644);
        put(fd, "0123456789");
        CHECK_EQUAL(write(others, &token, 1), 1);
    }
    for (int i = 0; i < 20; i += 2) {
        char seen[64] = "", text[16];
        CHECK_EQUAL(read(mine, &token, 1), 1);
        if (fd < 0)
            fd = open(in_directory("turns"), O_RDWR);
        CHECK(fd >= 0);
        CHECK_EQUAL(pread(fd, seen, sizeof seen, 0), 10 + i + (child != 0));
        CHECK_EQUAL(lseek(fd, 0, SEEK_END), 10 + i + (child != 0));
        snprintf(text, sizeof text, "%c", 'a' + i);
        put(fd, text);
        CHECK_EQUAL(pwrite(fd, child == 0 ? "C" : "P", 1, i % 10), 1);
        CHECK_EQUAL(write(others, &token, 1), 1);
    }
    close(fd);
    if (child == 0)
        _exit(0);
    wait_for(child);
    for (int i = 0; i < 2; i++) {
        close(there[i]);
        close(back[i]);
    }
}

static void append_together(void)
{
    const int fd = create("append", O_WRONLY | O_APPEND);
    put(fd, "0000");
    const pid_t child = start_fork();
    const int own = open(in_directory("append"), O_WRONLY | O_APPEND);
    for (int i = 0; i < 500; i++)
        put(own, "both"); /* the same, since their order is nobody's */
    if (child == 0)
        _exit(0);
    wait_for(child);
    struct stat status;
    CHECK_EQUAL(fstat(fd, &status), 0);
    CHECK_EQUAL(status.st_size, 4 + 2 * 500 * 4);
    CHECK_EQUAL(fcntl(fd, F_GETFL) & O_APPEND, O_APPEND);
    put(fd, "last");
    close(own);
    close(fd);
}

static void reader_sees_writer(void)
{
    const int fd = create("seen", O_WRONLY);
    for (int i = 0; i < 3; i++) {
        char command[4200];
        put(fd, "text\n");
        snprintf(command, sizeof command, "test $(wc -c < '%s') = %d", in_directory("seen"),
                 5 * (i + 1));
        CHECK_EQUAL(system(command), 0);
    }
    close(fd);
}

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

static void descriptors_sent(void)
{
    int sockets[2];
    CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    const pid_t child = start_fork();
    char byte = 'b', control[CMSG_SPACE(sizeof(int))] = "";
    struct iovec vector = {&byte, 1};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = control,
                             .msg_controllen = sizeof control};
    if (child == 0) {
        CHECK_EQUAL(recvmsg(sockets[1], &message, 0), 1);
        put(*(int *)CMSG_DATA(CMSG_FIRSTHDR(&message)), "receiver ");
        _exit(0);
    }
    const int fd = create("sent", O_WRONLY);
    put(fd, "sender ");
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    CHECK_EQUAL(sendmsg(sockets[0], &message, 0), 1);
    wait_for(child);
    put(fd, "sender");
    close(fd);
    close(sockets[0]);
    close(sockets[1]);
    check_content("sent", "sender receiver sender");
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
    CHECK_EQUAL(count, 4);
    repetitions = strtol(arguments[2], NULL, 10);
    directory = arguments[3];
    void (*const exercises[])(void) = {
        offset_shared_over_fork, child_opens_its_own, programs_write_to_inherited,
        exec_with_open_file, threads_write, ends_without_close, take_turns, append_together,
        reader_sees_writer, map_and_copy, asynchronous, locks_and_allocation, limits,
        descriptors_sent, names_and_links, set_times};
    for (step = 0; step < (long)(sizeof exercises / sizeof *exercises); step++)
        exercises[step]();
    run_threads(open_and_close);
    return 0;
}
