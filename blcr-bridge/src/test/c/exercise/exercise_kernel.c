/*
 * exercise_kernel SEED OPERATIONS DIRECTORY
 *
 * Ways to a file below DIRECTORY that pass the functions of the C library: calls by number, by an
 * instruction of the program's own and by queues, and processes that are made or looked into past fork().
 * Checks what comes back, and leaves the files. The seed and the number of operations are not used.
 */
#include "files.h"
#include "kernel.h"

#include <linux/aio_abi.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* As glibc does for a program, so that its own functions are left out. */
static void by_number(void)
{
    struct stat status;
    struct statx wide;
    int fd = create("numbered", O_RDWR);
    put(fd, "0123456789");
    CHECK_EQUAL(syscall(SYS_fstat, fd, &status), 0);
    CHECK_EQUAL(status.st_size, 10);
    CHECK_EQUAL(syscall(SYS_newfstatat, AT_FDCWD, in_directory("numbered"), &status, 0), 0);
    CHECK_EQUAL(status.st_size, 10);
    CHECK_EQUAL(syscall(SYS_statx, AT_FDCWD, in_directory("numbered"), 0, STATX_SIZE, &wide), 0);
    CHECK_EQUAL(wide.stx_size, 10);
    CHECK_EQUAL(syscall(SYS_write, fd, "AB", 2L), 2);
    CHECK_EQUAL(fstat(fd, &status), 0);
    CHECK_EQUAL(status.st_size, 12);
    const int copy = (int)syscall(SYS_fcntl, fd, F_DUPFD, 700L);
    CHECK_EQUAL(copy, 700);
    put(copy, "CD");
    CHECK_EQUAL(syscall(SYS_lseek, fd, -4L, SEEK_CUR), 10);
    CHECK_EQUAL(syscall(SYS_pwrite64, copy, "ab", 2L, 0L), 2);
    CHECK_EQUAL(syscall(SYS_write, fd, "EF", 2L), 2);
    CHECK_EQUAL(syscall(SYS_close, copy), 0);
    close(fd);
    check_content("numbered", "ab23456789EFCD");
    CHECK_EQUAL(syscall(SYS_truncate, in_directory("numbered"), 4L), 0);
    check_content("numbered", "ab23");
}

/* Programs find out so whether the kernel has a call. */
static void asked_for_by_number(void)
{
    CHECK_EQUAL(syscall(SYS_openat2, -1, "", NULL, 0L), -1);
    CHECK_EQUAL(-errno, sluice_kernel_call(SYS_openat2, -1, (long)"", 0, 0, 0, 0));
    CHECK_EQUAL(syscall(SYS_clone3, NULL, 0L), -1);
    CHECK_EQUAL(-errno, sluice_kernel_call(SYS_clone3, 0, 0, 0, 0, 0, 0));
    CHECK_EQUAL(syscall(SYS_sendmsg, -1, NULL, 0), -1);
    CHECK_EQUAL(-errno, sluice_kernel_call(SYS_sendmsg, -1, 0, 0, 0, 0, 0));
}

/* Opened by the C library, written by the kernel alone. */
static void past_everybody(void)
{
    struct stat status;
    int fd = create("raw", O_WRONLY);
    CHECK_EQUAL(sluice_kernel_call(SYS_write, fd, (long)"raw ", 4, 0, 0, 0), 4);
    CHECK_EQUAL(fstat(fd, &status), 0);
    CHECK_EQUAL(status.st_size, 4);
    close(fd);
    fd = open(in_directory("raw"), O_WRONLY | O_APPEND);
    CHECK_EQUAL(sluice_kernel_call(SYS_write, fd, (long)"appended ", 9, 0, 0, 0), 9);
    close(fd);
    fd = open(in_directory("raw"), O_WRONLY | O_APPEND);
    put(fd, "by the library");
    CHECK_EQUAL(fstat(fd, &status), 0);
    CHECK_EQUAL(status.st_size, 27);
    close(fd);
    check_content("raw", "raw appended by the library");
}

static int shared;

static int child_of_clone(void *argument)
{
    put(shared, argument);
    _exit(0);
}

static void forks_of_other_kinds(void)
{
    static _Alignas(16) char stack[1 << 16];
    shared = create("clones", O_WRONLY);
    put(shared, "parent ");
    pid_t child = _Fork();
    if (child == 0)
        child_of_clone("_Fork ");
    wait_for(child);
    put(shared, "parent ");
    close(shared);

    shared = open(in_directory("clones"), O_WRONLY | O_APPEND);
    put(shared, "parent ");
    child = clone(child_of_clone, stack + sizeof stack, SIGCHLD, "clone ");
    CHECK(child > 0);
    wait_for(child);
    put(shared, "parent ");
    close(shared);

    shared = open(in_directory("clones"), O_WRONLY);
    CHECK_EQUAL(lseek(shared, 0, SEEK_END), 40);
    put(shared, "parent ");
    child = (pid_t)syscall(SYS_clone, SIGCHLD, 0L, 0L, 0L, 0L);
    if (child == 0)
        child_of_clone("SYS_clone ");
    wait_for(child);
    put(shared, "parent ");

    child = clone(child_of_clone, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, "vfork ");
    CHECK(child > 0);
    wait_for(child);
    put(shared, "parent");
    close(shared);
    check_content("clones",
                  "parent _Fork parent parent clone parent parent SYS_clone parent vfork "
                  "parent");
}

