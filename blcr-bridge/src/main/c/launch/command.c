#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hung.h"
#include "segment.h"
#include "status.h"

/*
 * LONGEST: letters of an option's name. FAR: the least distance at which another word is no
 * misspelt option.
 */
enum { LONGEST = 40, FAR = 3 };

static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCONT};

/* This program is blcr-bridge/target/native/sluice-run below SLUICE_HOME. */
void sluice_launch_installed(char *path, size_t capacity, const char *file)
{
    char home[3000] = "";
    const char *given = getenv("SLUICE_HOME");
    if (given != NULL && *given != 0) {
        snprintf(home, sizeof home, "%s", given);
    } else if (readlink("/proc/self/exe", home, sizeof home - 1) > 0) {
        for (int level = 0; level < 4; level++) {
            char *slash = strrchr(home, '/');
            *(slash == NULL ? home : slash) = 0;
        }
    }
    snprintf(path, capacity, "%s/%s", home, file);
}

size_t sluice_launch_length(char **list)
{
    size_t length = 0;
    while (list[length] != NULL)
        length++;
    return length;
}

char **sluice_launch_command_behind(char **options)
{
    if (*options == NULL) {
        sluice_launch_fail(SLUICE_STATUS_USAGE, "no command to run; see %s --help",
                           sluice_launch_name);
    }
    return options;
}

static size_t least(size_t one, size_t other)
{
    return one < other ? one : other;
}

/*
 * Returns the number of letters that are missing, extra, different, or swapped with the next one.
 */
static size_t distance(const char *one, const char *other)
{
    size_t rows[3][LONGEST + 1];
    const size_t length = strlen(other);
    if (strlen(one) > LONGEST || length > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= length; j++)
        rows[0][j] = j;
    for (size_t i = 1; one[i - 1] != 0; i++) {
        const size_t *above = rows[(i - 1) % 3], *higher = rows[(i + 1) % 3];
        size_t *row = rows[i % 3];
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            row[j] = least(above[j] + 1, row[j - 1] + 1);
            row[j] = least(row[j], above[j - 1] + (one[i - 1] != other[j - 1]));
            if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
                row[j] = least(row[j], higher[j - 2] + 1);
        }
    }
    return rows[strlen(one) % 3][length];
}

static const char *nearest(const char *word, const struct option *known)
{
    const char *best = NULL;
    size_t least_distance = FAR;
    for (; known->name != NULL; known++) {
        const size_t to = distance(word, known->name);
        if (to < least_distance) {
            least_distance = to;
            best = known->name;
        }
    }
    return best;
}

_Noreturn void sluice_launch_command_refuse(int answer, char **next, const struct option *known)
{
    if (answer == ':') {
        sluice_launch_fail(SLUICE_STATUS_USAGE, "a value is missing after %s; see %s --help",
                           next[-1], sluice_launch_name);
    }
    char word[LONGEST + 1];
    snprintf(word, sizeof word, "%s", next[-1] + strspn(next[-1], "-"));
    word[strcspn(word, "=")] = 0;
    const char *meant = nearest(word, known);
    sluice_launch_fail(SLUICE_STATUS_USAGE, "there is no option %s%s%s%s; see %s --help", next[-1],
                       meant == NULL ? "" : " (did you mean --", meant == NULL ? "" : meant,
                       meant == NULL ? "" : "?)", sluice_launch_name);
}

static void put_first(const char *variable, const char *entry)
{
    char list[8192];
    const char *others = getenv(variable);
    const bool alone = others == NULL || *others == 0;
    const int length =
        snprintf(list, sizeof list, "%s%s%s", entry, alone ? "" : ":", alone ? "" : others);
    if ((size_t)length >= sizeof list)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "%s is too long", variable);
    setenv(variable, list, 1);
}

/*
 * Puts a library of Sluice's own before those that the user preloads. The linker parts that list at
 * blanks as well, so a library whose path has a blank is found by its name.
 */
static void preload(const char *file)
{
    char library[3100];
    sluice_launch_installed(library, sizeof library, file);
    if (access(library, R_OK) != 0)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "%s is missing; run scripts/build", library);
    setenv("SLUICE_SPEAKER", sluice_launch_name, 1);
    char *slash = strrchr(library, '/');
    if (strchr(library, ' ') == NULL) {
        put_first("LD_PRELOAD", library);
        return;
    }
    put_first("LD_PRELOAD", slash + 1);
    *slash = 0;
    put_first("LD_LIBRARY_PATH", library);
}

/* Preloads the layer between the program and its MPI, under sluice mpi. */
static void preload_layer(void)
{
    char file[200];
    const char *mpi = getenv("SLUICE_MPI_LAYER");
    if (mpi != NULL) {
        snprintf(file, sizeof file, "blcr-bridge/target/native/libsluice_mpi_%s.so", mpi);
        preload(file);
    }
}

void sluice_launch_preload(void)
{
    preload("blcr-bridge/target/native/libsluice_preload.so");
}

/* Ends the process if files of this command would not be captured. */
static void need_capture(const char *directory, const char *capture, const char *wanted)
{
    char path[PATH_MAX];
    const char *name = strrchr(directory, '/') + 1;
    if (realpath(wanted, path) == NULL)
        snprintf(path, sizeof path, "%s", wanted);
    if (strcmp(path, capture) != 0) {
        sluice_launch_fail(SLUICE_STATUS_BUSY,
                           "the I/O process %s captures %s and not %s; give it another --name",
                           name, *capture == 0 ? "nothing" : capture, path);
    }
}

