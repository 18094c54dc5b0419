/*
 * exercise_process SEED OPERATIONS DIRECTORY
 *
 * Several processes and threads on the same files below DIRECTORY; checks what comes back, and
 * leaves the files. The seed is not used.
 */
#include "files.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>

extern char **environ;

static long repetitions; /* of what threads do */

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

/* The C library opens them, in a child that runs in the parent's memory. */
static void files_of_spawned_programs(void)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int fd = create("spawned-in", O_WRONLY);
    put(fd, "read by a program\n");
    close(fd);
    fd = create("spawned-out", O_WRONLY);
    put(fd, "before\n");
    close(fd);
    CHECK_EQUAL(posix_spawn_file_actions_init(&actions), 0);
    CHECK_EQUAL(
        posix_spawn_file_actions_addopen(&actions, 0, in_directory("spawned-in"), O_RDONLY, 0), 0);
    CHECK_EQUAL(posix_spawn_file_actions_addchdir_np(&actions, directory), 0);
    CHECK_EQUAL(
        posix_spawn_file_actions_addopen(&actions, 1, "spawned-out", O_WRONLY | O_APPEND, 0), 0);
    char *const arguments[] = {"cat", NULL};
    CHECK_EQUAL(posix_spawnp(&child, "cat", &actions, NULL, arguments, environ), 0);
    wait_for(child);
    CHECK_EQUAL(posix_spawn_file_actions_destroy(&actions), 0);
    check_content("spawned-out", "before\nread by a program\n");
}

static void *use_own_descriptors(void *nothing)
{
    char content[32] = "";
    CHECK_EQUAL(unshare(CLONE_FILES), 0);
    CHECK_EQUAL(close(STDIN_FILENO), 0); /* so the same numbers are other files here */
    const int fd = open(in_directory("own-descriptors"), O_RDWR | O_APPEND);
    CHECK(fd >= 0);
    CHECK_EQUAL(read(fd, content, sizeof content), 7);
    CHECK(strcmp(content, "before ") == 0);
    put(fd, "by a thread");
    close(fd);
    return nothing;
}

static void thread_with_descriptors_of_its_own(void)
{
    const pid_t child = start_fork();
    if (child == 0) {
        pthread_t thread;
        const int fd = create("own-descriptors", O_WRONLY);
        put(fd, "before ");
        close(fd);
        CHECK_EQUAL(pthread_create(&thread, NULL, use_own_descriptors, NULL), 0);
        CHECK_EQUAL(pthread_join(thread, NULL), 0);
        exit(0);
    }
    wait_for(child);
    check_content("own-descriptors", "before by a thread");
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

static void descriptors_sent(void)
{
    int sockets[2];
    CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    const pid_t child = start_fork();
    char byte = 'b', control[CMSG_SPACE(sizeof(int))] = "";
    struct iovec vector = {&byte, 1};
    struct msghdr message = {.msg_iov = &vector,
                             .msg_iovlen = 1,
                             .msg_control = control,
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

static void threads_open_and_close(void)
{
    run_threads(open_and_close);
}

int main(int count, char **arguments)
{
    repetitions = count > 2 ? strtol(arguments[2], NULL, 10) : 0;
    return EXERCISE_EACH(count, arguments, offset_shared_over_fork, child_opens_its_own,
                         programs_write_to_inherited, files_of_spawned_programs,
                         thread_with_descriptors_of_its_own, exec_with_open_file, threads_write,
                         ends_without_close, take_turns, append_together, reader_sees_writer,
                         descriptors_sent, threads_open_and_close);
}
