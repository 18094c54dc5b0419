/*
 * Processes and threads made without fork(). A child with memory of its own is like one of fork().
 * A child that shares memory must leave this process's tables alone.
 */
#include <sched.h>
#include <stdarg.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include "description.h"
#include "process.h"
#include "real.h"

SLUICE_WRAPPER pid_t _Fork(void)
{
    if (!sluice_capture_on())
        return REAL(_Fork)();
    sluice_images_before_fork();
    return (pid_t)sluice_process_forked(REAL(_Fork)());
}

/* A child of vfork() would change our tables; fork() may stand for it. */
SLUICE_AS(pid_t, vfork, (void), fork())

SLUICE_BEFORE(int, unshare, (int flags), (flags),
              if (flags & CLONE_FILES) sluice_descriptions_divide())

struct start {
    int (*function)(void *);
    void *argument;
};

static int start_child(void *argument)
{
    const struct start *start = argument;
    sluice_process_in_child();
    const int status = start->function(start->argument);
    sluice_process_end(status == 0);
    return status;
}

/*
 * Prepares for a child with these flags that shares this process's memory. With shared descriptors
 * as well, the child is a thread that the C library does not know. A child that runs only until it
 * becomes another program may use the table as its own, if the table is empty.
 */
void sluice_process_before_sharing(int flags)
{
    const bool threads = !(flags & CLONE_VFORK);
    if (threads)
        __libc_single_threaded = 0;
    if (flags & CLONE_FILES)
        return;
    sluice_descriptions_let_go();
    sluice_capture_have_taken();
    if (threads)
        sluice_descriptions_divide();
}

SLUICE_WRAPPER int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
    va_list more;
    va_start(more, argument);
    pid_t *parent_tid = va_arg(more, pid_t *);
    void *tls = va_arg(more, void *);
    pid_t *child_tid = va_arg(more, pid_t *);
    va_end(more);
    if (!sluice_capture_on() || function == NULL)
        return REAL(clone)(function, stack, flags, argument, parent_tid, tls, child_tid);
    if (flags & CLONE_VM) {
        sluice_process_before_sharing(flags);
        return REAL(clone)(function, stack, flags, argument, parent_tid, tls, child_tid);
    }
    struct start start = {function, argument};
    sluice_images_before_fork();
    const int child = REAL(clone)(start_child, stack, flags, &start, parent_tid, tls, child_tid);
    const int error = errno;
    sluice_images_after_fork();
    if (flags & CLONE_FILES)
        sluice_descriptions_divide();
    errno = error;
    return child;
}
