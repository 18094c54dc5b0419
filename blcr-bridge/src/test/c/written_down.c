/*
 * written_down HOW DIRECTORY: a process that is written down as DMTCP writes one down, by a thread
 * of its own while the others stand still, into images below DIRECTORY.
 *
 * HOW is a word of these letters:
 *   a  DMTCP asks whether it may skip an area (dmtcp_skip_memory_region_ckpting), and does then
 *   s  the mappings are replaced by system calls that nobody sees
 *   r  after the second image the process is brought back: as another process, without its shared
 *      mappings and without its sockets
 *   o  other memory of the process lies where they were then
 *   w  it is written down within a write to its second image, as DMTCP does it: the thread that
 *      wrote goes on, opens files of its own, opens the log anew, and starts the others
 *   k  as w, but the log is kept open, and nothing else is opened
 *
 * It writes a log of its own before, in between and afterwards. DMTCP opens the file that lies
 * behind each shared mapping, maps nothing over it, writes, renames, and maps the file again.
 */
#include "exercise/exercise.h"
#include "kernel.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool asks, unseen, restarts, others, within, keeps;
static const char *directory;
enum { OTHERS = 0x5a };
static int own_log;

static struct area {
    char *address;
    size_t length;
    off_t offset;
    int fd;
} areas[64], kept[64];
static int count, kept_count;

/* DMTCP tells a process the number that it had first. */
__attribute__((visibility("default"))) pid_t getpid(void)
{
    static _Atomic pid_t first;
    if (first == 0)
        first = (pid_t)sluice_kernel_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
    return first;
}

static bool may_skip(char *address)
{
    int (*skip)(void *) = (int (*)(void *))dlsym(RTLD_DEFAULT, "dmtcp_skip_memory_region_ckpting");
    void *area[512] = {address};
    return asks && skip != NULL && skip(area) != 0;
}

static void map(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    void *found = unseen ? (void *)sluice_kernel_call(SYS_mmap, (long)address, (long)length,
                                                      protection, flags | MAP_FIXED, fd, offset)
                         : mmap(address, length, protection, flags | MAP_FIXED, fd, offset);
    CHECK(found == address);
}

static void put_line(int fd, const char *line)
{
    CHECK_EQUAL(write(fd, line, strlen(line)), strlen(line));
}

/*
 * That somebody has opened the list of mappings counts until a write that comes a second later. Whether
 * Sluice is asked about one of them, or sees it replaced, it has to know without that.
 */
static void outlast_the_list(void)
{
    if (getenv("SLUICE_DIRECTORY") != NULL)
        usleep(1100000);
    put_line(own_log, "a second later\n");
}

/* Every shared mapping of a file that can be opened again is replaced by memory without rights. */
static void take_mappings(void)
{
    char line[4200], rights[8], name[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    count = kept_count = 0;
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long start, end, offset;
        if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095s", &start, &end, rights, &offset, name) < 5
            || rights[3] != 's' || name[0] != '/' || strncmp(name, "/dev/zero", 9) == 0) {
            continue;
        }
        if (may_skip((char *)start)) {
            kept[kept_count++] = (struct area){(char *)start, end - start, (off_t)offset, -1};
            continue;
        }
        const int fd = open(name, O_RDWR);
        if (fd >= 0)
            areas[count++] = (struct area){(char *)start, end - start, (off_t)offset, fd};
    }
    fclose(maps);
    if (!asks && !unseen && !restarts)
        outlast_the_list();
    for (int i = 0; i < count; i++)
        map(areas[i].address, areas[i].length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void give_mappings_back(void)
{
    for (int i = 0; i < count; i++) {
        map(areas[i].address, areas[i].length, PROT_READ | PROT_WRITE, MAP_SHARED, areas[i].fd,
            areas[i].offset);
        close(areas[i].fd);
    }
}

static const char *name_of(int number, const char *suffix)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/ckpt-%d%s", directory, number, suffix);
    return path;
}

