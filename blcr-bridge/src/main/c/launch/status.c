#include "status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "line.h"

int sluice_launch_status(int error)
{
    switch (-error) {
    case EACCES:
    case EPERM:
    case EROFS:
        return SLUICE_STATUS_DENIED;
    case EBUSY:
        return SLUICE_STATUS_BUSY;
    case ENOSPC:
    case EDQUOT:
        return SLUICE_STATUS_NO_ROOM;
    case EPROTONOSUPPORT:
        return SLUICE_STATUS_OTHER_VERSION;
    default:
        return SLUICE_STATUS_FAILED;
    }
}

const char *sluice_launch_name = "sluice run";

static char said[1024];

const char *sluice_launch_said(void)
{
    return said;
}

void sluice_launch_say(const char *format, ...)
{
    char text[sizeof said]; /* its own: the thread that watches an I/O process speaks as well */
    char line[4 * sizeof text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(said, text, strlen(text) + 1);
    sluice_line(line, sizeof line, text);
    fprintf(stderr, "%s: %s\n", sluice_launch_name, line);
}
