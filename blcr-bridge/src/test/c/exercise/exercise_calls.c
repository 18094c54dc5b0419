/*
 * exercise_calls SEED OPERATIONS DIRECTORY
 *
 * The C library's less usual functions for a file below DIRECTORY: to open it, to share its position
 * with another process, to write it without a write, and to ask for its size. Checks what comes back,
 * and leaves the files. The seed and the number of operations are not used.
 */
#include "files.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fts.h>
#include <ftw.h>
#include <mntent.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <ulimit.h>
#include <utime.h>
#include <wordexp.h>

static void opened_for_reading_and_emptied(void)
{
    int fd = create("emptied", O_WRONLY);
    put(fd, "what nobody keeps");
    close(fd);
    fd = open(in_directory("emptied"), O_RDONLY | O_TRUNC);
    CHECK(fd >= 0);
    struct stat status;
    CHECK_EQUAL(fstat(fd, &status), 0);
    CHECK_EQUAL(status.st_size, 0);
    close(fd);
    check_content("emptied", "");
    fd = open(in_directory("emptied"), O_WRONLY | O_APPEND);
    put(fd, "a writer, ");
    const int reader = open(in_directory("emptied"), O_RDONLY | O_TRUNC);
    CHECK(reader >= 0);
    put(fd, "who goes on");
    close(fd);
    close(reader);
    check_content("emptied", "who goes on");
}

static atomic_int broken_leases;

static void lease_broken(int signal)
{
    (void)signal;
    broken_leases++;
}

static void leases(void)
{
    signal(SIGIO, lease_broken);
    int fd = create("leased", O_RDWR);
    put(fd, "before the lease, ");
    CHECK_EQUAL(fcntl(fd, F_SETLEASE, F_WRLCK), 0);
    CHECK_EQUAL(fcntl(fd, F_GETLEASE), F_WRLCK);
    put(fd, "under it");
    close(fd);
    fd = open(in_directory("leased"), O_RDONLY);
    CHECK(fd >= 0);
    CHECK_EQUAL(fcntl(fd, F_SETLEASE, F_RDLCK), 0);
    CHECK_EQUAL(fcntl(fd, F_GETLEASE), F_RDLCK);
    CHECK_EQUAL(fcntl(fd, F_SETLEASE, F_UNLCK), 0);
    close(fd);
    fd = open(in_directory("leased"), O_WRONLY | O_APPEND);
    put(fd, ", after it");
    close(fd);
    check_content("leased", "before the lease, under it, after it");
    CHECK_EQUAL(broken_leases, 0);
    signal(SIGIO, SIG_DFL);
}

/* Root may have any number of processes. */
static void fork_that_fails_says_why(void)
{
    const pid_t child = start_fork();
    if (child == 0) {
        const struct rlimit one = {1, 1};
        CHECK(getuid() != 0 || setuid(65534) == 0);
        CHECK_EQUAL(setrlimit(RLIMIT_NPROC, &one), 0);
        errno = 0;
        const pid_t made = _Fork();
        if (made == 0)
            _exit(0);
        CHECK(made > 0 || errno == EAGAIN);
        _exit(0);
    }
    wait_for(child);
}

static void sent_by_sendmmsg(void)
{
    int sockets[2];
    CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    const pid_t child = start_fork();
    char byte = 'b', control[CMSG_SPACE(sizeof(int))] = "";
    struct iovec vector = {&byte, 1};
    struct mmsghdr messages[2] = {{.msg_hdr = {.msg_iov = &vector, .msg_iovlen = 1}},
                                  {.msg_hdr = {.msg_iov = &vector,
                                               .msg_iovlen = 1,
                                               .msg_control = control,
                                               .msg_controllen = sizeof control}}};
    if (child == 0) {
        char bytes[2];
        CHECK_EQUAL(read(sockets[1], bytes, 1), 1);
        CHECK_EQUAL(recvmsg(sockets[1], &messages[1].msg_hdr, 0), 1);
        put(*(int *)CMSG_DATA(CMSG_FIRSTHDR(&messages[1].msg_hdr)), "receiver ");
        _exit(0);
    }
    const int fd = create("sent-two", O_WRONLY);
    put(fd, "sender ");
    struct cmsghdr *header = CMSG_FIRSTHDR(&messages[1].msg_hdr);
    *header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    CHECK_EQUAL(sendmmsg(sockets[0], messages, 2, 0), 2);
    wait_for(child);
    put(fd, "sender");
    close(fd);
    close(sockets[0]);
    close(sockets[1]);
    check_content("sent-two", "sender receiver sender");
}

