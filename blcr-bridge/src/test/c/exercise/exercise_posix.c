/*
 * exercise_posix SEED OPERATIONS DIRECTORY
 *
 * Does random things to a few files through several descriptors and compares whatever it reads, and
 * every size and offset, with a model that it keeps in memory. Aborts at the first difference.
 */
#include "exercise.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define LARGEST_WRITE (3u << 20)
#define LARGEST_FILE (8u << 20)
#define NAMES 6
#define OPEN 10

struct file {
    unsigned char *data; /* LARGEST_FILE, zero beyond size */
    size_t size;
    int references; /* names and openings */
};

struct opening {
    struct file *file;
    size_t offset;
    int flags;
    int references;
};

static struct file *names[NAMES];
static struct {
    int fd;
    struct opening *opening;
} descriptors[OPEN];
static const char *directory;
static unsigned char buffer[LARGEST_FILE];

static const char *name_of(int name)
{
    static char paths[2][4096];
    static int turn;
    char *path = paths[turn ^= 1];
    snprintf(path, sizeof paths[0], "%s/file-%d", directory, name);
    return path;
}

static void release_file(struct file *file)
{
    if (file != NULL && --file->references == 0) {
        free(file->data);
        free(file);
    }
}

static struct file *new_file(void)
{
    struct file *file = calloc(1, sizeof *file);
    file->data = calloc(1, LARGEST_FILE);
    return file;
}

static void resize(struct file *file, size_t size)
{
    if (size < file->size)
        memset(file->data + size, 0, file->size - size);
    file->size = size;
}

static void put(struct file *file, const void *data, size_t length, size_t offset)
{
    memcpy(file->data + offset, data, length);
    if (offset + length > file->size)
        file->size = offset + length;
}

static int free_slot(void)
{
    for (int slot = 0; slot < OPEN; slot++)
        if (descriptors[slot].opening == NULL)
            return slot;
    return -1;
}

static int used_slot(void)
{
    const int start = (int)random_below(OPEN);
    for (int i = 0; i < OPEN; i++)
        if (descriptors[(start + i) % OPEN].opening != NULL)
            return (start + i) % OPEN;
    return -1;
}

static void open_file(void)
{
    const int slot = free_slot(), name = (int)random_below(NAMES);
    const int modes[] = {O_RDONLY, O_WRONLY, O_RDWR, O_RDWR, O_ACCMODE /* neither */};
    const int extras[] = {0,       O_CREAT,         O_CREAT, O_CREAT | O_TRUNC, O_CREAT | O_APPEND,
                          O_TRUNC, O_CREAT | O_EXCL};
    int flags = modes[random_below(5)] | extras[random_below(7)];
    if ((flags & O_ACCMODE) == O_RDONLY)
        flags &= ~O_TRUNC;
    if (slot < 0)
        return;
    const int fd = open(name_of(name), flags, 0644);
    if (names[name] == NULL && !(flags & O_CREAT)) {
        CHECK(fd < 0 && errno == ENOENT);
        return;
    }
    if (names[name] != NULL && (flags & O_EXCL)) {
        CHECK(fd < 0 && errno == EEXIST);
        return;
    }
    CHECK(fd >= 0);
    if (names[name] == NULL) {
        names[name] = new_file();
        names[name]->references = 1;
    } else if (flags & O_TRUNC) {
        resize(names[name], 0);
    }
    struct opening *opening = calloc(1, sizeof *opening);
    *opening = (struct opening){names[name], 0, flags, 1};
    names[name]->references++;
    descriptors[slot].fd = fd;
    descriptors[slot].opening = opening;
}

static void close_slot(int slot)
{
    struct opening *opening = descriptors[slot].opening;
    CHECK_EQUAL(close(descriptors[slot].fd), 0);
    descriptors[slot].opening = NULL;
    if (--opening->references == 0) {
        release_file(opening->file);
        free(opening);
    }
}

static void duplicate(int slot)
{
    const int to = free_slot();
    if (to < 0)
        return;
    const int fd =
        random_below(2) ? dup(descriptors[slot].fd) : fcntl(descriptors[slot].fd, F_DUPFD, 50);
    CHECK(fd >= 0);
    descriptors[to].fd = fd;
    descriptors[to].opening = descriptors[slot].opening;
    descriptors[to].opening->references++;
}

