/*
 * A C library to come whose cookie streams keep their offset themselves, as native ones do. Preloaded
 * beside the shim.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct stream {
    FILE *file;
    void *cookie;
    cookie_io_functions_t functions;
};

static ssize_t write_stream(void *from, const char *data, size_t length)
{
    const struct stream *stream = from;
    const ssize_t done = stream->functions.write(stream->cookie, data, length);
    if (done > 0 && stream->file->_offset >= 0)
        stream->file->_offset += done;
    return done;
}

static ssize_t read_stream(void *from, char *data, size_t length)
{
    const struct stream *stream = from;
    return stream->functions.read(stream->cookie, data, length);
}

static int seek_stream(void *from, off64_t *offset, int whence)
{
    const struct stream *stream = from;
    return stream->functions.seek(stream->cookie, offset, whence);
}

static int close_stream(void *from)
{
    struct stream *stream = from;
    const int result = stream->functions.close(stream->cookie);
    free(stream);
    return result;
}

__attribute__((visibility("default"))) FILE *
fopencookie(void *restrict cookie, const char *restrict mode, cookie_io_functions_t functions)
{
    FILE *(*real)(void *, const char *, cookie_io_functions_t) =
        (FILE *(*)(void *, const char *, cookie_io_functions_t))dlsym(RTLD_NEXT, "fopencookie");
    struct stream *stream = malloc(sizeof *stream);
    if (stream == NULL)
        return NULL;
    *stream = (struct stream){.cookie = cookie, .functions = functions};
    return stream->file =
               real(stream, mode,
                    (cookie_io_functions_t){read_stream, write_stream, seek_stream, close_stream});
}
