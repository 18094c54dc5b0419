/*
 * Wide scanf() under the names that it has by the standard a program is compiled for; see wide.c. The
 * C library that this is built with need not have the latest.
 */
#include <stdarg.h>
#include <wchar.h>

#include "real.h"
#include "stream.h"

#define SCAN __attribute__((visibility("default")))

/* The headers give the plain names another meaning, so these are given theirs by the assembler. */
SCAN int gnu_vfwscanf(FILE *file, const wchar_t *format, va_list arguments) __asm__("vfwscanf");
SCAN int gnu_fwscanf(FILE *file, const wchar_t *format, ...) __asm__("fwscanf");
SCAN int c23_vfwscanf(FILE *file, const wchar_t *format, va_list arguments)
    __asm__("__isoc23_vfwscanf");
SCAN int c23_fwscanf(FILE *file, const wchar_t *format, ...) __asm__("__isoc23_fwscanf");

typedef int scan_function(FILE *file, const wchar_t *format, va_list arguments);

static scan_function *real(enum sluice_real which)
{
    return (scan_function *)sluice_real(which);
}

static void widen(FILE *file)
{
    if (file->_mode == 0)
        sluice_stream_go_native(file);
}

int gnu_vfwscanf(FILE *file, const wchar_t *format, va_list arguments)
{
    widen(file);
    return real(SLUICE_REAL_vfwscanf)(file, format, arguments);
}

int c23_vfwscanf(FILE *file, const wchar_t *format, va_list arguments)
{
    widen(file);
    return real(sluice_real_has(SLUICE_REAL___isoc23_vfwscanf) ? SLUICE_REAL___isoc23_vfwscanf
                                                               : SLUICE_REAL_vfwscanf)(
        file, format, arguments);
}

int gnu_fwscanf(FILE *file, const wchar_t *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int result = gnu_vfwscanf(file, format, arguments);
    va_end(arguments);
    return result;
}

int c23_fwscanf(FILE *file, const wchar_t *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int result = c23_vfwscanf(file, format, arguments);
    va_end(arguments);
    return result;
}

SLUICE_WRAPPER wchar_t *__fgetws_unlocked_chk(wchar_t *string, size_t size, int room, FILE *file)
{
    if ((size_t)room > size)
        __builtin_trap();
    return fgetws_unlocked(string, room, file);
}
