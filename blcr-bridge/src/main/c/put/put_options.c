#include "put_options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "result.h"
#include "session.h"
#include "status.h"

/* Options that go to the I/O process as they are. */
static bool is_passed_on(int option)
{
    return option == SLUICE_OPTION_LAYOUT || option == SLUICE_OPTION_BUFFER
        || option == SLUICE_OPTION_THRESHOLD || option == SLUICE_OPTION_KEEP
        || option == SLUICE_OPTION_SERIES || option == SLUICE_OPTION_STAGE
        || option == SLUICE_OPTION_STATS;
}

static char *word(const char *name, const char *value)
{
    char *text;
    if (asprintf(&text, "--%s=%s", name, value) < 0)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "no memory");
    return text;
}

/* Returns a number from 0 on; `missing` where the option is not given. */
static int64_t number(const char *option, const char *given, int64_t most, int64_t missing)
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

static void need(const char *option, const void *given)
{
    if (given == NULL) {
        sluice_launch_fail(SLUICE_STATUS_USAGE, "--%s is missing; see %s --help", option,
                           sluice_launch_name);
    }
}

/* Sets the rank and the number of ranks. */
static void place(struct sluice_put_options *options, const char *const *values)
{
    const char *join = values[SLUICE_OPTION_JOIN], *of = values[SLUICE_OPTION_OF];
    const char *rank = values[SLUICE_OPTION_RANK];
    if ((join == NULL) != (of == NULL))
        sluice_launch_fail(SLUICE_STATUS_USAGE, "--join R and --of N need each other");
    if (join != NULL && rank != NULL)
        sluice_launch_fail(SLUICE_STATUS_USAGE, "--join says the rank: leave out --rank");
    options->joins = join != NULL;
    options->rank =
        (int)number(join != NULL ? "join" : "rank", join != NULL ? join : rank, INT_MAX - 1, 0);
    options->ranks = (int)number("of", of, INT_MAX, options->rank + 1);
    if (options->rank >= options->ranks) {
        sluice_launch_fail(SLUICE_STATUS_USAGE, "--join %d: the ranks of %d are 0 to %d",
                           options->rank, options->ranks, options->ranks - 1);
    }
}

/* Sets by which signs the stream is whole. The end of a pipe alone is none. */
static void judge(struct sluice_put_options *options, const char *const *values)
{
    const char *trailer = values[SLUICE_OPTION_EXPECT_TRAILER];
    options->bytes = number("bytes", values[SLUICE_OPTION_BYTES], INT64_MAX, -1);
    if (trailer != NULL && strcmp(trailer, "sha256") != 0) {
        sluice_launch_fail(SLUICE_STATUS_USAGE, "--expect-trailer %s: the one there is is sha256",
                           trailer);
    }
    options->trailer = trailer != NULL;
    if (*options->service.command == NULL && options->bytes < 0 && !options->trailer
        && !options->trusts) {
        sluice_launch_fail(
            SLUICE_STATUS_USAGE,
            "the end of a pipe does not tell that its producer was done: give --bytes N, "
            "--expect-trailer sha256 or --trust-eof, or the command after --");
    }
}

/*
 * Options come before the command; "+" keeps getopt from looking for them among the command's
 * words.
 */
void sluice_put_options_parse(int count, char **arguments, struct sluice_put_options *options)
{
    const char *values[SLUICE_OPTIONS] = {[SLUICE_OPTION_STORE] = getenv("SLUICE_STORE")};
    char **serve = calloc((size_t)count + 3, sizeof *serve);
    size_t passed = 0;
    if (serve == NULL)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "no memory");
    *options = (struct sluice_put_options){0};
    opterr = 0;
    for (int option, index;
         (option = getopt_long(count, arguments, "+:", sluice_put_known, &index)) != -1;) {
        if (option == ':' || option == '?')
            sluice_launch_command_refuse(option, arguments + optind, sluice_put_known);
        values[option] = optarg == NULL ? "" : optarg;
        if (is_passed_on(option))
            serve[passed++] = word(sluice_put_known[index].name, optarg);
        if (option == SLUICE_OPTION_JSON)
            sluice_put_result_promise();
    }
    options->service.command = arguments + optind;
    options->json = values[SLUICE_OPTION_JSON] != NULL;
    options->trusts = values[SLUICE_OPTION_TRUST_EOF] != NULL;
    options->replaces = values[SLUICE_OPTION_REPLACE] != NULL;
    need("checkpoint", values[SLUICE_OPTION_CHECKPOINT]);
    need("name", values[SLUICE_OPTION_NAME]);
    options->checkpoint = number("checkpoint", values[SLUICE_OPTION_CHECKPOINT], INT64_MAX - 1, 0);
    options->name = values[SLUICE_OPTION_NAME];
    if (sluice_image_check(options->checkpoint, options->name) != 0)
        sluice_launch_fail(SLUICE_STATUS_USAGE, "%s", sluice_message());
    place(options, values);
    judge(options, values);
    sluice_launch_store(values[SLUICE_OPTION_STORE], options->service.store);
    serve[passed++] = word("store", options->service.store);
    serve[passed++] = "--quiet";
    options->service.serve = serve;
    options->service.needs = true;
}