/* Not every file system has handles, nor may everybody open them. */
static void opened_by_handle(void)
{
    struct {
        struct file_handle handle;
        unsigned char bytes[128];
    } file = {.handle = {.handle_bytes = 128}};
    int mount_id;
    int fd = create("handled", O_WRONLY);
    put(fd, "written ");
    const int there = open(directory, O_RDONLY | O_DIRECTORY);
    int other = -1;
    if (name_to_handle_at(there, "handled", &file.handle, &mount_id, 0) == 0)
        other = open_by_handle_at(there, &file.handle, O_WRONLY | O_APPEND);
    put(other >= 0 ? other : fd, "appended ");
    if (other >= 0)
        CHECK_EQUAL(lseek(fd, 0, SEEK_END), 17);
    put(fd, "again");
    close(other);
    close(there);
    close(fd);
    check_content("handled", "written appended again");
}

static void times_of_other_kinds(void)
{
    const struct timeval times[2] = {{1000, 0}, {2000, 0}};
    struct stat status;
    for (int way = 0; way < 5; way++) {
        char name[16];
        snprintf(name, sizeof name, "time-%d", way);
        const int fd = create(name, O_WRONLY);
        put(fd, "old");
        const char *path = in_directory(name);
        const int result = way == 0 ? utime(path, &(struct utimbuf){1000, 2000})
            : way == 1              ? utimes(path, times)
            : way == 2              ? futimes(fd, times)
            : way == 3              ? lutimes(path, times)
                                    : futimesat(AT_FDCWD, path, times);
        CHECK_EQUAL(result, 0);
        close(fd);
        check_content(name, "old"); /* by now everything has been drained */
        CHECK_EQUAL(stat(path, &status), 0);
        CHECK_EQUAL(status.st_mtime, 2000);
    }
}

static off_t walked;

static int walk_step(const char *path, const struct stat *status, int type)
{
    walked += type == FTW_F && strstr(path, "walked") != NULL ? status->st_size : 0;
    return 0;
}

static int walk_further(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)place;
    return walk_step(path, status, type);
}

