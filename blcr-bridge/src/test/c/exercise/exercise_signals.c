/*
 * exercise_signals SEED OPERATIONS DIRECTORY
 *
 * What signals do to a program that writes files below DIRECTORY: handlers that write, too, a process
 * that is stopped in the midst of a write, and ends without a close. Leaves the files.
 */
#include "exercise.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *directory;
static long operations;

static int create(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    CHECK(fd >= 0);
    return fd;
}

static void write_pieces(int fd, uint64_t seed, long count)
{
    char piece[5000];
    random_seed(seed);
    for (long i = 0; i < count; i++) {
        const size_t length = random_length(sizeof piece);
        random_fill(piece, length);
        CHECK_EQUAL(write(fd, piece, length), length);
    }
}

/* ---- a handler that writes ---- */

static int handlers_file;
static volatile sig_atomic_t handled;

static void write_line(int signal)
{
    (void)signal;
    const int error = errno;
    if (handled < 100) {
        handled++;
        CHECK_EQUAL(write(handlers_file, "handled\n", 8), 8);
    }
    errno = error;
}

static void handler_writes(uint64_t seed)
{
    const int fd = create("handled-over");
    handlers_file = create("handler");
    struct sigaction action = {.sa_handler = write_line, .sa_flags = SA_RESTART};
    CHECK_EQUAL(sigaction(SIGALRM, &action, NULL), 0);
    const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    CHECK_EQUAL(setitimer(ITIMER_REAL, &often, NULL), 0);
    write_pieces(fd, seed, operations);
    while (handled < 100)
        CHECK_EQUAL(pwrite(fd, "again", 5, 0), 5);
    CHECK_EQUAL(setitimer(ITIMER_REAL, &never, NULL), 0);
    close(fd);
    close(handlers_file);
}

/* Each write is there, whole, wherever the handler's comes in between. */
static void handler_writes_to_the_same_file(uint64_t seed)
{
    enum { LINE = 8 };
    static char line[LINE], piece[5000];
    int fd = create("same");
    long pieces = 0, lines = 0;
    random_seed(seed);
    handlers_file = fd;
    handled = 0;
    const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    CHECK_EQUAL(setitimer(ITIMER_REAL, &often, NULL), 0);
    while (handled < 100) {
        const size_t length = random_below(sizeof piece / LINE) + 1;
        memset(piece, '.', length * LINE);
        CHECK_EQUAL(write(fd, piece, length * LINE), length * LINE);
        pieces += (long)length;
    }
    CHECK_EQUAL(setitimer(ITIMER_REAL, &never, NULL), 0);
    CHECK_EQUAL(lseek(fd, 0, SEEK_CUR), (pieces + 100) * LINE);
    CHECK_EQUAL(lseek(fd, 0, SEEK_SET), 0);
    while (read(fd, line, LINE) == LINE)
        lines += memcmp(line, "handled\n", LINE) == 0;
    CHECK_EQUAL(lines, 100);
    CHECK_EQUAL(ftruncate(fd, 0), 0); /* where the lines are is nobody's */
    close(fd);
}

/* ---- what a program asks for, and gets, with a handler ---- */

static volatile sig_atomic_t came, with;

static void count_signal(int signal)
{
    came += signal == SIGUSR1;
}

static void note_value(int signal, siginfo_t *info, void *context)
{
    CHECK(context != NULL);
    came += signal == SIGUSR1;
    with = info->si_value.sival_int;
}

static void actions_are_the_programs(void)
{
    struct sigaction got,
        action = {.sa_sigaction = note_value, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaddset(&action.sa_mask, SIGUSR2);
    CHECK_EQUAL(sigaction(SIGUSR1, &action, NULL), 0);
    CHECK_EQUAL(sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 42}), 0);
    CHECK(came == 1 && with == 42);
    CHECK(signal(SIGUSR1, count_signal) == (sighandler_t)(void *)note_value);
    CHECK_EQUAL(sigaction(SIGUSR1, NULL, &got), 0);
    CHECK(got.sa_handler == count_signal && (got.sa_flags & SA_RESTART)
          && !(got.sa_flags & SA_SIGINFO));
    CHECK_EQUAL(raise(SIGUSR1), 0);
    CHECK_EQUAL(came, 2);

    action = (struct sigaction){.sa_handler = count_signal, .sa_flags = (int)SA_RESETHAND};
    CHECK_EQUAL(sigaction(SIGUSR1, &action, &got), 0);
    CHECK_EQUAL(sigaction(SIGUSR1, NULL, &got), 0);
    CHECK(got.sa_handler == count_signal && (got.sa_flags & (int)SA_RESETHAND));
    CHECK_EQUAL(raise(SIGUSR1), 0);
    CHECK_EQUAL(came, 3);
    CHECK_EQUAL(sigaction(SIGUSR1, NULL, &got), 0);
    CHECK(got.sa_handler == SIG_DFL);
    CHECK(sigaction(SIGKILL, &action, NULL) < 0 && errno == EINVAL);
    CHECK(signal(SIGUSR1, SIG_IGN) == SIG_DFL && signal(SIGUSR1, SIG_DFL) == SIG_IGN);
}