static void taken_from_another_process(void)
{
    int there[2], back[2];
    char token = 't';
    CHECK_EQUAL(pipe(there), 0);
    CHECK_EQUAL(pipe(back), 0);
    const pid_t child = start_fork();
    if (child == 0) {
        const int fd = create("taken", O_WRONLY);
        put(fd, "owner ");
        CHECK_EQUAL(dup2(fd, 500), 500);
        CHECK_EQUAL(write(back[1], &token, 1), 1);
        CHECK_EQUAL(read(there[0], &token, 1), 1);
        put(fd, "owner again");
        _exit(0);
    }
    CHECK_EQUAL(read(back[0], &token, 1), 1);
    const int pidfd = (int)syscall(SYS_pidfd_open, child, 0);
    CHECK(pidfd >= 0);
    const int fd = (int)syscall(SYS_pidfd_getfd, pidfd, 500, 0);
    CHECK(fd >= 0);
    put(fd, "taker ");
    CHECK_EQUAL(write(there[1], &token, 1), 1);
    wait_for(child);
    close(fd);
    close(pidfd);
    for (int i = 0; i < 2; i++) {
        close(there[i]);
        close(back[i]);
    }
    check_content("taken", "owner taker owner again");
}

/* Its rings are mapped by the program's own instructions, as liburing does. */
static void by_io_uring(void)
{
    struct {
        uint32_t sq_entries, cq_entries, flags, sq_thread_cpu, sq_thread_idle, features, wq_fd;
        uint32_t reserved[3];
        struct {
            uint32_t head, tail, ring_mask, ring_entries, flags, dropped, array, reserved;
            uint64_t user;
        } sq;
        struct {
            uint32_t head, tail, ring_mask, ring_entries, overflow, cqes, flags, reserved;
            uint64_t user;
        } cq;
    } parameters = {0};
    const int before = create("uring", O_RDWR);
    put(before, "0123456789");
    const int ring = (int)syscall(SYS_io_uring_setup, 4, &parameters);
    if (ring < 0) {
        close(before);
        return; /* forbidden here, with Sluice and without */
    }
    const int prot = PROT_READ | PROT_WRITE;
    char *queue = (char *)sluice_kernel_call(SYS_mmap, 0, 4096, prot, MAP_SHARED, ring, 0);
    struct {
        uint8_t opcode, flags;
        uint16_t priority;
        int32_t fd;
        uint64_t offset, address;
        uint32_t length, rw_flags;
        uint64_t rest[4];
    } *entry = (void *)sluice_kernel_call(SYS_mmap, 0, 4096, prot, MAP_SHARED, ring, 0x10000000);
    const int later = create("uring-later", O_RDWR);
    put(later, "0123456789");
    const int files[] = {before, later};
    for (unsigned i = 0; i < 2; i++) {
        memset(&entry[i], 0, sizeof entry[i]);
        entry[i].opcode = 23; /* IORING_OP_WRITE */
        entry[i].fd = files[i];
        entry[i].offset = 8;
        entry[i].address = (uintptr_t)"URING";
        entry[i].length = 5;
        ((uint32_t *)(queue + parameters.sq.array))[i] = i;
    }
    __atomic_store_n((uint32_t *)(queue + parameters.sq.tail), 2, __ATOMIC_RELEASE);
    CHECK_EQUAL(sluice_kernel_call(SYS_io_uring_enter, ring, 2, 2, 1, 0, 0), 2);
    put(before, "X");
    put(later, "X");
    close(before);
    close(later);
    close(ring);
    check_content("uring", "01234567URXNG");
    check_content("uring-later", "01234567URXNG");
}

/* By the kernel's queue, set up by number, its operations submitted by nobody's function. */
static void by_kernel_aio(void)
{
    aio_context_t context = 0;
    if (syscall(SYS_io_setup, 4, &context) != 0)
        return;
    const int fd = create("kernel-aio", O_RDWR);
    put(fd, "0123456789");
    struct iocb control = {.aio_lio_opcode = IOCB_CMD_PWRITE,
                           .aio_fildes = (uint32_t)fd,
                           .aio_buf = (uintptr_t)"AIO",
                           .aio_nbytes = 3,
                           .aio_offset = 9};
    struct iocb *list[] = {&control};
    struct io_event event;
    CHECK_EQUAL(sluice_kernel_call(SYS_io_submit, (long)context, 1, (long)list, 0, 0, 0), 1);
    CHECK_EQUAL(sluice_kernel_call(SYS_io_getevents, (long)context, 1, 1, (long)&event, 0, 0), 1);
    put(fd, "X");
    close(fd);
    CHECK_EQUAL(syscall(SYS_io_destroy, context), 0);
    check_content("kernel-aio", "012345678AXO");
}

int main(int count, char **arguments)
{
    return EXERCISE_EACH(count, arguments, by_number, asked_for_by_number, past_everybody,
                         forks_of_other_kinds, taken_from_another_process, by_kernel_aio,
                         by_io_uring);
}
