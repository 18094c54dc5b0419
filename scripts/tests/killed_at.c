/*
 * killed_at N COMMAND...: kills the command and its children at their Nth system call behind the first sched_yield.
 * Exit status 9 if it did. If the command has ended before, it says how many there were, and has the command's status.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KILLED = 9, SYSTEM_CALL = SIGTRAP | 0x80 };

static long left; /* system calls until the kill */
static int counting;

static void look_at(pid_t thread)
{
    struct __ptrace_syscall_info call;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof call, &call) <= 0
        || call.op != PTRACE_SYSCALL_INFO_ENTRY) {
        return;
    }
    if (counting && --left <= 0)
        exit(KILLED); /* PTRACE_O_EXITKILL */
    counting |= call.entry.nr == SYS_sched_yield;
}

static int is_event(int status)
{
    return status >> 16 != 0 || WSTOPSIG(status) == SIGSTOP;
}

int main(int count, char **arguments)
{
    int status;
    if (count < 3)
        return 2;
    left = atol(arguments[1]);
    const pid_t first = fork();
    if (first == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        execvp(arguments[2], arguments + 2);
        return 127;
    }
    waitpid(first, &status, 0);
    ptrace(PTRACE_SETOPTIONS, first, NULL,
           PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK
               | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC);
    for (pid_t thread = first; thread > 0; thread = waitpid(-1, &status, __WALL)) {
        if (WIFSTOPPED(status) && WSTOPSIG(status) == SYSTEM_CALL)
            look_at(thread);
        if (WIFSTOPPED(status)) {
            const long signal =
                WSTOPSIG(status) == SYSTEM_CALL || is_event(status) ? 0 : WSTOPSIG(status);
            ptrace(PTRACE_SYSCALL, thread, NULL, signal);
        } else if (thread == first) {
            fprintf(stderr, "killed_at: %ld system calls\n", atol(arguments[1]) - left);
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
    }
    return 1;
}