/* ---- a process that is stopped ---- */

static void stopped_at_random(uint64_t seed)
{
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        const int fd = create("stopped");
        write_pieces(fd, seed, 4 * operations);
        close(fd);
        _exit(0);
    }
    const int fd = create("beside-the-stopped");
    random_seed(seed + 1);
    int status = 0;
    for (int i = 0; i < 10 && waitpid(child, &status, WNOHANG) == 0; i++) {
        const struct timespec nap = {.tv_nsec = (long)random_below(3000000)};
        nanosleep(&nap, NULL);
        kill(child, SIGSTOP);
        CHECK_EQUAL(pwrite(fd, "goes on", 7, i * 7), 7);
        CHECK_EQUAL(fsync(fd), 0);
        kill(child, SIGCONT);
    }
    const pid_t ended = waitpid(child, &status, 0);
    CHECK(ended == child || errno == ECHILD);
    CHECK_EQUAL(status, 0);
    CHECK_EQUAL(ftruncate(fd, 0), 0); /* how often is nobody's */
    close(fd);
}

/* ---- ends without a close ---- */

static void end_by(const char *name, int signal)
{
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        write_pieces(create(name), (uint64_t)signal, 50);
        signal == SIGABRT ? abort() : (void)raise(signal);
    }
    int status;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == signal);
}

/* Its last words, and an end within the handler. */
static void say_and_end(int signal)
{
    (void)signal;
    CHECK_EQUAL(write(handlers_file, "the last", 8), 8);
    _exit(3);
}

static void handler_ends_the_process(uint64_t seed)
{
    char content[8];
    for (int i = 0; i < 6; i++) {
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            const struct itimerval soon = {{0, 0}, {0, 3000 + i * 37}};
            const int fd = handlers_file = create("last-words");
            signal(SIGALRM, say_and_end);
            setitimer(ITIMER_REAL, &soon, NULL);
            random_seed(seed);
            for (;;)
                CHECK_EQUAL(pwrite(fd, "again", 5, (off_t)random_below(100000)), 5);
        }
        int status;
        CHECK_EQUAL(waitpid(child, &status, 0), child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
        char path[4096];
        snprintf(path, sizeof path, "%s/last-words", directory);
        const int fd = open(path, O_RDWR);
        CHECK_EQUAL(pread(fd, content, 8, 0), 8);
        CHECK(memcmp(content, "the last", 8) == 0);
        CHECK_EQUAL(ftruncate(fd, 0), 0);
        close(fd);
    }
}

static void end(int signal)
{
    (void)signal;
    _exit(3);
}

/* A stream on a pipe that nobody reads is closed for ever, but for a handler. */
static void handler_ends_a_close_that_waits(void)
{
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        static char buffer[1 << 20];
        const struct itimerval soon = {{0, 1000}, {0, 1000}};
        int ends[2];
        CHECK_EQUAL(pipe(ends), 0);
        FILE *stream = fdopen(ends[1], "w");
        CHECK(stream != NULL);
        setvbuf(stream, buffer, _IOFBF, sizeof buffer);
        CHECK_EQUAL(fwrite(buffer, 1, sizeof buffer - 1, stream), sizeof buffer - 1);
        signal(SIGALRM, end);
        setitimer(ITIMER_REAL, &soon, NULL);
        fclose(stream);
        _exit(0);
    }
    int status;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

/* The C library finds the damage, and abort() does not come back. */
static void aborted_while_a_file_is_closed(void)
{
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        char path[4096];
        snprintf(path, sizeof path, "%s/damaged-heap", directory);
        freopen("/dev/null", "w", stderr);
        signal(SIGABRT, end);
        FILE *volatile stream = fopen(path, "w");
        CHECK(stream != NULL);
        ((volatile size_t *)stream)[-1] = SIZE_MAX;
        fclose(stream);
        _exit(0);
    }
    int status;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

static void child_of_vfork_writes(void)
{
    const int fd = create("vfork");
    CHECK_EQUAL(write(fd, "parent ", 7), 7);
    const pid_t child = vfork();
    if (child == 0) {
        execlp("sh", "sh", "-c", "exit 0", (char *)NULL);
        _exit(1);
    }
    int status;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(write(fd, "goes on", 7), 7);
    close(fd);
}

int main(int count, char **arguments)
{
    CHECK_EQUAL(count, 4);
    const uint64_t seed = strtoull(arguments[1], NULL, 10);
    operations = strtol(arguments[2], NULL, 10);
    directory = arguments[3];
    handler_writes(seed);
    handler_writes_to_the_same_file(seed);
    actions_are_the_programs();
    stopped_at_random(seed);
    handler_ends_the_process(seed);
    handler_ends_a_close_that_waits();
    aborted_while_a_file_is_closed();
    end_by("aborted", SIGABRT);
    end_by("segfaulted", SIGSEGV);
    end_by("terminated", SIGTERM);
    child_of_vfork_writes();
    return 0;
}