static bool opened_for(const struct opening *opening, int mode)
{
    const int opened = opening->flags & O_ACCMODE;
    return opened == O_RDWR || opened == mode;
}

static ssize_t write_in_pieces(int fd, size_t length, bool positioned, off_t offset)
{
    struct iovec pieces[5];
    size_t done = 0;
    for (int i = 0; i < 5; i++) {
        const size_t piece = i == 4 ? length - done : random_below(length - done + 1);
        pieces[i] = (struct iovec){buffer + done, piece};
        done += piece;
    }
    return positioned ? pwritev(fd, pieces, 5, offset) : writev(fd, pieces, 5);
}

static void write_slot(int slot)
{
    struct opening *opening = descriptors[slot].opening;
    const int fd = descriptors[slot].fd;
    const bool positioned = random_below(2), pieces = random_below(4) == 0;
    const size_t length = random_below(50) == 0 ? 0 : random_length(LARGEST_WRITE);
    const bool append = (opening->flags & O_APPEND) != 0;
    size_t at = append ? opening->file->size
        : positioned   ? random_below(opening->file->size + (opening->file->size > 0 ? 2 : 1) * 100)
                       : opening->offset;
    const size_t asked = positioned && append ? random_below(1000) : at;
    if (at + length > LARGEST_FILE)
        return;
    random_fill(buffer, length);
    const ssize_t written = pieces ? write_in_pieces(fd, length, positioned, (off_t)asked)
        : positioned               ? pwrite(fd, buffer, length, (off_t)asked)
                                   : write(fd, buffer, length);
    if (!opened_for(opening, O_WRONLY)) {
        CHECK(written < 0 && errno == EBADF);
        return;
    }
    CHECK_EQUAL(written, length);
    if (length == 0)
        return;
    put(opening->file, buffer, length, at);
    if (!positioned)
        opening->offset = at + length;
}

static void read_slot(int slot)
{
    struct opening *opening = descriptors[slot].opening;
    const bool positioned = random_below(2);
    const size_t length = random_length(LARGEST_WRITE);
    const size_t at = positioned ? random_below(opening->file->size + 100) : opening->offset;
    size_t expected = at < opening->file->size ? opening->file->size - at : 0;
    expected = expected < length ? expected : length;
    const ssize_t got = positioned ? pread(descriptors[slot].fd, buffer, length, (off_t)at)
                                   : read(descriptors[slot].fd, buffer, length);
    if (!opened_for(opening, O_RDONLY)) {
        CHECK(got < 0 && errno == EBADF);
        return;
    }
    CHECK_EQUAL(got, expected);
    CHECK(memcmp(buffer, opening->file->data + at, expected) == 0);
    if (!positioned)
        opening->offset += expected;
}

static void seek_slot(int slot)
{
    struct opening *opening = descriptors[slot].opening;
    const int whence = (int)random_below(3);
    const off_t base = whence == SEEK_SET ? 0
        : whence == SEEK_CUR              ? (off_t)opening->offset
                                          : (off_t)opening->file->size;
    const off_t distance = (off_t)random_below(20000) - 10000;
    const off_t found = lseek(descriptors[slot].fd, distance, whence);
    if (base + distance < 0) {
        CHECK(found < 0 && errno == EINVAL);
        return;
    }
    CHECK_EQUAL(found, base + distance);
    opening->offset = (size_t)found;
}

static void truncate_slot(int slot)
{
    struct opening *opening = descriptors[slot].opening;
    const size_t size = random_below(opening->file->size + 5000);
    if (size > LARGEST_FILE)
        return;
    const int result = ftruncate(descriptors[slot].fd, (off_t)size);
    if (!opened_for(opening, O_WRONLY)) {
        CHECK(result < 0 && errno == EINVAL);
        return;
    }
    CHECK_EQUAL(result, 0);
    resize(opening->file, size);
}

static void allocate_slot(int slot)
{
    struct opening *opening = descriptors[slot].opening;
    const size_t at = random_below(opening->file->size + 100), length = 1 + random_below(3000);
    if (!opened_for(opening, O_WRONLY) || at + length > LARGEST_FILE)
        return;
    CHECK_EQUAL(posix_fallocate(descriptors[slot].fd, (off_t)at, (off_t)length), 0);
    if (at + length > opening->file->size)
        resize(opening->file, at + length);
}

