/*
 * The birth of a child that the program does not notice. A child of fork() raises SIGCHLD when it
 * ends, and a wait() for any child would take it. So another process, in between, forks. Sharing
 * this process's memory, the process in between costs nothing (CLONE_VM). No signal tells its end,
 * and only __WCLONE waits for it. At once it ends, and init has the child from then on.
 *
 * This thread stands still meanwhile (CLONE_VFORK), with its signals blocked. So the process in
 * between runs the handlers of pthread_atfork() as if it were this thread. The handlers find this
 * thread's thread-local memory, and locks as at any other fork.
 *
 * Parent and child see each other's end by the pipe. This process reads an end of file when the
 * child is killed. The kernel raises SIGIO in the child when no process is left to read: the rank
 * is dead, or has given the child up. No process number is used, which another process could have
 * by then.
 */
#include "child.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "kernel.h"

#define STACK (1 << 20)
#define MOST_FILES 65536

/* The message of a child at its end; less than a pipe takes at once. */
struct end {
    int failed;
    char why[SLUICE_MPI_CHILD_SAYS];
};

struct birth {
    int (*work)(void *argument, char *why);
    void *argument;
    int pipe[2];
    int error;
};

static struct end end;
static int to_parent;

static int events_of(int fd, short wanted)
{
    struct pollfd poll = {.fd = fd, .events = wanted};
    struct timespec nothing = {0};
    return sluice_kernel_call(SYS_ppoll, (long)&poll, 1, (long)&nothing, 0, 0) > 0 ? poll.revents
                                                                                   : 0;
}

/* ---- in the child ---- */

__attribute__((noreturn)) static void leave(void)
{
    sluice_kernel_call(SYS_write, to_parent, (long)&end, sizeof end);
    for (;;)
        sluice_kernel_call(SYS_exit_group, end.failed);
}

/*
 * Ends the child whose memory cannot be read. Memory registered with a network card may be left out
 * of a fork.
 */
static void unreadable(int signal)
{
    (void)signal;
    end.failed = 1;
    strcpy(end.why, "memory of the rank cannot be read by a forked child: use --snapshot copy");
    leave();
}

static void close_range_of(unsigned first, unsigned last)
{
    if (first > last || sluice_kernel_call(SYS_close_range, first, last, 0) != -ENOSYS)
        return;
    for (unsigned fd = first; fd <= last && fd < MOST_FILES; fd++)
        sluice_kernel_close((int)fd);
}

/*
 * Closes the rank's descriptors. Others may wait until its sockets, locks and standard output are
 * closed, and must not wait for the child.
 */
static void close_others(void)
{
    close_range_of(0, (unsigned)to_parent - 1);
    close_range_of((unsigned)to_parent + 1, ~0U);
    for (int standard = 0; standard <= 2 && standard != to_parent; standard++)
        sluice_kernel_call(SYS_openat, AT_FDCWD, (long)"/dev/null", O_RDWR, 0);
}

/* Takes some signals. All others stay blocked: their handlers are the program's. */
static void take_signals(void)
{
    const struct sigaction dying = {.sa_handler = unreadable};
    const struct sigaction ending = {.sa_handler = SIG_DFL};
    sigset_t open;
    sigaction(SIGSEGV, &dying, NULL);
    sigaction(SIGBUS, &dying, NULL);
    sigaction(SIGIO, &ending, NULL);
    sigemptyset(&open);
    sigaddset(&open, SIGSEGV);
    sigaddset(&open, SIGBUS);
    sigaddset(&open, SIGIO);
    sigprocmask(SIG_UNBLOCK, &open, NULL);
}

/* Makes the kernel kill this child, not the rank, where memory runs out. */
static void be_first_to_go(void)
{
    const int fd = sluice_kernel_open("/proc/self/oom_score_adj", O_WRONLY);
    if (fd >= 0)
        sluice_kernel_call(SYS_write, fd, (long)"1000", 4);
    sluice_kernel_close(fd);
}

/*
 * Ends the child with its parent. SIGIO tells of an end after this call; the look at the pipe of
 * one before it.
 */
static void end_with_parent(void)
{
    sluice_kernel_call(SYS_fcntl, to_parent, F_SETOWN, sluice_kernel_call(SYS_getpid));
    sluice_kernel_call(SYS_fcntl, to_parent, F_SETFL, O_WRONLY | O_ASYNC);
    if (events_of(to_parent, 0) & POLLERR)
        leave();
}

__attribute__((noreturn)) static void live(const struct birth *birth)
{
    to_parent = birth->pipe[1];
    sluice_kernel_call(SYS_prctl, PR_SET_NAME, (long)"sluice-snapshot");
    be_first_to_go();
    close_others();
    take_signals();
    end_with_parent();
    end.failed = birth->work(birth->argument, end.why) != 0;
    leave();
}

/* ---- in between ---- */

static int bear(void *argument)
{
    struct birth *birth = argument;
    const pid_t child = fork();
    if (child == 0)
        live(birth);
    birth->error = child < 0 ? -errno : 0;
    return 0;
}

/* ---- in the rank ---- */

static void *stack_of_birth(int *error)
{
    static char *stack;
    *error = 0;
    if (stack == NULL)
        stack = sluice_kernel_map(-1, 0, STACK, error);
    return stack == NULL ? NULL : stack + STACK;
}

static void wait_for(pid_t process)
{
    while (waitpid(process, NULL, __WCLONE) < 0 && errno == EINTR) {
    }
}

int sluice_mpi_child_begin(struct sluice_mpi_child *child, int (*work)(void *argument, char *why),
                           void *argument)
{
    struct birth birth = {.work = work, .argument = argument};
    sigset_t all;
    sigset_t before;
    child->pipe = -1;
    void *stack = stack_of_birth(&birth.error);
    if (stack == NULL)
        return birth.error;
    const long error = sluice_kernel_call(SYS_pipe2, (long)birth.pipe, O_CLOEXEC);
    if (error < 0)
        return (int)error;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const pid_t between = clone(bear, stack, CLONE_VM | CLONE_VFORK | CLONE_FILES, &birth);
    if (between < 0)
        birth.error = -errno;
    else
        wait_for(between);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sluice_kernel_close(birth.pipe[1]);
    if (birth.error != 0) {
        sluice_kernel_close(birth.pipe[0]);
        return birth.error;
    }
    child->pipe = birth.pipe[0];
    return 0;
}

bool sluice_mpi_child_is_there(const struct sluice_mpi_child *child)
{
    return child->pipe >= 0;
}

int sluice_mpi_child_look(struct sluice_mpi_child *child)
{
    struct end said;
    if (events_of(child->pipe, POLLIN) == 0)
        return 0; /* even an empty read would seem to the child the end of this process */
    const long length = sluice_kernel_call(SYS_read, child->pipe, (long)&said, sizeof said);
    if (length == -EINTR)
        return 0;
    sluice_mpi_child_end(child);
    if (length == (long)sizeof said && !said.failed)
        return 1;
    snprintf(child->why, sizeof child->why, "%s",
             length == (long)sizeof said ? said.why : "the child that writes its image was killed");
    return -1;
}

void sluice_mpi_child_end(struct sluice_mpi_child *child)
{
    if (child->pipe >= 0)
        sluice_kernel_close(child->pipe);
    child->pipe = -1;
}
