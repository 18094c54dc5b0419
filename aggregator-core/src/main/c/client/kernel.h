/*
 * System calls by an instruction of our own, past the functions of the C library. In a program with
 * the shim those are the shim's. Where a checkpointer brings processes back, they answer what was
 * true before. Each call returns a negative errno, and leaves errno as it is.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static inline long sluice_kernel_call_with(long number, const long a[6])
{
#ifdef __x86_64__
    long result;
    register long r10 __asm__("r10") = a[3];
    register long r8 __asm__("r8") = a[4];
    register long r9 __asm__("r9") = a[5];
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#else
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a[0];
    register long x1 __asm__("x1") = a[1];
    register long x2 __asm__("x2") = a[2];
    register long x3 __asm__("x3") = a[3];
    register long x4 __asm__("x4") = a[4];
    register long x5 __asm__("x5") = a[5];
    __asm__ volatile("svc #0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
#endif
}

/* Makes a system call with up to six arguments, each a number or cast to long. */
#define sluice_kernel_call(number, ...)                                                            \
    sluice_kernel_call_with(number, (const long[6]){__VA_ARGS__})

static inline int sluice_kernel_open(const char *path, int flags)
{
    return (int)sluice_kernel_call(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, 0644);
}

static inline int sluice_kernel_close(int fd)
{
    return (int)sluice_kernel_call(SYS_close, fd);
}

static inline int sluice_kernel_truncate(int fd, int64_t size)
{
    return (int)sluice_kernel_call(SYS_ftruncate, fd, size);
}

/* Returns the length of a file in bytes; moves the descriptor to its end. */
static inline int64_t sluice_kernel_length(int fd)
{
    return sluice_kernel_call(SYS_lseek, fd, 0, SEEK_END);
}

/*
 * Returns the preferred block length of a file in bytes. The kernel's structure equals the C
 * library's here.
 */
static inline int64_t sluice_kernel_block(int fd)
{
    struct stat status;
    const long error = sluice_kernel_call(SYS_fstat, fd, (long)&status);
    return error < 0 ? error : status.st_blksize;
}

static inline ssize_t sluice_kernel_pread(int fd, void *data, size_t length, int64_t offset)
{
    return sluice_kernel_call(SYS_pread64, fd, (long)data, (long)length, offset);
}

/*
 * Writes all bytes, or up to the first error. Returns the count so far, or the negative errno if it
 * is 0.
 */
static inline ssize_t sluice_kernel_pwrite(int fd, const void *data, size_t length, int64_t offset)
{
    size_t done = 0;
    while (done < length) {
        const long count = sluice_kernel_call(SYS_pwrite64, fd, (long)data + (long)done,
                                              (long)(length - done), offset + (int64_t)done);
        if (count > 0)
            done += (size_t)count;
        else if (count != -EINTR)
            return done > 0 ? (ssize_t)done : count == 0 ? -ENOSPC : count;
    }
    return (ssize_t)done;
}

/*
 * Moves bytes from a pipe into a file, without a copy where the kernel can. -EINVAL where it cannot
 * at all.
 */
static inline ssize_t sluice_kernel_splice(int pipe, int fd, int64_t offset, size_t length)
{
    return sluice_kernel_call(SYS_splice, pipe, 0, fd, (long)&offset, (long)length, 0);
}

/* Raises the process's limit of open descriptors to the most it is allowed. */
static inline void sluice_kernel_allow_files(void)
{
    struct rlimit limit;
    if (sluice_kernel_call(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        sluice_kernel_call(SYS_prlimit64, 0, RLIMIT_NOFILE, (long)&limit);
    }
}

/*
 * Maps memory to read and write: a file from `position` on, or zeros if `fd` < 0. NULL with *error.
 */
static inline void *sluice_kernel_map(int fd, int64_t position, size_t length, int *error)
{
    const int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    const long found =
        sluice_kernel_call(SYS_mmap, 0, (long)length, PROT_READ | PROT_WRITE, flags, fd, position);
    *error = found < 0 && found > -4096 ? (int)found : 0;
    return *error == 0 ? (void *)found : NULL;
}

static inline bool sluice_kernel_lies_in(const void *mapping, size_t length, const void *address)
{
    return (uintptr_t)address - (uintptr_t)mapping < length;
}

static inline void sluice_kernel_unmap(void *address, size_t length)
{
    sluice_kernel_call(SYS_munmap, (long)address, (long)length);
}
