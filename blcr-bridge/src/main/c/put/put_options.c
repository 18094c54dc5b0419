#include "put_options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "session.h"
#include "status.h"

/* Sets the rank and the number of ranks. */
static void place(struct sluice_writer_options *options, const char *const *values)
{
    const char *join = values[SLUICE_OPTION_JOIN], *of = values[SLUICE_OPTION_OF];
    const char *rank = values[SLUICE_OPTION_RANK];
    if ((join == NULL) != (of == NULL))
        sluice_launch_fail(SLUICE_STATUS_USAGE, "--join R and --of N need each other");
    if (join != NULL && rank != NULL)
        sluice_launch_fail(SLUICE_STATUS_USAGE, "--join says the rank: leave out --rank");
    options->joins = join != NULL;
    options->rank = (int)sluice_writer_options_number(join != NULL ? "join" : "rank",
                                                      join != NULL ? join : rank, INT_MAX - 1, 0);
    options->ranks = (int)sluice_writer_options_number("of", of, INT_MAX, options->rank + 1);
    if (options->rank >= options->ranks) {
        sluice_launch_fail(SLUICE_STATUS_USAGE, "--join %d: the ranks of %d are 0 to %d",
                           options->rank, options->ranks, options->ranks - 1);
    }
}

/* Sets by which signs the stream is whole. The end of a pipe alone is none. */
static void judge(struct sluice_put_options *options, const char *const *values)
{
    const char *trailer = values[SLUICE_OPTION_EXPECT_TRAILER];
    options->bytes =
        sluice_writer_options_number("bytes", values[SLUICE_OPTION_BYTES], INT64_MAX, -1);
    if (trailer != NULL && strcmp(trailer, "sha256") != 0) {
        sluice_launch_fail(SLUICE_STATUS_USAGE, "--expect-trailer %s: the one there is is sha256",
                           trailer);
    }
    options->trailer = trailer != NULL;
    if (*options->writer.service.command == NULL && options->bytes < 0 && !options->trailer
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
    const char *values[SLUICE_OPTIONS] = {NULL};
    *options = (struct sluice_put_options){0};
    sluice_writer_options_begin(&options->writer, count);
    opterr = 0;
    for (int option, index;
         (option = getopt_long(count, arguments, "+:", sluice_put_known, &index)) != -1;) {
        if (option == ':' || option == '?')
            sluice_launch_command_refuse(option, arguments + optind, sluice_put_known);
        values[option] = optarg == NULL ? "" : optarg;
        sluice_writer_options_take(&options->writer, option, sluice_put_known[index].name, optarg);
    }
    sluice_writer_options_need("checkpoint", values[SLUICE_OPTION_CHECKPOINT]);
    sluice_writer_options_need("name", values[SLUICE_OPTION_NAME]);
    options->writer.checkpoint = sluice_writer_options_number(
        "checkpoint", values[SLUICE_OPTION_CHECKPOINT], INT64_MAX - 1, 0);
    options->writer.refusal = "; --join puts several streams into one";
    options->trusts = values[SLUICE_OPTION_TRUST_EOF] != NULL;
    options->name = values[SLUICE_OPTION_NAME];
    if (sluice_image_check(options->writer.checkpoint, options->name) != 0)
        sluice_launch_fail(SLUICE_STATUS_USAGE, "%s", sluice_message());
    options->writer.service.command = arguments + optind;
    place(&options->writer, values);
    judge(options, values);
    sluice_writer_options_end(&options->writer, values[SLUICE_OPTION_STORE], arguments + optind);
}
