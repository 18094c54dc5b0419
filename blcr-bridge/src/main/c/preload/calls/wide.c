/*
 * Streams of wide characters. The C library gives such a stream the functions of its own wide
 * streams, which bypass ours. So a stream goes native before its first wide character.
 */
#include <stdarg.h>
#include <wchar.h>

#include "real.h"
#include "stream.h"

/* Makes an undecided stream native before a function makes it a wide one. */
static void widen(FILE *file)
{
    if (file->_mode == 0)
        sluice_stream_go_native(file);
}

#define WIDENS(type, name, parameters, arguments)                                                  \
    SLUICE_BEFORE(type, name, parameters, arguments, widen(file))

SLUICE_BEFORE(int, fwide, (FILE *file, int mode), (file, mode), if (mode > 0) widen(file))
WIDENS(wint_t, fputwc, (wchar_t character, FILE *file), (character, file))
WIDENS(wint_t, fputwc_unlocked, (wchar_t character, FILE *file), (character, file))
WIDENS(int, fputws, (const wchar_t *restrict string, FILE *restrict file), (string, file))
WIDENS(int, fputws_unlocked, (const wchar_t *restrict string, FILE *restrict file), (string, file))
WIDENS(wint_t, fgetwc, (FILE *file), (file))
WIDENS(wint_t, fgetwc_unlocked, (FILE *file), (file))
WIDENS(wchar_t *, fgetws, (wchar_t *restrict string, int room, FILE *restrict file),
       (string, room, file))
WIDENS(wchar_t *, fgetws_unlocked, (wchar_t *restrict string, int room, FILE *restrict file),
       (string, room, file))
WIDENS(wint_t, ungetwc, (wint_t character, FILE *file), (character, file))
WIDENS(int, vfwprintf, (FILE *restrict file, const wchar_t *restrict format, va_list rest),
       (file, format, rest))
SLUICE_VARIADIC(int, fwprintf, (FILE *restrict file, const wchar_t *restrict format, ...), format,
                vfwprintf(file, format, rest))

/*
 * Wide scanf(), which has a name for each standard that a program is compiled for. The headers
 * redefine the plain names, so the assembler gives these theirs. The C library may lack the latest
 * name.
 */
typedef int scan_function(FILE *file, const wchar_t *format, va_list rest);

static int scan(const char *name, FILE *file, const wchar_t *format, va_list rest)
{
    scan_function *const real = (scan_function *)sluice_real_look(name);
    widen(file);
    return real != NULL ? real(file, format, rest) : scan("vfwscanf", file, format, rest);
}

#define SCANS(standard, prefix)                                                                    \
    SLUICE_WRAPPER scan_function standard##_vfwscanf __asm__(prefix "vfwscanf");                   \
    SLUICE_WRAPPER int standard##_fwscanf(FILE *file, const wchar_t *format,                       \
                                          ...) __asm__(prefix "fwscanf");                          \
    int standard##_vfwscanf(FILE *file, const wchar_t *format, va_list rest)                       \
    {                                                                                              \
        return scan(prefix "vfwscanf", file, format, rest);                                        \
    }                                                                                              \
    SLUICE_VARIADIC(int, standard##_fwscanf, (FILE *file, const wchar_t *format, ...), format,     \
                    scan(prefix "vfwscanf", file, format, rest))

SCANS(gnu, "")
SCANS(c99, "__isoc99_")
SCANS(c23, "__isoc23_")

/* The variants of _FORTIFY_SOURCE: without its checks of the format, with the same results. */
SLUICE_AS(int, __vfwprintf_chk, (FILE *file, int flag, const wchar_t *format, va_list rest),
          ((void)flag, vfwprintf(file, format, rest)))
SLUICE_VARIADIC(int, __fwprintf_chk, (FILE *file, int flag, const wchar_t *format, ...), format,
                ((void)flag, vfwprintf(file, format, rest)))
SLUICE_AS(wchar_t *, __fgetws_chk, (wchar_t * string, size_t size, int room, FILE *file),
          (sluice_check_fit((size_t)room, size), fgetws(string, room, file)))
SLUICE_AS(wchar_t *, __fgetws_unlocked_chk, (wchar_t * string, size_t size, int room, FILE *file),
          (sluice_check_fit((size_t)room, size), fgetws_unlocked(string, room, file)))
