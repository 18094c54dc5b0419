#include "result.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "line.h"
#include "status.h"

/* As JsonOption.java has it. */
#define SCHEMA 1

static pid_t own; /* this process, and not one that it starts */

void sluice_result_begin(void)
{
    signal(SIGPIPE, SIG_IGN);
    printf("{\n  \"schema\" : %d", SCHEMA);
}

void sluice_result_number(const char *name, int64_t value)
{
    printf(",\n  \"%s\" : %lld", name, (long long)value);
}

/* Prints text in quotes, as a terminal shows it. */
void sluice_result_text(const char *name, const char *value)
{
    char line[8192];
    sluice_line(line, sizeof line, value);
    printf(",\n  \"%s\" : \"", name);
    for (const char *at = line; *at != 0; at++)
        printf(*at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
    putchar('"');
}

void sluice_result_end(void)
{
    puts("\n}");
}

void sluice_result_print(const char *format, ...)
{
    va_list arguments;
    signal(SIGPIPE, SIG_IGN);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

/* Returns whether all that was printed is out. A reader that is gone wants no more, as it seems. */
static bool is_out(void)
{
    return (fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE;
}

int sluice_result_status(int64_t checkpoint, const char *is)
{
    if (is_out())
        return 0;
    sluice_launch_say("checkpoint %lld is %s; standard output did not take the answer: %m",
                      (long long)checkpoint, is);
    return SLUICE_STATUS_UNTOLD;
}

static void print_failure(int status, void *unused)
{
    (void)unused;
    if (status == 0 || status == SLUICE_STATUS_UNTOLD || getpid() != own)
        return;
    sluice_result_begin();
    const char *said = sluice_launch_said();
    sluice_result_text("error", *said != 0 ? said : "standard error says why");
    sluice_result_number("status", status);
    sluice_result_end();
    if (!is_out())
        sluice_launch_say("standard output did not take the answer: %m");
}

void sluice_result_promise(void)
{
    if (own == 0)
        on_exit(print_failure, NULL);
    own = getpid();
}
