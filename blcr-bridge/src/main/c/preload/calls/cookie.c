/*
 * Streams whose cookie's functions call ours. The stream's _fileno is the real descriptor, so that
 * fileno() returns it. Its _wide_data is that of a native stream.
 *
 * _offset is where the C library believes the descriptor to be, or -1 for unknown. Only this field
 * is written to after the stream was made: by write_stream(), which the C library calls with the
 * stream locked. A native stream adds to it what it wrote; one of fopencookie() does not. A seek
 * before the write may have set the field, and the next relative seek begins there.
 */
#include "cookie.h"

#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory.h"
#include "real.h"
#include "tell.h"
#include "write.h"

/* The place of _offset, a part of the C library's binary interface, though not meant for others. */
static_assert(offsetof(FILE, _offset) == 144 && sizeof((FILE *)0)->_offset == 8,
              "the offset of a stream");

struct sluice_cookie {
    FILE *file;
    int fd;
    _Alignas(max_align_t) char wide[];
};

/* Writes on, as a native stream does, until all is written or an error is met. */
static ssize_t write_stream(void *from, const char *data, size_t length)
{
    const struct sluice_cookie *cookie = from;
    const size_t done = sluice_write_whole(cookie->fd, data, length);
    if (cookie->file->_offset >= 0)
        cookie->file->_offset += (off64_t)done;
    return (ssize_t)done;
}

static ssize_t read_stream(void *from, char *data, size_t length)
{
    const struct sluice_cookie *cookie = from;
    return read(cookie->fd, data, length);
}

static int seek_stream(void *from, off64_t *offset, int whence)
{
    const struct sluice_cookie *cookie = from;
    const off_t found = lseek(cookie->fd, *offset, whence);
    if (found < 0)
        return -1;
    *offset = found;
    return 0;
}

static int close_stream(void *from)
{
    const struct sluice_cookie *cookie = from;
    return close(cookie->fd);
}

/* The wide part of an unused native stream, behind its length. */
struct fresh {
    size_t length;
    char data[];
};

/*
 * Copies the wide part, whose layout is the C library's own. We know only that it ends the stream's
 * block.
 */
static struct fresh *copy_fresh(void)
{
    FILE *native = REAL(fopen)("/dev/null", "re");
    if (native == NULL)
        return NULL;
    struct fresh *fresh = NULL;
    const char *wide = (const char *)native->_wide_data;
    const char *end = (const char *)native + malloc_usable_size(native);
    int error = ENOTSUP;
    if (wide > (const char *)native && wide < end) {
        const size_t length = (size_t)(end - wide);
        fresh = sluice_memory_take(sizeof *fresh + length);
        error = errno;
        if (fresh != NULL)
            memcpy(fresh->data, wide, fresh->length = length);
    }
    REAL(fclose)(native);
    errno = error;
    return fresh;
}

/*
 * Returns the data of a fresh native stream for wide characters, which a stream of fopencookie()
 * lacks and freopen() needs. NULL with ENOTSUP where the data are not in the stream's block. NULL
 * with another errno where no stream could be opened now.
 */
static const void *wide_data(size_t *length)
{
    static _Atomic(struct fresh *) known;
    struct fresh *found = known;
    if (found == NULL) {
        struct fresh *copy = copy_fresh();
        if (copy == NULL)
            return NULL;
        if (atomic_compare_exchange_strong(&known, &found, copy))
            found = copy;
        else
            sluice_memory_give(copy);
    }
    *length = found->length;
    return found->data;
}

FILE *sluice_cookie_stream(int fd, char kind, bool plus, struct sluice_cookie **made)
{
    const char mode[] = {kind, plus ? '+' : '\0', '\0'};
    const cookie_io_functions_t functions = {read_stream, write_stream, seek_stream, close_stream};
    size_t length = 0;
    const void *wide = wide_data(&length);
    struct sluice_cookie *cookie =
        wide != NULL ? sluice_memory_take(sizeof *cookie + length) : NULL;
    FILE *file = cookie != NULL ? fopencookie(cookie, mode, functions) : NULL;
    if (file == NULL) {
        sluice_memory_give(cookie);
        return NULL;
    }
    cookie->file = file;
    cookie->fd = fd;
    memcpy(cookie->wide, wide, length);
    file->_fileno = fd;
    file->_wide_data = (struct _IO_wide_data *)cookie->wide;
    file->_mode = 0; /* neither bytes nor wide characters yet */
    *made = cookie;
    return file;
}

/* ---- the check that the C library is as above ---- */

static bool knows_where(FILE *file)
{
    return file->_offset >= 0 && file->_offset == REAL(lseek)(fileno(file), 0, SEEK_CUR);
}

/* Patches a header as programs do: to where it is read ahead, and from there on. */
static bool patch(FILE *file, int fd)
{
    char text[100] = "";
    return fwrite(text, 1, sizeof text, file) == sizeof text && fseek(file, 4, SEEK_SET) == 0
        && knows_where(file) && fwrite("size", 1, 4, file) == 4 && fseek(file, 32, SEEK_CUR) == 0
        && knows_where(file) && fwrite("data", 1, 4, file) == 4 && fflush(file) == 0
        && ftell(file) == 44 && REAL(pread)(fd, text, sizeof text, 0) == sizeof text
        && memcmp(text + 4, "size", 4) == 0 && memcmp(text + 40, "data", 4) == 0;
}

enum { UNTRIED, SOUND, UNSOUND };

/* Tries the streams out. Without a descriptor or memory the result is unknown. */
static int try_out(void)
{
    struct sluice_cookie *cookie;
    size_t length;
    if (wide_data(&length) == NULL)
        return errno == ENOTSUP ? UNSOUND : UNTRIED;
    const int fd = memfd_create("sluice", MFD_CLOEXEC);
    FILE *file = fd >= 0 ? sluice_cookie_stream(fd, 'w', true, &cookie) : NULL;
    if (file == NULL) {
        if (fd >= 0)
            REAL(close)(fd);
        return UNTRIED;
    }
    const bool sound = patch(file, fd);
    REAL(fclose)(file);
    sluice_memory_give(cookie);
    return sound ? SOUND : UNSOUND;
}

bool sluice_cookie_sound(void)
{
    static _Atomic int known;
    if (known == UNTRIED) {
        const int error = errno;
        int expected = UNTRIED;
        const int found = try_out();
        if (atomic_compare_exchange_strong(&known, &expected, found) && found == UNSOUND) {
            sluice_tell(
                "this C library's streams are not built as Sluice knows them: files written "
                "through fopen() and fdopen() are right, but not aggregated");
        }
        errno = error;
    }
    return known == SOUND;
}
