/*
 * The C library's streams write with its own write(), not with the one defined here. So a stream on
 * a captured file is made by fopencookie(), with functions that call ours.
 *
 * freopen() and wide characters turn any stream into a native one: then its image is direct. So
 * does a second stream on one descriptor, and a C library in which such cookies do not work.
 */
#include "stream.h"

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "cookie.h"
#include "description.h"
#include "memory.h"
#include "open.h"
#include "opening.h"
#include "real.h"
#include "recording.h"
#include "streams.h"
#include "write.h"

static struct sluice_cookie *forget_stream(FILE *file)
{
    struct sluice_stream *entry = sluice_stream_entry(file);
    if (entry == NULL)
        return NULL;
    struct sluice_cookie *cookie = entry->cookie;
    entry->file = NULL;
    return cookie;
}

void sluice_stream_go_native(FILE *file)
{
    struct sluice_stream *entry = sluice_stream_entry(file);
    if (entry == NULL || entry->native)
        return;
    fflush(file);
    sluice_descriptor_surrender((int)(entry - sluice_streams), SLUICE_REASON_STREAM);
    entry->native = true;
}

/* Returns the open() flags of an fopen() mode, -1 for none; ignores what the C library ignores. */
static int flags_of(const char *mode)
{
    int flags = *mode == 'r' ? O_RDONLY
        : *mode == 'w'       ? O_WRONLY | O_CREAT | O_TRUNC
        : *mode == 'a'       ? O_WRONLY | O_CREAT | O_APPEND
                             : -1;
    if (flags < 0)
        return flags;
    for (int i = 1; i < 7 && mode[i] != '\0' && mode[i] != ','; i++)
        if (mode[i] == '+')
            flags = (flags & ~O_ACCMODE) | O_RDWR;
        else if (mode[i] == 'x')
            flags |= O_EXCL;
        else if (mode[i] == 'e')
            flags |= O_CLOEXEC;
    return flags;
}

static FILE *cookie_stream(int fd, int flags, char kind)
{
    struct sluice_cookie *cookie;
    FILE *file = sluice_cookie_stream(fd, kind, (flags & O_ACCMODE) == O_RDWR, &cookie);
    if (file != NULL)
        sluice_stream_remember(fd, file, false, cookie);
    return file;
}

/*
 * Returns whether a stream is on the descriptor already. Two streams have two offsets, so the
 * kernel must have the file's.
 */
static bool is_shared(int fd)
{
    if (sluice_streams[fd].file == NULL)
        return false;
    sluice_streams[fd].native = true;
    return true;
}

static FILE *stream_on(int fd, int flags, const char *mode)
{
    const bool captured = sluice_description_of(fd) != NULL;
    if (captured && !is_shared(fd) && sluice_cookie_sound())
        return cookie_stream(fd, flags, *mode);
    if (captured)
        sluice_descriptor_surrender(fd, SLUICE_REASON_STREAM);
    FILE *file = REAL(fdopen)(fd, mode);
    if (file != NULL && fd < SLUICE_DESCRIPTORS)
        sluice_stream_remember(fd, file, true, NULL);
    return file;
}

/*
 * Makes a native stream on `path`, by fopen() or, with `file`, by freopen(). A descriptor opened
 * here first announces the file and makes it direct. Then the library opens, and perhaps truncates,
 * the file once more. `cookie` is the stream's former one.
 */
static FILE *native_stream(const char *path, const char *mode, FILE *file,
                           struct sluice_cookie *cookie)
{
    const int flags = flags_of(mode);
    const bool watched = flags >= 0 && path != NULL;
    const int guard = watched ? sluice_open(AT_FDCWD, path, flags | O_CLOEXEC, 0666) : -1;
    if (guard >= 0)
        sluice_descriptor_surrender(guard, SLUICE_REASON_STREAM);
    char again[16];
    size_t length = 0;
    for (const char *from = mode; *from != '\0' && length < sizeof again - 1; from++)
        if (*from != 'x' || guard < 0)
            again[length++] = *from;
    again[length] = '\0';
    const char *how = strlen(mode) < sizeof again ? again : mode;
    FILE *result =
        SLUICE_OPENING(file != NULL ? REAL(freopen)(path, how, file) : REAL(fopen)(path, how));
    const int fd = result != NULL ? fileno(result) : -1;
    if (fd >= 0 && fd < SLUICE_DESCRIPTORS) {
        sluice_description_share(guard, fd);
        sluice_stream_remember(fd, result, true, cookie);
    }
    if (guard >= 0) {
        const int error = errno;
        close(guard);
        errno = error;
    }
    return result;
}

