#include "writer_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "result.h"
#include "status.h"

/* Options that go to the I/O process as they are. */
static bool is_passed_on(int option)
{
    return option == SLUICE_OPTION_LAYOUT || option == SLUICE_OPTION_BUFFER
        || option == SLUICE_OPTION_THRESHOLD || option == SLUICE_OPTION_KEEP
        || option == SLUICE_OPTION_SERIES || option == SLUICE_OPTION_STAGE
        || option == SLUICE_OPTION_STATS;
}

static void pass_on(struct sluice_writer_options *options, const char *name, const char *value)
{
    char *text;
    if (asprintf(&text, "--%s=%s", name, value) < 0)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "no memory");
    options->service.serve[options->passed++] = text;
}

void sluice_writer_options_begin(struct sluice_writer_options *options, int words)
{
    *options = (struct sluice_writer_options){.checkpoint = -1, .ranks = 1};
    options->service.serve = calloc((size_t)words + 3, sizeof *options->service.serve);
    if (options->service.serve == NULL)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "no memory");
    options->service.needs = true;
}

void sluice_writer_options_take(struct sluice_writer_options *options, int option, const char *name,
                                const char *value)
{
    if (is_passed_on(option))
        pass_on(options, name, value);
    if (option == SLUICE_OPTION_REPLACE)
        options->replaces = true;
    if (option == SLUICE_OPTION_JSON) {
        options->json = true;
        sluice_result_promise();
    }
}

void sluice_writer_options_end(struct sluice_writer_options *options, const char *store,
                               char **command)
{
    options->service.command = command;
    sluice_launch_store(store != NULL ? store : getenv("SLUICE_STORE"), options->service.store);
    pass_on(options, "store", options->service.store);
    options->service.serve[options->passed++] = "--quiet";
}

int64_t sluice_writer_options_number(const char *option, const char *given, int64_t most,
                                     int64_t missing)
{
    char *end = NULL;
    if (given == NULL)
        return missing;
    errno = 0;
    const long long value = strtoll(given, &end, 10);
    if (*given < '0' || *given > '9' || *end != 0 || errno != 0 || value > most) {
        sluice_launch_fail(SLUICE_STATUS_USAGE, "--%s %s is no number from 0 on; see %s --help",
                           option, given, sluice_launch_name);
    }
    return value;
}

void sluice_writer_options_need(const char *option, const void *given)
{
    if (given == NULL) {
        sluice_launch_fail(SLUICE_STATUS_USAGE, "--%s is missing; see %s --help", option,
                           sluice_launch_name);
    }
}
