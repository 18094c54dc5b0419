/*
 * A CRIU of tests: plays a recorded conversation with what takes its images. Each file has the bytes
 * that its name and their offsets tell, so a restore knows them.
 *
 *     criu_player RECORDING --version | dump WORD... | restore WORD...
 *
 * A dumped process is stopped, and goes on or is killed as CRIU has it. The environment says what
 * goes otherwise: CRIU_VERSION; CRIU_FAILS=N: the Nth line fails, a write in its middle;
 * CRIU_WAITS=FILE: before the last line of a dump, and before a restore reads, FILE is made, and waited
 * for until it is gone. CRIU_TREE=PID: only as that is dumped. CRIU_LEAVES: a restore closes its
 * connection before it reads. CRIU_RUNS=FILE: what it has restored makes FILE and runs on, and no signal
 * reaches the player.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 100
#define BYTES 65536

struct file {
    char name[256];
    int64_t length; /* that of the dump */
    int pipe;       /* -1 while closed */
};

static struct file files[MOST];
static size_t file_count;
static int streamer;
static pid_t tree;

#define FAIL(...)                                                                                  \
    do {                                                                                           \
        fprintf(stderr, "Error (criu_player): " __VA_ARGS__);                                      \
        fputc('\n', stderr);                                                                       \
        if (tree > 0)                                                                              \
            kill(tree, SIGCONT);                                                                   \
        exit(1);                                                                                   \
    } while (0)

static struct file *file_of(const char *name)
{
    for (size_t i = 0; i < file_count; i++)
        if (strcmp(files[i].name, name) == 0)
            return &files[i];
    if (file_count == MOST)
        FAIL("too many files");
    struct file *file = &files[file_count++];
    snprintf(file->name, sizeof file->name, "%s", name);
    file->pipe = -1;
    return file;
}

static void make_bytes(const struct file *file, int64_t offset, char *bytes, size_t length)
{
    uint32_t sum = 0;
    for (const char *at = file->name; *at != 0; at++)
        sum = 31 * sum + (uint8_t)*at;
    static const uint8_t head[] = {0x16, 0x31, 0x31, 0x58, 78, 0, 0, 0};
    const bool framed = strcmp(file->name, "inventory.img") == 0; /* of 8 and 78 bytes */
    for (size_t i = 0; i < length; i++) {
        bytes[i] = framed && offset + (int64_t)i < 8
            ? (char)head[offset + (int64_t)i]
            : (char)((sum + (uint64_t)(offset + (int64_t)i) * 2654435761u) >> 16);
    }
}

static void connect_to(const char *directory, const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", directory, name);
    streamer = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(streamer, (struct sockaddr *)&address, sizeof address) != 0)
        FAIL("cannot connect to %s: %m", address.sun_path);
}

static void ask(const char *name)
{
    uint8_t frame[4 + 2 + 128];
    const uint32_t length = (uint32_t)(2 + strlen(name));
    memcpy(frame, &length, sizeof length);
    frame[4] = 0x0a;
    frame[5] = (uint8_t)strlen(name);
    memcpy(frame + 6, name, strlen(name));
    if (send(streamer, frame, 4 + length, MSG_NOSIGNAL) != (ssize_t)(4 + length))
        FAIL("cannot ask for %s: %m", name);
}

/* Sends one end of a pipe, and returns the other one. */
static int send_pipe(bool dumps)
{
    int fds[2];
    char byte = 0;
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec vector = {&byte, 1};
    struct msghdr header = {.msg_iov = &vector,
                            .msg_iovlen = 1,
                            .msg_control = control,
                            .msg_controllen = sizeof control};
    if (pipe2(fds, O_CLOEXEC) != 0)
        FAIL("no pipe: %m");
    struct cmsghdr *first = CMSG_FIRSTHDR(&header);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(first), &fds[dumps ? 0 : 1], sizeof(int));
    if (sendmsg(streamer, &header, MSG_NOSIGNAL) != 1)
        FAIL("cannot send a pipe: %m");
    close(fds[dumps ? 0 : 1]);
    return fds[dumps ? 1 : 0];
}

/* Returns whether the file is there, as the answer says. */
static bool answered(const char *name)
{
    uint8_t answer[6];
    if (recv(streamer, answer, sizeof answer, MSG_WAITALL) != sizeof answer)
        FAIL("no answer for %s", name);
    if (memcmp(answer, "\2\0\0\0\10", 5) != 0 || answer[5] > 1)
        FAIL("a senseless answer for %s", name);
    return answer[5] == 1;
}

static void write_some(struct file *file, int64_t length)
{
    static char bytes[BYTES];
    while (length > 0) {
        const size_t next = length < BYTES ? (size_t)length : BYTES;
        make_bytes(file, file->length, bytes, next);
        const ssize_t count = write(file->pipe, bytes, next);
        if (count < 0)
            FAIL("cannot write %s: %m", file->name);
        file->length += count;
        length -= count;
    }
}

/* Plays a line of a dump. Without a connection the lengths alone are learnt. */
static void dump_line(const char *line, bool plays)
{
    char name[256];
    long long length = 0;
    if (sscanf(line, "write %255s %lld", name, &length) == 2 && plays) {
        write_some(file_of(name), length);
    } else if (length > 0) {
        file_of(name)->length += length;
    } else if (sscanf(line, "open %255s", name) == 1 && plays) {
        ask(name);
        file_of(name)->pipe = send_pipe(true);
    } else if (sscanf(line, "close %255s", name) == 1 && plays) {
        close(file_of(name)->pipe);
        file_of(name)->pipe = -1;
    }
}

