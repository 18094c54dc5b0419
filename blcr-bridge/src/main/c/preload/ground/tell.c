#include "tell.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel.h"
#include "line.h"

/* The longest beginning of a line, as "sluice profile record: ", with its NUL. */
#define FROM 40

static size_t write_to_kernel(int fd, const void *data, size_t length)
{
    const long written = sluice_kernel_call(SYS_write, fd, (long)data, (long)length);
    return written < 0 ? 0 : (size_t)written;
}

static sluice_teller *writes = write_to_kernel;

void sluice_tell_by(sluice_teller *teller)
{
    writes = teller;
}

void sluice_tell(const char *format, ...)
{
    char text[PATH_MAX + 512];
    char line[FROM + 2 * sizeof text];
    const char *command = getenv("SLUICE_SPEAKER"); /* the command that the user called */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const int from = snprintf(line, FROM, "%.*s: ", FROM - 3, command == NULL ? "sluice" : command);
    sluice_line(line + from, sizeof line - FROM, text);
    strcat(line, "\n");
    writes(STDERR_FILENO, line, strlen(line));
}
