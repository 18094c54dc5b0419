/*
 * Wide characters. The C library gives a stream that is used for them the functions of its own wide
 * streams, which write past ours; so before its first wide character a stream goes native.
 */
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "real.h"
#include "stream.h"

/* What <wchar.h> declares as vfwscanf() under its real name in strict ISO C. */
int __isoc99_vfwscanf(FILE *file, const wchar_t *format, va_list arguments);

/* The wide part of a native stream that nobody has used, and before it its length. */
struct fresh {
    size_t length;
    char data[];
};

/* Its layout is the C library's own; only that it ends the stream's block is known here. */
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
        fresh = malloc(sizeof *fresh + length);
        error = errno;
        if (fresh != NULL)
            memcpy(fresh->data, wide, fresh->length = length);
    }
    REAL(fclose)(native);
    errno = error;
    return fresh;
}

const void *sluice_wide_data(size_t *length)
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
            free(copy);
    }
    *length = found->length;
    return found->data;
}

/* Before a function that makes an undecided stream a wide one. */
static void widen(FILE *file)
{
    if (file->_mode == 0)
        sluice_stream_go_native(file);
}

SLUICE_WRAPPER int fwide(FILE *file, int mode)
{
    if (mode > 0)
        widen(file);
    return REAL(fwide)(file, mode);
}

SLUICE_WRAPPER wint_t fputwc(wchar_t character, FILE *file)
{
    widen(file);
    return REAL(fputwc)(character, file);
}

SLUICE_WRAPPER wint_t fputwc_unlocked(wchar_t character, FILE *file)
{
    widen(file);
    return REAL(fputwc_unlocked)(character, file);
}

SLUICE_WRAPPER int fputws(const wchar_t *restrict string, FILE *restrict file)
{
    widen(file);
    return REAL(fputws)(string, file);
}

SLUICE_WRAPPER int fputws_unlocked(const wchar_t *restrict string, FILE *restrict file)
{
    widen(file);
    return REAL(fputws_unlocked)(string, file);
}

SLUICE_WRAPPER wint_t fgetwc(FILE *file)
{
    widen(file);
    return REAL(fgetwc)(file);
}

SLUICE_WRAPPER wint_t fgetwc_unlocked(FILE *file)
{
    widen(file);
    return REAL(fgetwc_unlocked)(file);
}

SLUICE_WRAPPER wchar_t *fgetws(wchar_t *restrict string, int room, FILE *restrict file)
{
    widen(file);
    return REAL(fgetws)(string, room, file);
}

SLUICE_WRAPPER wchar_t *fgetws_unlocked(wchar_t *restrict string, int room, FILE *restrict file)
{
    widen(file);
    return REAL(fgetws_unlocked)(string, room, file);
}

SLUICE_WRAPPER wint_t ungetwc(wint_t character, FILE *file)
{
    widen(file);
    return REAL(ungetwc)(character, file);
}

SLUICE_WRAPPER int vfwprintf(FILE *restrict file, const wchar_t *restrict format, va_list arguments)
{
    widen(file);
    return REAL(vfwprintf)(file, format, arguments);
}

SLUICE_WRAPPER int fwprintf(FILE *restrict file, const wchar_t *restrict format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int result = vfwprintf(file, format, arguments);
    va_end(arguments);
    return result;
}

SLUICE_WRAPPER int __isoc99_vfwscanf(FILE *file, const wchar_t *format, va_list arguments)
{
    widen(file);
    return REAL(__isoc99_vfwscanf)(file, format, arguments);
}

SLUICE_WRAPPER int __isoc99_fwscanf(FILE *file, const wchar_t *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int result = __isoc99_vfwscanf(file, format, arguments);
    va_end(arguments);
    return result;
}

/* With _FORTIFY_SOURCE: the checks are left out, the results are the same. */
SLUICE_WRAPPER int __vfwprintf_chk(FILE *file, int flag, const wchar_t *format, va_list arguments)
{
    (void)flag;
    return vfwprintf(file, format, arguments);
}

SLUICE_WRAPPER int __fwprintf_chk(FILE *file, int flag, const wchar_t *format, ...)
{
    va_list arguments;
    (void)flag;
    va_start(arguments, format);
    const int result = vfwprintf(file, format, arguments);
    va_end(arguments);
    return result;
}

SLUICE_WRAPPER wchar_t *__fgetws_chk(wchar_t *string, size_t size, int room, FILE *file)
{
    if ((size_t)room > size)
        __builtin_trap();
    return fgetws(string, room, file);
}

wint_t putwc(wchar_t character, FILE *file) SLUICE_ALIAS(fputwc);
wint_t putwc_unlocked(wchar_t character, FILE *file) SLUICE_ALIAS(fputwc_unlocked);
wint_t getwc(FILE *file) SLUICE_ALIAS(fgetwc);
wint_t getwc_unlocked(FILE *file) SLUICE_ALIAS(fgetwc_unlocked);
