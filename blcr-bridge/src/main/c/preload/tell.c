#include "tell.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "line.h"

void sluice_tell(const char *format, ...)
{
    char text[PATH_MAX + 512];
    char line[2 * sizeof text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sluice_line(line, sizeof line, text);
    dprintf(STDERR_FILENO, "sluice: %s\n", line);
}