static void sizes_met_on_a_walk(void)
{
    const int fd = create("walked", O_WRONLY);
    put(fd, "ten bytes.");
    CHECK_EQUAL(ftw(directory, walk_step, 4), 0);
    CHECK_EQUAL(walked, 10);
    CHECK_EQUAL(nftw(directory, walk_further, 4, FTW_PHYS), 0);
    CHECK_EQUAL(walked, 20);
    char *const roots[] = {(char *)directory, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    CHECK(walk != NULL);
    for (FTSENT *each; (each = fts_read(walk)) != NULL;)
        if (strcmp(each->fts_name, "walked") == 0)
            walked += each->fts_statp->st_size;
    fts_close(walk);
    CHECK_EQUAL(walked, 30);
    close(fd);
}

/* What the C library writes, runs or reads by itself. */
static void behind_the_scenes(void)
{
    int fd = create("trace", O_RDWR);
    put(fd, "trace:\n");
    void *here[] = {(void *)behind_the_scenes};
    backtrace_symbols_fd(here, 1, fd);
    const off_t end = lseek(fd, 0, SEEK_CUR);
    CHECK(end > 8);
    CHECK_EQUAL(ftruncate(fd, 7), 0);
    CHECK_EQUAL(lseek(fd, 0, SEEK_END), 7);
    put(fd, "end");
    close(fd);

    char command[4200], content[64];
    fd = create("expanded", O_WRONLY);
    put(fd, "before ");
    wordexp_t words;
    snprintf(command, sizeof command, "$(echo inside >&%d; echo word)", fd);
    CHECK_EQUAL(wordexp(command, &words, 0), 0);
    CHECK(strcmp(words.we_wordv[0], "word") == 0);
    wordfree(&words);
    put(fd, "after");
    close(fd);
    check_content("expanded", "before inside\nafter");

    FILE *table = setmntent(in_directory("mounts"), "w");
    CHECK(table != NULL);
    const struct mntent mount = {"device", "directory", "type", "options", 0, 0};
    CHECK_EQUAL(addmntent(table, &mount), 0);
    endmntent(table);
    table = setmntent(in_directory("mounts"), "r");
    CHECK(table != NULL && fgets(content, sizeof content, table) != NULL);
    endmntent(table);
    CHECK(strcmp(content, "device directory type options 0 0\n") == 0);
}

static void limited_by_ulimit(void)
{
    const pid_t child = start_fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        static char bytes[700];
        memset(bytes, 'u', sizeof bytes);
        const int fd = create("ulimit", O_WRONLY);
        CHECK_EQUAL(write(fd, bytes, 100), 100);
        CHECK_EQUAL(ulimit(UL_SETFSIZE, 2L), 2);
        CHECK_EQUAL(write(fd, bytes, 600), 600);
        CHECK_EQUAL(write(fd, bytes, 700), 324);
        CHECK(write(fd, bytes, 700) < 0 && errno == EFBIG);
        _exit(0);
    }
    wait_for(child);
}

/* A library that was just written, and one that lies beside the program. */
static void loaded_as_a_library(void)
{
    static char bytes[1 << 20];
    Dl_info info;
    CHECK(dladdr((void *)qsort, &info) != 0);
    char found[4096];
    snprintf(found, sizeof found, "%.*s/libutil.so.1",
             (int)(strrchr(info.dli_fname, '/') - info.dli_fname), info.dli_fname);
    const int from = open(found, O_RDONLY);
    if (from < 0)
        return;
    const ssize_t length = read(from, bytes, sizeof bytes);
    close(from);
    const int fd = create("library.so", O_WRONLY);
    CHECK_EQUAL(write(fd, bytes, (size_t)length), length);
    close(fd);
    void *library = dlopen(in_directory("library.so"), RTLD_NOW);
    if (library == NULL)
        fprintf(stderr, "%s\n", dlerror());
    CHECK(library != NULL);
    dlclose(library);
}

/* Whoever closes any descriptor of a file loses the locks that its process has on it. */
static void locks_survive(void)
{
    const int fd = create("kept-lock", O_RDWR);
    put(fd, "locked and cut");
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    CHECK_EQUAL(fcntl(fd, F_SETLK, &lock), 0);
    CHECK_EQUAL(truncate(in_directory("kept-lock"), 6), 0);
    const struct timespec times[2] = {{1000, 0}, {2000, 0}};
    put(fd, "");
    CHECK_EQUAL(utimensat(AT_FDCWD, in_directory("kept-lock"), times, 0), 0);
    const pid_t child = start_fork();
    if (child == 0) {
        struct flock wanted = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        CHECK(fcntl(fd, F_SETLK, &wanted) < 0 && (errno == EAGAIN || errno == EACCES));
        _exit(0);
    }
    wait_for(child);
    close(fd);
    check_content("kept-lock", "locked");
}

int main(int count, char **arguments)
{
    return EXERCISE_EACH(count, arguments, opened_for_reading_and_emptied, leases, sent_by_sendmmsg,
                         fork_that_fails_says_why, opened_by_handle, times_of_other_kinds,
                         sizes_met_on_a_walk, behind_the_scenes, limited_by_ulimit,
                         loaded_as_a_library, locks_survive);
}
