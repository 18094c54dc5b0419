#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sluice_commands.h"
#include "status.h"

static const char *given(const char *value, const char *variable)
{
    return value != NULL ? value : getenv(variable);
}

static char *assignment(const char *name, const char *value)
{
    char *text;
    if (asprintf(&text, "--%s=%s", name, value) < 0)
        sluice_exec_fail(SLUICE_STATUS_FAILED, "no memory");
    return text;
}

/* Options come before the command; "+" keeps getopt from looking for them in the command's. */
void sluice_exec_options_parse(int count, char **arguments, const char *capture,
                               struct sluice_exec_options *options)
{
    const char *store = NULL;
    const char *layout = "files";
    bool grouped = false;
    bool counted = false;
    size_t passed = 0;
    *options = (struct sluice_exec_options){.serve = calloc((size_t)count + 4, sizeof(char *))};
    if (options->serve == NULL)
        sluice_exec_fail(SLUICE_STATUS_FAILED, "no memory");
    opterr = 0;
    for (int option, index;
         (option = getopt_long(count, arguments, "+:", sluice_exec_known, &index)) != -1;) {
        switch (option) {
        case SLUICE_OPTION_STORE:
            store = optarg;
            break;
        case SLUICE_OPTION_CAPTURE:
            options->capture = optarg;
            break;
        case SLUICE_OPTION_NAME:
            options->name = optarg;
            break;
        case SLUICE_OPTION_LAYOUT:
            layout = optarg;
            break;
        case SLUICE_OPTION_PROFILE:
            options->profile = optarg;
            break;
        case ':':
        case '?':
            sluice_exec_fail(SLUICE_STATUS_USAGE, "%s %s; see %s --help",
                             option == ':' ? "a value is missing after" : "unknown option",
                             arguments[optind - 1], sluice_exec_name);
        default: /* for sluice serve */
            grouped |= option == SLUICE_OPTION_GROUP;
            counted |= option == SLUICE_OPTION_WRITERS;
            options->serve[passed++] = assignment(sluice_exec_known[index].name, optarg);
        }
    }
    if (options->name != NULL
        && (*options->name == 0 || *options->name == '.' || strchr(options->name, '/') != NULL)) {
        sluice_exec_fail(SLUICE_STATUS_USAGE, "'%s' is no name; use letters and digits",
                         options->name);
    }
    options->command = arguments + optind;
    if (*options->command == NULL)
        sluice_exec_fail(SLUICE_STATUS_USAGE, "no command to run; see %s --help", sluice_exec_name);
    store = given(store, "SLUICE_STORE");
    if (store == NULL) {
        sluice_exec_fail(SLUICE_STATUS_USAGE,
                         "no store; name one with --store DIR or in SLUICE_STORE");
    }
    options->capture = given(options->capture, "SLUICE_CAPTURE");
    options->capture = options->capture != NULL ? options->capture : capture;
    if (options->capture == NULL) {
        sluice_exec_fail(
            SLUICE_STATUS_USAGE,
            "no directory to capture; name one with --capture DIR or in SLUICE_CAPTURE");
    }
    options->counts_ranks = grouped && !counted && strcmp(layout, "container") == 0;
    options->serve[passed++] = assignment("layout", layout);
    options->serve[passed++] = assignment("store", store);
    options->serve[passed++] = assignment("capture", options->capture);
}
