/*
 * The C library's streams write with its own write(), not with the one defined here. A stream on a
 * captured file is therefore one of fopencookie(), whose functions call ours; its _fileno is the
 * real descriptor, so that fileno() answers it. The cookie is the descriptor, nothing else is kept.
 *
 * freopen() and wide characters turn any stream into a native one: then its image is direct.
 */
#include "stream.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "description.h"
#include "open.h"
#include "real.h"
#include "recording.h"

/* The streams, by descriptor; without the standard ones, unless they were reopened. */
static struct stream {
    FILE *_Atomic file;
    atomic_bool native;
    struct _IO_wide_data *wide; /* ours, NULL for a stream born native */
} streams[SLUICE_DESCRIPTORS];

static _Atomic int highest;

static void remember(int fd, FILE *file, bool native, struct _IO_wide_data *wide)
{
    streams[fd].native = native;
    streams[fd].wide = wide;
    streams[fd].file = file;
    int known = highest;
    while (known < fd && !atomic_compare_exchange_weak(&highest, &known, fd)) {
    }
}

/* The stream's entry, NULL for a stream that is none of ours. */
static struct stream *entry_of(FILE *file)
{
    const int error = errno;
    const int fd = fileno(file);
    errno = error;
    return (unsigned)fd < SLUICE_DESCRIPTORS && streams[fd].file == file ? &streams[fd] : NULL;
}

static FILE *stream_of(int fd)
{
    FILE *standard[] = {stdin, stdout, stderr};
    return streams[fd].file != NULL || fd > STDERR_FILENO ? streams[fd].file : standard[fd];
}

void sluice_streams_flush(void)
{
    const int last = highest > STDERR_FILENO ? highest : STDERR_FILENO;
    for (int fd = 0; fd <= last; fd++)
        if (sluice_description_of(fd) != NULL && stream_of(fd) != NULL)
            fflush_unlocked(stream_of(fd));
}

bool sluice_stream_native(int fd)
{
    return fd <= STDERR_FILENO || (streams[fd].file != NULL && streams[fd].native);
}

void sluice_stream_go_native(FILE *file)
{
    struct stream *entry = entry_of(file);
    if (entry == NULL || entry->native)
        return;
    fflush(file);
    sluice_descriptor_surrender((int)(entry - streams), SLUICE_REASON_STREAM);
    entry->native = true;
}

static int descriptor(void *cookie)
{
    return (int)(intptr_t)cookie;
}

/* Like the native one it writes on until all is written or an error is met. */
static ssize_t write_stream(void *cookie, const char *data, size_t length)
{
    size_t done = 0;
    while (done < length) {
        const ssize_t written = sluice_write_stream(descriptor(cookie), data + done, length - done);
        if (written < 0)
            break;
        done += (size_t)written;
    }
    return (ssize_t)done;
}

static ssize_t read_stream(void *cookie, char *data, size_t length)
{
    return read(descriptor(cookie), data, length);
}

static int seek_stream(void *cookie, off64_t *offset, int whence)
{
    const off_t found = lseek(descriptor(cookie), *offset, whence);
    if (found < 0)
        return -1;
    *offset = found;
    return 0;
}

static int close_stream(void *cookie)
{
    return close(descriptor(cookie));
}

/* The open() flags of an fopen() mode, -1 for none; what the C library ignores is ignored. */
static int flags_of(const char *mode)
{
    int flags;
    switch (*mode) {
    case 'r':
        flags = O_RDONLY;
        break;
    case 'w':
        flags = O_WRONLY | O_CREAT | O_TRUNC;
        break;
    case 'a':
        flags = O_WRONLY | O_CREAT | O_APPEND;
        break;
    default:
        return -1;
    }
    for (int i = 1; i < 7 && mode[i] != '\0' && mode[i] != ','; i++) {
        if (mode[i] == '+')
            flags = (flags & ~O_ACCMODE) | O_RDWR;
        else if (mode[i] == 'x')
            flags |= O_EXCL;
        else if (mode[i] == 'e')
            flags |= O_CLOEXEC;
    }
    return flags;
}

