/*
 * exercise_shared SEED OPERATIONS DIRECTORY
 *
 * Four processes take turns, each with descriptors of its own, at random operations on the same
 * files, and compare what they read with one model in memory that they share.
 */
#include "exercise.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES 4
#define FILES 8
#define OPEN 2 /* few, so that files are also open in one process alone */
#define LARGEST_FILE (1u << 20)
#define LARGEST_WRITE (200u << 10)

struct model {
    size_t size;
    unsigned char data[LARGEST_FILE];
};

static struct {
    uint64_t random;
    struct model files[FILES];
} *shared;

static struct {
    int fd;
    int file;
    size_t offset;
    int flags;
    unsigned char *mapping; /* NULL: none */
    size_t mapped;
} descriptors[OPEN];

static const char *directory;
static unsigned char buffer[LARGEST_FILE];

static const char *name_of(int file)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/shared-%d", directory, file);
    return path;
}

static void open_slot(int slot)
{
    const int extras[] = {0, 0, O_APPEND, O_TRUNC, O_DSYNC}, modes[] = {O_RDONLY, O_RDWR, O_RDWR};
    const int file = (int)random_below(FILES), mode = modes[random_below(3)];
    const int flags = mode | (mode == O_RDWR ? extras[random_below(5)] : 0);
    const int fd = open(name_of(file), flags | O_CREAT, 0644);
    CHECK(fd >= 0);
    if (flags & O_TRUNC) {
        memset(shared->files[file].data, 0, shared->files[file].size);
        shared->files[file].size = 0;
    }
    descriptors[slot].fd = fd;
    descriptors[slot].file = file;
    descriptors[slot].offset = 0;
    descriptors[slot].flags = flags;
}

static void write_slot(int slot, struct model *model)
{
    const bool append = (descriptors[slot].flags & O_APPEND) != 0;
    const size_t length = random_length(LARGEST_WRITE);
    const size_t at = append ? model->size : descriptors[slot].offset;
    if (at + length > LARGEST_FILE || (descriptors[slot].flags & O_ACCMODE) == O_RDONLY)
        return;
    random_fill(buffer, length);
    CHECK_EQUAL(write(descriptors[slot].fd, buffer, length), length);
    memcpy(model->data + at, buffer, length);
    model->size = at + length > model->size ? at + length : model->size;
    descriptors[slot].offset = at + length;
}

static void read_slot(int slot, const struct model *model)
{
    const size_t at = descriptors[slot].offset, length = random_length(LARGEST_WRITE);
    size_t expected = at < model->size ? model->size - at : 0;
    expected = expected < length ? expected : length;
    CHECK_EQUAL(read(descriptors[slot].fd, buffer, length), expected);
    CHECK(memcmp(buffer, model->data + at, expected) == 0);
    descriptors[slot].offset += expected;
}

static void truncate_slot(int slot, struct model *model)
{
    const size_t size = random_below(model->size + 100);
    if (size > LARGEST_FILE || (descriptors[slot].flags & O_ACCMODE) == O_RDONLY)
        return;
    CHECK_EQUAL(ftruncate(descriptors[slot].fd, (off_t)size), 0);
    if (size < model->size)
        memset(model->data + size, 0, model->size - size);
    model->size = size;
}

static void seek_slot(int slot, const struct model *model)
{
    const off_t at = lseek(descriptors[slot].fd, -(off_t)random_below(model->size + 1), SEEK_END);
    CHECK(at >= 0);
    descriptors[slot].offset = (size_t)at;
    CHECK_EQUAL(lseek(descriptors[slot].fd, 0, SEEK_END), model->size);
    CHECK_EQUAL(lseek(descriptors[slot].fd, at, SEEK_SET), at);
}

/* A mapping stays while others write, until its slot is closed. */
static void map_slot(int slot, struct model *model)
{
    if ((descriptors[slot].flags & O_ACCMODE) == O_RDONLY || model->size == 0)
        return;
    if (descriptors[slot].mapping == NULL) {
        descriptors[slot].mapped = model->size;
        descriptors[slot].mapping =
            mmap(NULL, model->size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptors[slot].fd, 0);
        CHECK(descriptors[slot].mapping != MAP_FAILED);
    }
    const size_t mapped = descriptors[slot].mapped;
    const size_t end = mapped < model->size ? mapped : model->size, at = random_below(end);
    CHECK(memcmp(descriptors[slot].mapping, model->data, end) == 0);
    random_fill(model->data + at, end - at);
    memcpy(descriptors[slot].mapping + at, model->data + at, end - at);
}

static void close_slot(int slot)
{
    if (descriptors[slot].mapping != NULL)
        CHECK_EQUAL(munmap(descriptors[slot].mapping, descriptors[slot].mapped), 0);
    descriptors[slot].mapping = NULL;
    CHECK_EQUAL(close(descriptors[slot].fd), 0);
    descriptors[slot].fd = -1;
}

static void check_sizes(void)
{
    struct stat status;
    for (int file = 0; file < FILES; file++)
        if (stat(name_of(file), &status) == 0)
            CHECK_EQUAL(status.st_size, shared->files[file].size);
}

static void act(void)
{
    const int slot = (int)random_below(OPEN);
    struct model *model = &shared->files[descriptors[slot].file];
    if (descriptors[slot].fd < 0) {
        open_slot(slot);
        return;
    }
    switch (random_below(10)) {
    case 0:
        close_slot(slot);
        break;
    case 1:
        truncate_slot(slot, model);
        break;
    case 2:
        seek_slot(slot, model);
        break;
    case 3:
    case 4:
        read_slot(slot, model);
        break;
    case 5:
        check_sizes();
        break;
    case 6:
        CHECK_EQUAL(fsync(descriptors[slot].fd), 0);
        break;
    case 7:
        if (random_below(4) == 0)
            map_slot(slot, model);
        break;
    default:
        write_slot(slot, model);
    }
}

/* A turn is a few operations, after which the next process has the token. */
static void take_turns(long turns, int from, int to)
{
    char token;
    for (int slot = 0; slot < OPEN; slot++)
        descriptors[slot].fd = -1;
    for (step = 0; step < turns; step++) {
        CHECK_EQUAL(read(from, &token, 1), 1);
        random_state = shared->random;
        for (uint64_t left = 1 + random_below(12); left > 0; left--)
            act();
        shared->random = random_state;
        CHECK_EQUAL(write(to, &token, 1), 1);
    }
}

int main(int count, char **arguments)
{
    int pipes[PROCESSES][2], status;
    CHECK_EQUAL(count, 4);
    directory = arguments[3];
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    random_seed(strtoull(arguments[1], NULL, 10));
    shared->random = random_state;
    for (int i = 0; i < PROCESSES; i++)
        CHECK_EQUAL(pipe(pipes[i]), 0);
    for (int i = 0; i < PROCESSES; i++) {
        if (fork() == 0) {
            take_turns(strtol(arguments[2], NULL, 10), pipes[i][0], pipes[(i + 1) % PROCESSES][1]);
            return 0;
        }
    }
    CHECK_EQUAL(write(pipes[0][1], "t", 1), 1);
    for (int i = 0; i < PROCESSES; i++)
        CHECK(wait(&status) > 0 && status == 0);
    return 0;
}