SLUICE_WRAPPER FILE *fopen(const char *restrict path, const char *restrict mode)
{
    const int flags = flags_of(mode);
    if (!sluice_capture_on() || flags < 0)
        return REAL(fopen)(path, mode);
    if (strstr(mode, ",ccs=") != NULL)
        return native_stream(path, mode, NULL, NULL);
    const int fd = sluice_open(AT_FDCWD, path, flags, 0666);
    if (fd < 0)
        return NULL;
    if ((flags & O_APPEND) && (flags & O_ACCMODE) == O_WRONLY)
        lseek(fd, 0, SEEK_END);
    FILE *file = stream_on(fd, flags, mode);
    if (file == NULL)
        close(fd);
    return file;
}

SLUICE_WRAPPER FILE *fdopen(int fd, const char *mode)
{
    int flags = flags_of(mode);
    if (!sluice_capture_on() || flags < 0)
        return REAL(fdopen)(fd, mode);
    if (sluice_description_of(fd) == NULL)
        return stream_on(fd, flags, mode);
    const int have = fcntl(fd, F_GETFL);
    const int wanted = flags & O_ACCMODE;
    if ((have & O_ACCMODE) != O_RDWR && (have & O_ACCMODE) != wanted) {
        errno = EINVAL;
        return NULL;
    }
    if ((flags & O_APPEND) && !(have & O_APPEND)) {
        fcntl(fd, F_SETFL, have | O_APPEND);
        if (wanted == O_WRONLY)
            lseek(fd, 0, SEEK_END);
    }
    return stream_on(fd, flags, mode);
}

/* Forgets a native stream's descriptor before the C library closes it unseen. */
static int release(int fd, FILE *file)
{
    if (sluice_description_of(fd) == NULL)
        return 0;
    const int flushed = fflush(file);
    const int error = sluice_description_forget(fd);
    return flushed != 0 ? flushed : (int)sluice_guard_result(error);
}

/*
 * Returns whether signal handlers are to wait until the stream is closed. A stream on something
 * else, like a pipe, may wait for its reader for long, and a handler may end that wait.
 */
static bool is_captured(FILE *file)
{
    return sluice_description_of(sluice_stream_descriptor(file)) != NULL;
}

SLUICE_WRAPPER FILE *freopen(const char *restrict path, const char *restrict mode,
                             FILE *restrict file)
{
    if (!sluice_capture_on())
        return REAL(freopen)(path, mode, file);
    if (path == NULL) { /* another mode for the same file */
        sluice_stream_go_native(file);
        return REAL(freopen)(path, mode, file);
    }
    const bool captured = is_captured(file);
    if (captured)
        sluice_guard_hold();
    struct sluice_cookie *cookie = forget_stream(file);
    release(sluice_stream_descriptor(file), file);
    FILE *result = native_stream(path, mode, file, cookie);
    if (captured)
        sluice_guard_release();
    return result;
}

SLUICE_WRAPPER int fclose(FILE *file)
{
    if (!sluice_capture_on())
        return REAL(fclose)(file);
    const bool captured = is_captured(file);
    if (captured)
        sluice_guard_hold();
    const struct sluice_stream *entry = sluice_stream_entry(file);
    const bool native = entry == NULL || entry->native;
    const int released = native ? release(sluice_stream_descriptor(file), file) : 0;
    const int error = errno;
    struct sluice_cookie *cookie = forget_stream(file);
    int result = REAL(fclose)(file);
    sluice_memory_give(cookie);
    if (released != 0) {
        errno = error;
        result = EOF;
    }
    if (captured)
        sluice_guard_release();
    return result;
}

/* Prints to a descriptor without a stream that could be ours. */
SLUICE_WRAPPER int vdprintf(int fd, const char *restrict format, va_list arguments)
{
    char few[512];
    va_list again;
    if (!sluice_description_logged(fd) && !(sluice_recording && sluice_description_of(fd) != NULL))
        return REAL(vdprintf)(fd, format, arguments);
    va_copy(again, arguments);
    const int length = vsnprintf(few, sizeof few, format, arguments);
    char *text = length < (int)sizeof few ? few : sluice_memory_take((size_t)length + 1);
    if (text != NULL && text != few)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    if (length < 0 || text == NULL)
        return -1;
    const size_t written = sluice_write_whole(fd, text, (size_t)length);
    const int error = errno;
    if (text != few)
        sluice_memory_give(text);
    errno = error;
    return written == (size_t)length ? length : -1;
}

SLUICE_VARIADIC(int, dprintf, (int fd, const char *restrict format, ...), format,
                vdprintf(fd, format, rest))

SLUICE_AS(int, __vdprintf_chk, (int fd, int flag, const char *format, va_list arguments),
          ((void)flag, vdprintf(fd, format, arguments)))
SLUICE_VARIADIC(int, __dprintf_chk, (int fd, int flag, const char *format, ...), format,
                ((void)flag, vdprintf(fd, format, rest)))
