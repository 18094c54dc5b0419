#include "census.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#define SYSTEM_CALL_STOP (SIGTRAP | 0x80)

int replay_census_begin(const pid_t *children, int count)
{
    for (int i = 0; i < count; i++) {
        int status;
        if (ptrace(PTRACE_SEIZE, children[i], NULL, PTRACE_O_TRACESYSGOOD) != 0
            || ptrace(PTRACE_INTERRUPT, children[i], NULL, NULL) != 0
            || waitpid(children[i], &status, 0) < 0
            || ptrace(PTRACE_SYSCALL, children[i], NULL, NULL) != 0) {
            return -1;
        }
    }
    return 0;
}

/*
 * Returns the number of the call that a stopped child is about to make; -1 if it is not about to
 * make one.
 */
static int64_t call_of(pid_t child, int status)
{
    struct __ptrace_syscall_info info;
    if (WSTOPSIG(status) != SYSTEM_CALL_STOP
        || ptrace(PTRACE_GET_SYSCALL_INFO, child, (void *)sizeof(info), &info) < 0
        || info.op != PTRACE_SYSCALL_INFO_ENTRY) {
        return -1;
    }
    return (int64_t)info.entry.nr;
}

/*
 * Counts the calls between the two marks of one child. Other children wait, stopped at their first
 * call.
 */
static int64_t count_between(pid_t child)
{
    int64_t calls = 0;
    for (int marks = 0;;) {
        int status;
        if (waitpid(child, &status, 0) < 0)
            return -1;
        if (!WIFSTOPPED(status)) {
            errno = ECHILD;
            return -1;
        }
        const int64_t call = call_of(child, status);
        if (call == REPLAY_CENSUS_MARK && ++marks == 2)
            return ptrace(PTRACE_DETACH, child, NULL, NULL) == 0 ? calls : -1;
        calls += marks == 1 && call >= 0 && call != REPLAY_CENSUS_MARK;
        ptrace(PTRACE_SYSCALL, child, NULL, NULL);
    }
}

int64_t replay_census_end(const pid_t *children, int count)
{
    int64_t total = 0;
    for (int i = 0; i < count; i++) {
        const int64_t calls = count_between(children[i]);
        if (calls < 0)
            return -1;
        total += calls;
    }
    return total;
}
