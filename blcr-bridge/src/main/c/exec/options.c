#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"

enum { STORE = 1, CAPTURE, NAME, LAYOUT, PROFILE, PASSED_ON };

static const struct option known[] = {
    {"store", required_argument, NULL, STORE},
    {"capture", required_argument, NULL, CAPTURE},
    {"name", required_argument, NULL, NAME},
    {"layout", required_argument, NULL, LAYOUT},
    {"threshold", required_argument, NULL, PASSED_ON},
    {"buffer", required_argument, NULL, PASSED_ON},
    {"when-full", required_argument, NULL, PASSED_ON},
    {"chunk", required_argument, NULL, PASSED_ON},
    {"group", required_argument, NULL, PASSED_ON},
    {"writers", required_argument, NULL, PASSED_ON},
    {"stats", required_argument, NULL, PASSED_ON},
    {"pages", required_argument, NULL, PASSED_ON},
    {"keep", required_argument, NULL, PASSED_ON},
    {"profile", required_argument, NULL, PROFILE},
    {"files-per-rank", required_argument, NULL, PASSED_ON},
    {NULL, 0, NULL, 0},
};

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
    for (int option, index; (option = getopt_long(count, arguments, "+:", known, &index)) != -1;) {
        switch (option) {
        case STORE:
            store = optarg;
            break;
        case CAPTURE:
            options->capture = optarg;
            break;
        case NAME:
            options->name = optarg;
            break;
        case LAYOUT:
            layout = optarg;
            break;
        case PROFILE:
            options->profile = optarg;
            break;
        case PASSED_ON:
            grouped |= strcmp(known[index].name, "group") == 0;
            counted |= strcmp(known[index].name, "writers") == 0;
            options->serve[passed++] = assignment(known[index].name, optarg);
            break;
        default:
            sluice_exec_fail(SLUICE_STATUS_USAGE, "%s %s; see %s --help",
                             option == ':' ? "a value is missing after" : "unknown option",
                             arguments[optind - 1], sluice_exec_name);
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