static FILE *cookie_stream(int fd, int flags, char kind)
{
    const char mode[] = {kind, (flags & O_ACCMODE) == O_RDWR ? '+' : '\0', '\0'};
    const cookie_io_functions_t functions = {read_stream, write_stream, seek_stream, close_stream};
    struct _IO_wide_data *wide = sluice_wide_data();
    FILE *file = wide != NULL ? fopencookie((void *)(intptr_t)fd, mode, functions) : NULL;
    if (file == NULL) {
        free(wide);
        return NULL;
    }
    file->_fileno = fd;
    file->_wide_data = wide;
    file->_mode = 0; /* neither bytes nor wide characters yet */
    remember(fd, file, false, wide);
    return file;
}

static FILE *stream_on(int fd, int flags, const char *mode)
{
    if (sluice_description_of(fd) != NULL)
        return cookie_stream(fd, flags, *mode);
    FILE *file = REAL(fdopen)(fd, mode);
    if (file != NULL && fd < SLUICE_DESCRIPTORS)
        remember(fd, file, true, NULL);
    return file;
}

/*
 * A stream of the C library's own making, on `path`, made by fopen() or, with `file`, by freopen().
 * The descriptor opened here first announces the file and makes it direct, before the library
 * opens, and perhaps truncates, it once more.
 */
static FILE *native_stream(const char *path, const char *mode, FILE *file)
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
    FILE *result = file != NULL ? REAL(freopen)(path, how, file) : REAL(fopen)(path, how);
    const int fd = result != NULL ? fileno(result) : -1;
    if (fd >= 0 && fd < SLUICE_DESCRIPTORS) {
        sluice_description_share(guard, fd);
        remember(fd, result, true, NULL);
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
        return native_stream(path, mode, NULL);
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
    return cookie_stream(fd, flags, *mode);
}

/* The stream's descriptor is closed by the C library, unseen, so it is forgotten before. */
static int release(struct stream *entry, FILE *file)
{
    const int fd = (int)(entry - streams);
    entry->file = NULL;
    if (sluice_description_of(fd) == NULL)
        return 0;
    const int flushed = fflush(file);
    const int error = sluice_description_forget(fd);
    return flushed != 0 ? flushed : (int)sluice_guard_result(error);
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
    struct stream *entry = entry_of(file);
    if (entry != NULL)
        release(entry, file);
    return native_stream(path, mode, file);
}

SLUICE_WRAPPER int fclose(FILE *file)
{
    struct stream *entry = entry_of(file);
    if (entry == NULL)
        return REAL(fclose)(file);
    struct _IO_wide_data *wide = entry->wide;
    const int released = entry->native ? release(entry, file) : 0;
    const int error = errno;
    entry->file = NULL;
    const int result = REAL(fclose)(file);
    free(wide);
    if (released == 0)
        return result;
    errno = error;
    return EOF;
}

/* What these print does not pass a stream that could be ours. */
SLUICE_WRAPPER int vdprintf(int fd, const char *restrict format, va_list arguments)
{
    char *text;
    if (!sluice_description_logged(fd) && !(sluice_recording && sluice_description_of(fd) != NULL))
        return REAL(vdprintf)(fd, format, arguments);
    const int length = vasprintf(&text, format, arguments);
    if (length < 0)
        return length;
    const ssize_t written = write_stream((void *)(intptr_t)fd, text, (size_t)length);
    const int error = errno;
    free(text);
    errno = error;
    return written == length ? length : -1;
}

SLUICE_WRAPPER int dprintf(int fd, const char *restrict format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vdprintf(fd, format, arguments);
    va_end(arguments);
    return length;
}

SLUICE_WRAPPER int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments)
{
    (void)flag;
    return vdprintf(fd, format, arguments);
}

SLUICE_WRAPPER int __dprintf_chk(int fd, int flag, const char *format, ...)
{
    va_list arguments;
    (void)flag;
    va_start(arguments, format);
    const int length = vdprintf(fd, format, arguments);
    va_end(arguments);
    return length;
}

FILE *fopen64(const char *restrict path, const char *restrict mode) SLUICE_ALIAS(fopen);
FILE *freopen64(const char *restrict path, const char *restrict mode, FILE *restrict file)
    SLUICE_ALIAS(freopen);