static void check_status(int slot)
{
    struct stat status;
    CHECK_EQUAL(fstat(descriptors[slot].fd, &status), 0);
    CHECK_EQUAL(status.st_size, descriptors[slot].opening->file->size);
    const int flags = fcntl(descriptors[slot].fd, F_GETFL);
    CHECK_EQUAL(flags & (O_ACCMODE | O_APPEND),
                descriptors[slot].opening->flags & (O_ACCMODE | O_APPEND));
}

static void toggle_append(int slot)
{
    struct opening *opening = descriptors[slot].opening;
    opening->flags ^= O_APPEND;
    CHECK_EQUAL(fcntl(descriptors[slot].fd, F_SETFL, opening->flags & O_APPEND), 0);
}

static void check_name(int name)
{
    struct stat status;
    const int result = stat(name_of(name), &status);
    CHECK_EQUAL(result, names[name] == NULL ? -1 : 0);
    if (result == 0)
        CHECK_EQUAL(status.st_size, names[name]->size);
}

static void truncate_name(int name)
{
    if (names[name] == NULL)
        return;
    const size_t size = random_below(names[name]->size + 300);
    if (size > LARGEST_FILE)
        return;
    CHECK_EQUAL(truncate(name_of(name), (off_t)size), 0);
    resize(names[name], size);
}

static void rename_name(int from, int to)
{
    const int result = rename(name_of(from), name_of(to));
    CHECK_EQUAL(result, names[from] == NULL ? -1 : 0);
    if (result != 0 || from == to)
        return;
    release_file(names[to]);
    names[to] = names[from];
    names[from] = NULL;
}

static void unlink_name(int name)
{
    CHECK_EQUAL(unlink(name_of(name)), names[name] == NULL ? -1 : 0);
    release_file(names[name]);
    names[name] = NULL;
}

static void use_slot(int slot, int choice)
{
    if (choice < 45) {
        write_slot(slot);
    } else if (choice < 52) {
        seek_slot(slot);
    } else if (choice < 58) {
        read_slot(slot);
    } else if (choice < 60) {
        truncate_slot(slot);
    } else if (choice < 61) {
        allocate_slot(slot);
    } else if (choice < 66) {
        check_status(slot);
    } else if (choice < 68) {
        CHECK_EQUAL(random_below(2) ? fsync(descriptors[slot].fd) : fdatasync(descriptors[slot].fd),
                    0);
    } else if (choice < 70) {
        duplicate(slot);
    } else if (choice < 71) {
        toggle_append(slot);
    } else {
        close_slot(slot);
    }
}

static void act(void)
{
    const int choice = (int)random_below(100), name = (int)random_below(NAMES);
    const int slot = used_slot();
    if (choice < 80 && slot >= 0)
        use_slot(slot, choice);
    else if (choice < 93)
        open_file();
    else if (choice < 95)
        check_name(name);
    else if (choice < 96)
        truncate_name(name);
    else if (choice < 98)
        rename_name(name, (int)random_below(NAMES));
    else
        unlink_name(name);
}

static void compare_all(void)
{
    for (int name = 0; name < NAMES; name++) {
        check_name(name);
        if (names[name] == NULL)
            continue;
        const int fd = open(name_of(name), O_RDONLY);
        CHECK(fd >= 0);
        CHECK_EQUAL(read(fd, buffer, LARGEST_FILE), names[name]->size);
        CHECK(memcmp(buffer, names[name]->data, names[name]->size) == 0);
        close(fd);
    }
}

int main(int count, char **arguments)
{
    CHECK_EQUAL(count, 4);
    random_seed(strtoull(arguments[1], NULL, 10));
    const long operations = strtol(arguments[2], NULL, 10);
    directory = arguments[3];
    for (step = 0; step < operations; step++)
        act();
    const char *ending = getenv("EXERCISE_ENDING"); /* "compare" reads everything back */
    if (ending != NULL && strcmp(ending, "compare") == 0)
        compare_all();
    return 0; /* and let the end of the process close what is open */
}
