/*
 * The C library's own functions, behind the ones this shim defines. They are looked up at their
 * first use, which may be before any constructor has run.
 */
#ifndef SLUICE_PRELOAD_REAL_H
#define SLUICE_PRELOAD_REAL_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* clang-format off */
#define SLUICE_REAL_FUNCTIONS(X)                                                                   \
    X(openat) X(mkostemps) X(close) X(close_range) X(dup) X(dup2) X(dup3) X(fcntl) X(write)        \
    X(writev) X(pwrite) X(pwritev) X(pwritev2) X(read) X(readv) X(pread) X(preadv) X(preadv2)      \
    X(lseek) X(ftruncate) X(truncate) X(fsync) X(fdatasync) X(syncfs) X(sync) X(sync_file_range)   \
    X(fstat) X(fstatat) X(statx) X(renameat2) X(fopen) X(fdopen) X(freopen) X(fclose) X(vdprintf)  \
    X(fwide) X(fputwc) X(fputwc_unlocked) X(fputws) X(fputws_unlocked) X(vfwprintf) X(fgetwc)      \
    X(fgetwc_unlocked) X(fgetws) X(fgetws_unlocked) X(ungetwc) X(__isoc99_vfwscanf) X(vfwscanf)    \
    X(__isoc23_vfwscanf) X(mmap) X(sendfile) X(splice) X(copy_file_range) X(fallocate)             \
    X(posix_fallocate) X(ioctl) X(munmap) X(mremap) X(lockf) X(sendmsg) X(sendmmsg)                \
    X(pidfd_getfd) X(open_by_handle_at) X(syscall) X(aio_read) X(aio_write) X(aio_fsync)           \
    X(lio_listio) X(futimens) X(futimes) X(futimesat) X(utimensat) X(utimes) X(lutimes) X(utime)   \
    X(fchmod) X(fchmodat) X(chmod) X(lchmod) X(fsetxattr) X(setxattr) X(lsetxattr) X(setrlimit)    \
    X(prlimit) X(ulimit) X(ftw) X(nftw) X(fts_read) X(fts_children) X(dlopen) X(dlmopen)           \
    X(catopen) X(utmpname) X(updwtmp) X(acct) X(swapon) X(shm_open) X(backtrace_symbols_fd)        \
    X(login_tty) X(daemon) X(wordexp) X(_Fork) X(clone) X(unshare) X(posix_spawn) X(posix_spawnp)  \
    X(pidfd_spawn) X(posix_spawn_file_actions_init) X(posix_spawn_file_actions_destroy)            \
    X(posix_spawn_file_actions_addopen) X(posix_spawn_file_actions_addchdir_np)                    \
    X(posix_spawn_file_actions_addfchdir_np) X(pidfd_spawnp) X(system) X(popen) X(_exit)           \
    X(quick_exit) X(execve) X(execvpe) X(fexecve) X(execveat) X(sigaction)
/* clang-format on */

enum sluice_real {
#define SLUICE_REAL_ENUMERATOR(name) SLUICE_REAL_##name,
    SLUICE_REAL_FUNCTIONS(SLUICE_REAL_ENUMERATOR)
#undef SLUICE_REAL_ENUMERATOR
        SLUICE_REAL_COUNT
};

extern _Atomic(void *) sluice_real_functions[SLUICE_REAL_COUNT];

/* Looks a function up and remembers it; aborts where the C library has none of that name. */
void *sluice_real_find(enum sluice_real which);

/* Whether the C library has it: some functions are newer than what it may be. */
bool sluice_real_has(enum sluice_real which);

static inline void *sluice_real(enum sluice_real which)
{
    void *found = atomic_load_explicit(&sluice_real_functions[which], memory_order_relaxed);
    return __builtin_expect(found != 0, 1) ? found : sluice_real_find(which);
}

#define REAL(name) ((__typeof__(&name))sluice_real(SLUICE_REAL_##name))

/* A function of the C library that this shim defines anew. */
#define SLUICE_WRAPPER __attribute__((visibility("default")))

/* One that does `before` what the C library's own does. */
#define SLUICE_BEFORE(type, name, parameters, arguments, before)                                   \
    SLUICE_WRAPPER type name parameters                                                            \
    {                                                                                              \
        before;                                                                                    \
        return REAL(name) arguments;                                                               \
    }

/* One whose arguments behind the parameter `last` are a va_list, `rest`, for `run`. */
#define SLUICE_VARIADIC(type, name, parameters, last, run)                                         \
    SLUICE_WRAPPER type name parameters                                                            \
    {                                                                                              \
        va_list rest;                                                                              \
        va_start(rest, last);                                                                      \
        const type result_ = run;                                                                  \
        va_end(rest);                                                                              \
        return result_;                                                                            \
    }

/* What a function with _FORTIFY_SOURCE does besides: what it reads must fit the buffer. */
static inline void sluice_check_fit(size_t length, size_t room)
{
    if (length > room)
        __builtin_trap();
}

#endif
