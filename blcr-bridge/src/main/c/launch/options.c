#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "job.h"
#include "status.h"

static char *assignment(const char *name, const char *value)
{
    char *text;
    if (asprintf(&text, "--%s=%s", name, value) < 0)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "no memory");
    return text;
}

/* Returns whether the text can name a directory, and be printed in lines. */
static bool is_name(const char *text)
{
    for (const char *at = text; *at != 0; at++)
        if ((unsigned char)*at < ' ' || *at == 127 || *at == '/')
            return false;
    return *text != 0 && *text != '.';
}

/* Returns whether this group needs no number of ranks, as a pattern does. */
static bool is_general(const char *group)
{
    return strcmp(group, "auto") == 0 || strcmp(group, "none") == 0;
}

/*
 * Options come before the command; "+" keeps getopt from looking for them among the command's
 * words.
 */
void sluice_launch_options_parse(int count, char **arguments, struct sluice_launch_options *options)
{
    sluice_launch_job_adopt();
    const bool mpi = getenv("SLUICE_MPI_LAYER") != NULL;
    if (mpi)
        unsetenv("SLUICE_CAPTURE"); /* the layer's images are no files of the program */
    const char *values[SLUICE_OPTIONS] = {
        [SLUICE_OPTION_STORE] = getenv("SLUICE_STORE"),
        [SLUICE_OPTION_CAPTURE] = getenv("SLUICE_CAPTURE"),
        [SLUICE_OPTION_LAYOUT] = mpi ? "container" : "files",
        [SLUICE_OPTION_SERIES] = getenv("SLUICE_MPI_SERIES"),
    };
    size_t passed = 0;
    char **serve = calloc((size_t)count + 6, sizeof *serve);
    if (serve == NULL)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "no memory");
    opterr = 0;
    for (int option, index;
         (option = getopt_long(count, arguments, "+:", sluice_exec_known, &index)) != -1;) {
        if (option == ':' || option == '?')
            sluice_launch_command_refuse(option, arguments + optind, sluice_exec_known);
        values[option] = optarg;
        switch (option) {
        case SLUICE_OPTION_STORE:
        case SLUICE_OPTION_CAPTURE:
        case SLUICE_OPTION_NAME:
        case SLUICE_OPTION_LAYOUT:
        case SLUICE_OPTION_SERIES:
        case SLUICE_OPTION_PROFILE:
            break;
        default: /* an option for sluice serve, each time it is given */
            serve[passed++] = assignment(sluice_exec_known[index].name, optarg);
        }
    }
    const char *name = values[SLUICE_OPTION_NAME], *store = values[SLUICE_OPTION_STORE];
    if (name != NULL && !is_name(name))
        sluice_launch_fail(SLUICE_STATUS_USAGE, "'%s' is no name; use letters and digits", name);
    char **command = sluice_launch_command_behind(arguments + optind);
    const char *capture = values[SLUICE_OPTION_CAPTURE];
    if (capture == NULL && !mpi)
        capture = ".";
    const char *group = values[SLUICE_OPTION_GROUP];
    if (group == NULL && capture != NULL)
        serve[passed++] = assignment("group", "auto");
    serve[passed++] = assignment("layout", values[SLUICE_OPTION_LAYOUT]);
    serve[passed++] = assignment("store", store);
    if (values[SLUICE_OPTION_SERIES] != NULL)
        serve[passed++] = assignment("series", values[SLUICE_OPTION_SERIES]);
    if (capture != NULL)
        serve[passed++] = assignment("capture", capture);
    *options = (struct sluice_launch_options){
        .name = name,
        .capture = capture,
        .profile = values[SLUICE_OPTION_PROFILE],
        .counts_ranks = group != NULL && !is_general(group) && values[SLUICE_OPTION_WRITERS] == NULL
            && values[SLUICE_OPTION_COMPLETE] == NULL
            && strcmp(values[SLUICE_OPTION_LAYOUT], "container") == 0,
        .serve = serve,
        .command = command,
    };
    sluice_launch_store(store, options->store);
}
