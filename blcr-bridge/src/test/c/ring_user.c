/*
 * ring_user early|seen|unseen PATH NEW: writes 100,000 bytes to PATH by the C library and closes it. Then it reads
 * the file, and appends to it, by a ring of io_uring, past every library, and makes the file NEW of 100,000 bytes by
 * that. Says how many bytes it read. 77 where the kernel has no ring. The ring is made before, past the C library;
 * or behind the close, by its syscall(); or behind that, past it.
 */
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "kernel.h"

#define LENGTH 100000

static int ring;
static unsigned *submitted, *array, *taken;
static struct io_uring_sqe *request;
static struct io_uring_cqe *answers;
static unsigned mask;

static void *map(size_t length, long offset)
{
    return (void *)sluice_kernel_call(SYS_mmap, 0, (long)length, PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_POPULATE, ring, offset);
}

static void set_up(bool seen)
{
    struct io_uring_params given = {0};
    ring = (int)(seen ? syscall(SYS_io_uring_setup, 1, &given)
                      : sluice_kernel_call(SYS_io_uring_setup, 1, (long)&given));
    if (ring < 0)
        exit(77);
    char *out = map(given.sq_off.array + given.sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
    char *in = map(given.cq_off.cqes + given.cq_entries * sizeof *answers, IORING_OFF_CQ_RING);
    request = map(given.sq_entries * sizeof *request, IORING_OFF_SQES);
    submitted = (unsigned *)(out + given.sq_off.tail);
    array = (unsigned *)(out + given.sq_off.array);
    taken = (unsigned *)(in + given.cq_off.head);
    mask = *(unsigned *)(in + given.cq_off.ring_mask);
    answers = (struct io_uring_cqe *)(in + given.cq_off.cqes);
}

static int carry_out(struct io_uring_sqe what)
{
    *request = what;
    array[0] = 0;
    __atomic_store_n(submitted, *submitted + 1, __ATOMIC_RELEASE);
    if (sluice_kernel_call(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, 0, 0) != 1)
        exit(1);
    const int result = answers[*taken & mask].res;
    __atomic_store_n(taken, *taken + 1, __ATOMIC_RELEASE);
    return result;
}

static int open_by_ring(const char *path, unsigned flags)
{
    return carry_out((struct io_uring_sqe){.opcode = IORING_OP_OPENAT,
                                           .fd = AT_FDCWD,
                                           .addr = (uint64_t)path,
                                           .len = 0644,
                                           .open_flags = flags});
}

static int move(uint8_t opcode, int fd, void *bytes, unsigned length, uint64_t offset)
{
    return carry_out((struct io_uring_sqe){
        .opcode = opcode, .fd = fd, .addr = (uint64_t)bytes, .len = length, .off = offset});
}

static void write_by_library(const char *path, bool known)
{
    FILE *file = fopen(path, "w");
    for (int i = 0; i < LENGTH / 10; i++)
        fprintf(file, "%9d\n", i);
    if (known)
        chmod(path, 0644); /* over when the I/O process knows the file, and holds who opens it up */
    fclose(file);
}

int main(int count, char **arguments)
{
    static char bytes[LENGTH];
    if (count != 4)
        return 2;
    const bool early = strcmp(arguments[1], "early") == 0, seen = strcmp(arguments[1], "seen") == 0;
    if (early)
        set_up(false);
    write_by_library(arguments[2], !early && !seen);
    if (!early)
        set_up(seen);
    const int fd = open_by_ring(arguments[2], O_RDWR);
    uint64_t end = 0;
    for (int length = 1; length > 0; end += (uint64_t)length)
        length = move(IORING_OP_READ, fd, bytes, sizeof bytes, end);
    printf("%lu\n", (unsigned long)end);
    const int appended = move(IORING_OP_WRITE, fd, "by a ring\n", 10, end);
    memset(bytes, 'n', sizeof bytes);
    const int made = open_by_ring(arguments[3], O_CREAT | O_WRONLY);
    return appended == 10 && move(IORING_OP_WRITE, made, bytes, LENGTH, 0) == LENGTH ? 0 : 1;
}
