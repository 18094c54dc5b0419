#include "result.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "line.h"
#include "status.h"

/* As JsonOption.java has it. */
#define SCHEMA 1

static pid_t own; /* this process, and not one that it starts */

/* Prints text in quotes, as a terminal shows it. */
static void print_text(const char *text)
{
    char line[8192];
    sluice_line(line, sizeof line, text);
    putchar('"');
    for (const char *at = line; *at != 0; at++)
        printf(*at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
    putchar('"');
}

/* Returns whether all that was printed is out. A reader that is gone wants no more, as it seems. */
static bool is_out(void)
{
    return (fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE;
}

static void print_failure(int status, void *unused)
{
    (void)unused;
    if (status == 0 || status == SLUICE_STATUS_UNTOLD || getpid() != own)
        return;
    signal(SIGPIPE, SIG_IGN);
    printf("{\n  \"schema\" : %d,\n  \"error\" : ", SCHEMA);
    print_text(sluice_launch_said());
    printf(",\n  \"status\" : %d\n}\n", status);
    if (!is_out())
        sluice_launch_say("standard output did not take the answer: %m");
}

void sluice_put_result_promise(void)
{
    own = getpid();
    on_exit(print_failure, NULL);
}

static void print(const struct sluice_put_options *options, int64_t bytes)
{
    if (!options->json) {
        char name[4096];
        sluice_line(name, sizeof name, options->name);
        printf("checkpoint %lld has %s of rank %d: %lld bytes\n", (long long)options->checkpoint,
               name, options->rank, (long long)bytes);
        return;
    }
    printf("{\n  \"schema\" : %d,\n  \"checkpoint\" : %lld,\n  \"rank\" : %d,\n"
           "  \"ranks\" : %d,\n  \"name\" : ",
           SCHEMA, (long long)options->checkpoint, options->rank, options->ranks);
    print_text(options->name);
    printf(",\n  \"bytes\" : %lld\n}\n", (long long)bytes);
}

int sluice_put_result_print(const struct sluice_put_options *options, int64_t bytes)
{
    signal(SIGPIPE, SIG_IGN); /* a reader that is gone changes no commit */
    print(options, bytes);
    if (is_out())
        return 0;
    sluice_launch_say("checkpoint %lld is committed; standard output did not take the answer: %m",
                      (long long)options->checkpoint);
    return SLUICE_STATUS_UNTOLD;
}