static void fail_line(const char *line)
{
    char name[256];
    long long length;
    if (sscanf(line, "write %255s %lld", name, &length) == 2)
        write_some(file_of(name), length / 2);
    FAIL("told to fail");
}

/* Returns a variable that counts for this tree, NULL for none. */
static const char *told(const char *variable)
{
    const char *only = getenv("CRIU_TREE");
    return only == NULL || atoi(only) == tree ? getenv(variable) : NULL;
}

static void await_go(void)
{
    const char *path = told("CRIU_WAITS");
    if (path == NULL)
        return;
    close(open(path, O_WRONLY | O_CREAT, 0600));
    while (access(path, F_OK) == 0)
        usleep(20000);
}

static void run_script(const char *script, const char *directory)
{
    int status = 0;
    if (script == NULL)
        return;
    const pid_t child = fork();
    if (child == 0) {
        setenv("CRTOOLS_SCRIPT_ACTION", "post-dump", 1);
        setenv("CRTOOLS_IMAGE_DIR", directory, 1);
        execl(script, script, (char *)NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    if (status != 0)
        FAIL("the action script ended with status %d", WEXITSTATUS(status));
}

static char **read_lines(const char *recording, size_t *count)
{
    static char *lines[1000];
    char line[512];
    FILE *file = fopen(recording, "re");
    if (file == NULL)
        FAIL("cannot open %s: %m", recording);
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = 0;
        if (*line != '#' && *line != 0 && *count < 1000)
            lines[(*count)++] = strdup(line);
    }
    fclose(file);
    return lines;
}

static void dump(char **lines, size_t count, const char *directory, bool leaves, const char *script)
{
    const char *fails = told("CRIU_FAILS");
    kill(tree, SIGSTOP);
    connect_to(directory, "streamer-capture.sock");
    for (size_t i = 1; i < count && strcmp(lines[i], "restore") != 0; i++) {
        if (strcmp(lines[i + 1], "restore") == 0)
            await_go();
        if (fails != NULL && (size_t)atoi(fails) == i)
            fail_line(lines[i]);
        dump_line(lines[i], true);
    }
    run_script(script, directory);
    close(streamer);
    kill(tree, leaves ? SIGCONT : SIGKILL);
}

/* Has a child go on as what was restored, and waits for its end. */
static void run_restored(void)
{
    const char *path = getenv("CRIU_RUNS");
    sigset_t all;
    if (path == NULL)
        return;
    const pid_t child = fork();
    if (child == 0) {
        close(open(path, O_WRONLY | O_CREAT, 0600));
        pause();
        _exit(0);
    }
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    waitpid(child, NULL, 0);
}

static void compare(const struct file *file, int pipe)
{
    static char expected[BYTES], bytes[BYTES];
    int64_t at = 0;
    for (ssize_t count; (count = read(pipe, bytes, BYTES)) > 0; at += count) {
        make_bytes(file, at, expected, (size_t)count);
        if (at + count > file->length || memcmp(bytes, expected, (size_t)count) != 0)
            FAIL("%s has other bytes", file->name);
    }
    if (at != file->length)
        FAIL("%s has %lld bytes and not %lld", file->name, (long long)at, (long long)file->length);
    close(pipe);
}

/* Asks for each file, and for the largest twice, before it reads any: the last one first. */
static void restore(char **lines, size_t count, const char *directory)
{
    struct {
        struct file *file;
        int pipe;
    } asked[2 * MOST];
    size_t open = 0;
    char name[256];
    connect_to(directory, "streamer-serve.sock");
    for (size_t i = 0; i < count; i++) {
        dump_line(lines[i], false);
        const bool exists = sscanf(lines[i], "ask %255s", name) == 1;
        if (!exists && sscanf(lines[i], "miss %255s", name) != 1)
            continue;
        for (int again = 0; again < (strcmp(name, "pages-1.img") == 0 ? 2 : 1); again++) {
            ask(name);
            if (answered(name) != exists)
                FAIL("%s is %s", name, exists ? "missing" : "there");
            if (exists) {
                asked[open].file = file_of(name);
                asked[open++].pipe = send_pipe(false);
            }
        }
    }
    if (getenv("CRIU_LEAVES") != NULL)
        close(streamer);
    await_go();
    while (open > 0) {
        open--;
        compare(asked[open].file, asked[open].pipe);
    }
    if (getenv("CRIU_LEAVES") == NULL)
        close(streamer);
    run_restored();
}

int main(int words, char **word)
{
    const char *directory = NULL, *script = NULL, *version = getenv("CRIU_VERSION");
    bool leaves = false, streams = false;
    size_t count = 0;
    if (words > 2 && strcmp(word[2], "--version") == 0) {
        printf("Version: %s\n", version == NULL ? "4.1.1" : version);
        return 0;
    }
    signal(SIGPIPE, SIG_IGN);
    for (int i = 3; i < words; i++) {
        streams |= strcmp(word[i], "--stream") == 0;
        leaves |= strcmp(word[i], "--leave-running") == 0;
        if (i + 1 < words && strcmp(word[i], "-D") == 0)
            directory = word[i + 1];
        if (i + 1 < words && strcmp(word[i], "-t") == 0)
            tree = atoi(word[i + 1]);
        if (i + 1 < words && strcmp(word[i], "--action-script") == 0)
            script = word[i + 1];
    }
    if (words < 3 || directory == NULL || !streams)
        FAIL("usage: criu_player RECORDING dump|restore --stream -D DIR");
    char **lines = read_lines(word[1], &count);
    if (strcmp(word[2], "dump") == 0)
        dump(lines, count, directory, leaves, script);
    else
        restore(lines, count, directory);
    return 0;
}
