/*
 * System calls of the client's own, by number, which no program replaces one by one. Where the client is part
 * of the shim, that has replaced `syscall`, too; it hands the client's calls on to the kernel, as it
 * does with all that are made inside it. Each returns a negative errno.
 */
#ifndef SLUICE_KERNEL_H
#define SLUICE_KERNEL_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static inline int sluice_kernel_open(const char *path, int flags)
{
    const long fd = syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0);
    return fd < 0 ? -errno : (int)fd;
}

static inline int sluice_kernel_close(int fd)
{
    return syscall(SYS_close, fd) < 0 ? -errno : 0;
}

static inline int sluice_kernel_truncate(int fd, int64_t size)
{
    return syscall(SYS_ftruncate, fd, size) < 0 ? -errno : 0;
}

/* The length of a file; moves the descriptor to its end. */
static inline int64_t sluice_kernel_length(int fd)
{
    const long length = syscall(SYS_lseek, fd, 0L, SEEK_END);
    return length < 0 ? -errno : length;
}

/* The block a file is best read and written in; the kernel's structure is the C library's. */
static inline int64_t sluice_kernel_block(int fd)
{
    struct stat status;
    return syscall(SYS_fstat, fd, &status) < 0 ? -errno : status.st_blksize;
}

static inline ssize_t sluice_kernel_pread(int fd, void *data, size_t length, int64_t offset)
{
    const long got = syscall(SYS_pread64, fd, data, length, offset);
    return got < 0 ? -errno : got;
}

/* Writes all of it, or up to the first error: the count so far, or the errno if there is none. */
static inline ssize_t sluice_kernel_pwrite(int fd, const void *data, size_t length, int64_t offset)
{
    size_t done = 0;
    while (done < length) {
        const long count = syscall(SYS_pwrite64, fd, (const char *)data + done, length - done,
                                   offset + (int64_t)done);
        if (count > 0) {
            done += (size_t)count;
        } else if (count == 0 || errno != EINTR) {
            return done > 0 ? (ssize_t)done : -(count == 0 ? ENOSPC : errno);
        }
    }
    return (ssize_t)done;
}

/*
 * A system call by an instruction of our own: who brings processes back defines the calls of the C
 * library, too, and answers what was true before.
 */
static inline long sluice_kernel_call(long number, long a, long b, long c, long d)
{
#ifdef __x86_64__
    long result;
    register long r10 __asm__("r10") = d;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
#else
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
#endif
}

/* A shared mapping of all of a file; MAP_FAILED with errno set. */
static inline void *sluice_kernel_map(int fd, size_t length)
{
    return (void *)syscall(SYS_mmap, NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
}

/* Leaves what is there if the kernel has no such call. */
static inline void sluice_kernel_random(void *data, size_t length)
{
    syscall(SYS_getrandom, data, length, 0);
}

/* Zeroed memory in whole pages; MAP_FAILED with errno set. */
static inline void *sluice_kernel_allocate(size_t length)
{
    return (void *)syscall(SYS_mmap, NULL, length, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
}

static inline void sluice_kernel_unmap(void *address, size_t length)
{
    syscall(SYS_munmap, address, length);
}

#endif
