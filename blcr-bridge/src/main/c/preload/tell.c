#include "tell.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "line.h"
#include "stream.h"

void sluice_tell(const char *format, ...)
{
    static const char from[] = "sluice: ";
    char text[PATH_MAX + 512];
    char line[sizeof from + 2 * sizeof text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(line, from, sizeof from);
    sluice_line(line + strlen(from), sizeof line - sizeof from, text);
    strcat(line, "\n");
    sluice_write_whole(STDERR_FILENO, line, strlen(line));
}
