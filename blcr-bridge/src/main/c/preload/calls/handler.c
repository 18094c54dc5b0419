/*
 * Handlers of the program's signals, each called by one of ours. Inside the shim, ours sends the
 * signal to its own thread again and leaves it blocked until the guard is left. So the kernel keeps
 * the signal's data, merges equal signals and obeys the program's masks as ever.
 *
 * A program that asks for a signal's action gets what it set. SA_RESETHAND is carried out here,
 * since a signal that is put off is delivered twice.
 */
#include <signal.h>
#include <stdatomic.h>
#include <ucontext.h>

#include "capture.h"
#include "guard.h"
#include "kernel.h"
#include "real.h"

typedef void handler(int number, siginfo_t *info, void *context);

#define OURS (SA_SIGINFO | SA_RESETHAND) /* flags that the kernel has in place of the program's */

/*
 * The program's handlers of the signals that ours handles. Each is written before the kernel is
 * told, so a delivery in between finds the new handler a little early. Threads that set one
 * signal's action at the same time may get one's handler with the other's mask.
 */
static struct action {
    _Atomic(handler *) function;
    _Atomic int flags;
} actions[_NSIG];

/*
 * Returns whether a signal can be put off. A signal that an instruction of this thread raised must
 * be handled at once.
 */
static bool may_wait(int number)
{
    static const int at_once[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    for (size_t i = 0; i < sizeof at_once / sizeof *at_once; i++)
        if (number == at_once[i])
            return false;
    return number > 0 && number < _NSIG;
}

/*
 * Returns whether abort() sent the signal. abort() does not return, so only the handler is left to
 * run.
 */
static bool is_abort(int number, const siginfo_t *info)
{
    return number == SIGABRT && info->si_code == SI_TKILL
        && info->si_pid == sluice_kernel_call(SYS_getpid);
}

/*
 * Puts a signal off. False when the kernel has no room for it. The signal is blocked first, as it
 * may be SA_NODEFER.
 */
static bool put_off(int number, siginfo_t *info, ucontext_t *interrupted)
{
    const int error = errno;
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    const bool sent = sluice_kernel_call(SYS_rt_tgsigqueueinfo, sluice_kernel_call(SYS_getpid),
                                         sluice_kernel_call(SYS_gettid), number, (long)info)
        == 0;
    if (sent) {
        sigaddset(&interrupted->uc_sigmask, number);
        sigaddset(&sluice_guard.waiting, number);
        sluice_guard.deferred = true;
    }
    errno = error;
    return sent;
}

/* Resets a signal's action by our sigaction(), which has looked the C library's own up already. */
static void reset(int number)
{
    const int error = errno;
    sigaction(number, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    errno = error;
}

static void handle(int number, siginfo_t *info, void *context)
{
    if (sluice_guard_defers() && !is_abort(number, info) && put_off(number, info, context))
        return;
    if (actions[number].flags & SA_RESETHAND)
        reset(number);
    actions[number].function(number, info, context);
}

static bool is_function(const struct sigaction *action)
{
    return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN
        && action->sa_handler != SIG_ERR;
}

/* Replaces the kernel's action by the one that the program set. */
static void translate(struct sigaction *action, handler *function, int flags)
{
    if (action->sa_sigaction != handle)
        return;
    action->sa_sigaction = function;
    action->sa_flags = (action->sa_flags & ~OURS) | (flags & OURS);
}

SLUICE_WRAPPER int sigaction(int number, const struct sigaction *restrict action,
                             struct sigaction *restrict old)
{
    if (!sluice_capture_on() || !may_wait(number))
        return REAL(sigaction)(number, action, old);
    struct action *known = &actions[number];
    handler *const function = known->function;
    const int flags = known->flags;
    const bool handled = action != NULL && is_function(action);
    struct sigaction told;
    if (handled) {
        told = *action;
        told.sa_sigaction = handle;
        told.sa_flags = (told.sa_flags & ~OURS) | SA_SIGINFO;
        known->flags = action->sa_flags;
        known->function = action->sa_sigaction;
    }
    const int result = REAL(sigaction)(number, handled ? &told : action, old);
    if (result != 0 && handled) {
        known->flags = flags;
        known->function = function;
    }
    if (result == 0 && old != NULL)
        translate(old, function, flags);
    return result;
}

static sighandler_t set_handler(int number, sighandler_t function, int flags)
{
    struct sigaction action = {.sa_handler = function, .sa_flags = flags}, old;
    sigemptyset(&action.sa_mask);
    if (function == SIG_ERR || number < 1 || number >= _NSIG) {
        errno = EINVAL;
        return SIG_ERR;
    }
    if (!(flags & SA_NODEFER))
        sigaddset(&action.sa_mask, number);
    return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* The signals given to siginterrupt(). */
static sigset_t interrupting;

SLUICE_AS(sighandler_t, signal, (int number, sighandler_t function),
          set_handler(number, function, sigismember(&interrupting, number) == 1 ? 0 : SA_RESTART))
SLUICE_AS(sighandler_t, __sysv_signal, (int number, sighandler_t function),
          set_handler(number, function, SA_RESETHAND | SA_NODEFER))

SLUICE_WRAPPER int siginterrupt(int number, int interrupts)
{
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0)
        return -1;
    if (interrupts) {
        sigaddset(&interrupting, number);
        action.sa_flags &= ~SA_RESTART;
    } else {
        sigdelset(&interrupting, number);
        action.sa_flags |= SA_RESTART;
    }
    return sigaction(number, &action, NULL);
}