/* Headers of a page and areas of any size, as DMTCP writes them. */
static void write_image(int number)
{
    struct stat status;
    char final[4096], temporary[4096], header[4096];
    snprintf(final, sizeof final, "%s", name_of(number, ""));
    snprintf(temporary, sizeof temporary, "%s", name_of(number, ".temp"));
    CHECK(stat(final, &status) != 0 && errno == ENOENT);
    CHECK_EQUAL(stat(name_of(0, "log"), &status), 0);
    const int fd = open(temporary, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    CHECK(fd >= 0);
    off_t size = 0;
    random_seed((uint64_t)number);
    for (int area = 0; area < 50; area++) {
        static char memory[1 << 17];
        const size_t length = random_length(sizeof memory);
        random_fill(header, sizeof header);
        random_fill(memory, length);
        CHECK_EQUAL(write(fd, header, sizeof header), sizeof header);
        CHECK_EQUAL(write(fd, memory, length), length);
        size += (off_t)(sizeof header + length);
        CHECK_EQUAL(fstat(fd, &status), 0);
        CHECK_EQUAL(status.st_size, size);
    }
    CHECK_EQUAL(close(fd), 0);
    CHECK_EQUAL(rename(temporary, final), 0);
    CHECK_EQUAL(stat(final, &status), 0);
    CHECK_EQUAL(status.st_size, size);
}

static void *write_down(void *number)
{
    take_mappings();
    write_image((int)(intptr_t)number);
    if (asks && !unseen && restarts)
        outlast_the_list();
    return NULL;
}

static void *resume(void *nothing)
{
    give_mappings_back();
    return nothing;
}

static void in_another_thread(void *(*action)(void *), int number)
{
    pthread_t thread;
    CHECK_EQUAL(pthread_create(&thread, NULL, action, (void *)(intptr_t)number), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
}

/* As another process, which has the memory of this one but for what is shared. */
static void bring_back(void)
{
    const long child = sluice_kernel_call(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);
    CHECK(child >= 0);
    if (child > 0) {
        int status;
        CHECK_EQUAL(waitpid((pid_t)child, &status, 0), child);
        sluice_kernel_call(SYS_exit_group, WIFEXITED(status) ? WEXITSTATUS(status) : 1, 0, 0, 0, 0,
                           0);
    }
    for (int i = 0; i < count; i++) {
        sluice_kernel_call(SYS_close, areas[i].fd, 0, 0, 0, 0, 0);
        sluice_kernel_call(SYS_munmap, (long)areas[i].address, (long)areas[i].length, 0, 0, 0, 0);
    }
    for (int i = 0; i < kept_count;
         i++) { /* else a new mapping might take the place of an old one */
        sluice_kernel_call(SYS_mmap, (long)kept[i].address, (long)kept[i].length,
                           others ? PROT_READ | PROT_WRITE : PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (others)
            memset(kept[i].address, OTHERS, kept[i].length);
    }
    for (int fd = 3; fd < 256; fd++) {
        struct stat status;
        if (sluice_kernel_call(SYS_fstat, fd, (long)&status, 0, 0, 0, 0) == 0
            && S_ISSOCK(status.st_mode)) {
            sluice_kernel_call(SYS_close, fd, 0, 0, 0, 0, 0);
        }
    }
}

/* Nothing of Sluice's is stored there, asks DMTCP to skip it, or unmaps it in a child. */
static void check_others(void)
{
    for (int i = 0; others && i < kept_count; i++) {
        CHECK(!may_skip(kept[i].address));
        for (size_t at = 0; at < kept[i].length; at++)
            CHECK_EQUAL(kept[i].address[at], OTHERS);
    }
}

static void go_on(void)
{
    if (!keeps)
        write_image(3);
    put_line(own_log, "after\n");
    CHECK_EQUAL(close(own_log), 0);
    check_others();
    int status;
    const pid_t child = fork();
    if (child == 0) {
        check_others();
        _exit(0);
    }
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
}

static sigjmp_buf before_the_write;

static void on_fault(int number)
{
    (void)number;
    bring_back();
    siglongjmp(before_the_write, 1);
}

static void *be_the_others(void *nothing)
{
    put_line(own_log, "restarted\n");
    go_on();
    return nothing;
}

/* The thread that wrote restores the files, whose descriptors the process has not yet. */
static void restore_files(void)
{
    char map[100], found[4] = "";
    snprintf(map, sizeof map, "map-%d", (int)sluice_kernel_call(SYS_getpid, 0, 0, 0, 0, 0, 0));
    sluice_kernel_call(SYS_close, own_log, 0, 0, 0, 0, 0);
    const int fd = open(map, O_CREAT | O_EXCL | O_RDWR, 0600);
    CHECK_EQUAL(fd, own_log);
    put_line(fd, "map");
    CHECK_EQUAL(lseek(fd, 0, SEEK_SET), 0);
    CHECK_EQUAL(read(fd, found, 3), 3);
    CHECK(strcmp(found, "map") == 0);
    CHECK_EQUAL(close(fd), 0);
    CHECK_EQUAL(unlink(map), 0);
    CHECK_EQUAL(open(name_of(0, "log"), O_WRONLY | O_APPEND), own_log);
}

/* What writes from memory without rights is stopped within the write, where the memory is read. */
static void *write_down_within(void *nothing)
{
    char *memory = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    take_mappings();
    const int fd = open(name_of(2, ".temp"), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    CHECK(fd >= 0);
    put_line(fd, "an area\n");
    if (sigsetjmp(before_the_write, 1) == 0) {
        signal(SIGSEGV, on_fault);
        CHECK(write(fd, memory, 4096) < 0 && errno == EFAULT); /* plain: the kernel reads it */
        CHECK(*(volatile char *)memory == 0);
    }
    if (!keeps)
        restore_files();
    in_another_thread(be_the_others, 0);
    exit(0);
    return nothing;
}

int main(int argument_count, char **arguments)
{
    CHECK_EQUAL(argument_count, 3);
    asks = strchr(arguments[1], 'a') != NULL;
    unseen = strchr(arguments[1], 's') != NULL;
    restarts = strchr(arguments[1], 'r') != NULL;
    others = strchr(arguments[1], 'o') != NULL;
    keeps = strchr(arguments[1], 'k') != NULL;
    within = keeps || strchr(arguments[1], 'w') != NULL;
    directory = arguments[2];
    own_log = open(name_of(0, "log"), O_CREAT | O_WRONLY | O_APPEND, 0644);
    CHECK(own_log >= 0);
    put_line(own_log, "before\n");
    for (int number = 1; number <= 2; number++) {
        in_another_thread(number == 2 && within ? write_down_within : write_down, number);
        if (number == 2 && restarts)
            bring_back();
        else
            in_another_thread(resume, 0);
        put_line(own_log, number == 1 ? "resumed\n" : restarts ? "restarted\n" : "resumed again\n");
    }
    go_on();
    return 0;
}