void sluice_launch_capture(const char *directory, const char *wanted)
{
    struct sluice_segment *segment;
    const int error = sluice_segment_map(directory, &segment);
    if (error != 0)
        sluice_launch_fail(sluice_launch_status(error), "%s", sluice_failure_message());
    char capture[SLUICE_HEADER_MAX_PATH_LENGTH + 1];
    sluice_segment_path(segment->header->capture, capture);
    sluice_segment_unmap(segment);
    if (wanted != NULL)
        need_capture(directory, capture, wanted);
    setenv("SLUICE_DIRECTORY", directory, 1);
    preload_layer();
    if (*capture == 0) { /* as under sluice mpi unless told otherwise */
        unsetenv("SLUICE_CAPTURE");
        return;
    }
    setenv("SLUICE_CAPTURE", capture, 1);
    sluice_launch_preload();
}

/*
 * Becomes the command. When this process is killed, so is the command: a launcher that kills a rank
 * means the rank.
 */
_Noreturn static void become_command(char **command, const sigset_t *mask, pid_t parent,
                                     int failure)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(SLUICE_STATUS_FAILED);
    sigprocmask(SIG_SETMASK, mask, NULL);
    char self[16];
    snprintf(self, sizeof self, "%d", getpid());
    setenv("SLUICE_COMMAND", self, 1);
    execvp(command[0], command);
    const bool missing = errno == ENOENT;
    if (write(failure, &errno, sizeof errno) != sizeof errno)
        _exit(SLUICE_STATUS_FAILED);
    _exit(missing ? SLUICE_STATUS_NO_COMMAND : SLUICE_STATUS_NOT_EXECUTABLE);
}

void sluice_launch_command_pass(int signal, int code, pid_t command)
{
    if (code != SI_KERNEL)
        kill(command, signal);
}

/* Takes the next signal. False where none came for a while. */
static bool next_signal(const sigset_t *signals, const struct sluice_launch_ears *ears,
                        siginfo_t *signal)
{
    const struct timespec look = {.tv_sec = ears->look != NULL ? 1 : SLUICE_LAUNCH_HUNG_EACH};
    const bool looks = ears->look != NULL || ears->launcher;
    return (looks ? sigtimedwait(signals, signal, &look) : sigwaitinfo(signals, signal)) > 0;
}

/* The signals of the process as it began, which the command gets. */
static sigset_t former;

void sluice_launch_command_block(sigset_t *signals)
{
    static bool blocked;
    sigemptyset(signals);
    sigaddset(signals, SIGCHLD);
    for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
        sigaddset(signals, forwarded[i]);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, signals, blocked ? NULL : &former);
    blocked = true;
}

int sluice_launch_command_await(pid_t child, const struct sluice_launch_ears *ears)
{
    struct sluice_launch_hung hung = {0};
    sigset_t signals;
    int status;
    sluice_launch_command_block(&signals);
    for (;;) {
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) {
            return WIFSIGNALED(status) ? SLUICE_STATUS_SIGNAL + WTERMSIG(status)
                                       : WEXITSTATUS(status);
        }
        siginfo_t signal;
        if (!next_signal(&signals, ears, &signal)) {
            if (errno == EAGAIN && ears->look != NULL)
                ears->look(ears->argument);
            else if (errno == EAGAIN)
                sluice_launch_hung_look(&hung, child);
            continue;
        }
        if (signal.si_signo == SIGCHLD)
            continue;
        if (signal.si_signo != ears->own)
            sluice_launch_command_pass(signal.si_signo, signal.si_code, child);
        if (ears->heard != NULL)
            ears->heard(signal.si_signo, ears->argument);
    }
}

/*
 * Closes the launcher's descriptor: MPICH's launcher and Slurm learn of a rank's death when nobody
 * has it open.
 */
static void leave_launcher_to(pid_t child)
{
    const char *text = child > 0 ? getenv("PMI_FD") : NULL;
    const int descriptor = text == NULL ? -1 : atoi(text);
    if (descriptor > STDERR_FILENO)
        close(descriptor);
}

static void report_exec_failure(int fd, const char *program)
{
    if (read(fd, &errno, sizeof errno) == sizeof errno)
        sluice_launch_say("cannot run %s: %m", program);
    close(fd);
}

pid_t sluice_launch_command_start(char **command)
{
    sigset_t signals;
    int failure[2];
    sluice_launch_command_block(&signals);
    const pid_t parent = getpid();
    const pid_t child = pipe2(failure, O_CLOEXEC) == 0 ? fork() : -1;
    if (child < 0) {
        sluice_launch_say("cannot start %s: %m", command[0]);
        return -1;
    }
    if (child == 0)
        become_command(command, &former, parent, failure[1]);
    leave_launcher_to(child);
    close(failure[1]);
    report_exec_failure(failure[0], command[0]);
    return child;
}

int sluice_launch_command_run(char **command, const struct sluice_launch_ears *ears)
{
    const pid_t child = sluice_launch_command_start(command);
    return child < 0 ? SLUICE_STATUS_FAILED : sluice_launch_command_await(child, ears);
}
