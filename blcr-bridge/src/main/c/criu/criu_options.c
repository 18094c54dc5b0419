#include "criu_options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "status.h"

static const struct option *known_of(const char *command)
{
    return strcmp(command, "dump") == 0   ? sluice_criu_dump_known
        : strcmp(command, "restore") == 0 ? sluice_criu_restore_known
                                          : sluice_criu_stream_known;
}

/* Returns the milliseconds of a time such as 10m or 500ms. */
static int64_t milliseconds(const char *given)
{
    static const struct {
        const char *unit;
        int64_t length;
    } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};
    char *unit;
    const long long count = strtoll(given, &unit, 10);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (*given >= '0' && *given <= '9' && strcmp(unit, units[i].unit) == 0 && count > 0
            && count < INT_MAX) {
            return count * units[i].length;
        }
    }
    sluice_launch_fail(SLUICE_STATUS_USAGE, "--every %s is no time such as 10m or 500ms", given);
}

static void add_tree(struct sluice_criu_options *options, char *word)
{
    const size_t digits = strspn(word, "0123456789");
    if (*word == 0 || *word == '0' || word[digits] != 0 || digits > 9)
        sluice_launch_fail(SLUICE_STATUS_USAGE, "-t %s is no process", word);
    for (size_t i = 0; i < options->tree_count; i++)
        if (strcmp(options->trees[i], word) == 0)
            sluice_launch_fail(SLUICE_STATUS_USAGE, "-t %s is given twice", word);
    options->trees[options->tree_count++] = word;
}

static void take_word(struct sluice_criu_options *options, const char *command, char *word)
{
    char **place = strcmp(command, "stream") == 0 ? &options->directory
        : strcmp(command, "restore") == 0         ? &options->checkpoint
                                                  : NULL;
    if (place == NULL || *place != NULL) {
        sluice_launch_fail(SLUICE_STATUS_USAGE,
                           "'%s' is no option; what is for criu comes behind --", word);
    }
    *place = word;
}

static void take(struct sluice_criu_options *options, int option, const char *name)
{
    switch (option) {
    case 't':
    case SLUICE_OPTION_TREE:
        add_tree(options, optarg);
        return;
    case SLUICE_OPTION_CHECKPOINT:
        options->checkpoint = optarg;
        return;
    case SLUICE_OPTION_SERIES:
        options->series = optarg;
        break;
    case SLUICE_OPTION_LEAVE_RUNNING:
        options->leaves = true;
        return;
    case SLUICE_OPTION_SERVE:
        options->serves = true;
        return;
    case SLUICE_OPTION_EVERY:
        options->every = milliseconds(optarg);
        return;
    default:
        break;
    }
    sluice_writer_options_take(&options->writer, option, name, optarg);
}

/* Returns whether a long option of CRIU is this one, which may be cut where it stays the only one. */
static bool names(const char *word, const char *option)
{
    const size_t length = strcspn(word, "=");
    return length >= 2 && length <= strlen(option) && strncmp(word, option, length) == 0;
}

/* Returns whether a word of short options of CRIU has one that this command gives itself. */
static bool has_own(const char *word)
{
    const size_t flags = strcspn(word, "tDovxrJWLM"); /* the first one with a value ends the word */
    return word[flags] == 't' || word[flags] == 'D';
}

/* Refuses options for CRIU that would change what is dumped, or where its images go. */
static void check_passed(char **words)
{
    for (; *words != NULL; words++) {
        const char *word = *words;
        const bool is_long = strncmp(word, "--", 2) == 0;
        if (is_long ? names(word + 2, "tree") || names(word + 2, "images-dir")
                    || names(word + 2, "stream")
                    : *word == '-' && has_own(word + 1)) {
            sluice_launch_fail(SLUICE_STATUS_USAGE,
                               "%s is not for criu: %s says itself what is dumped, and where to",
                               word, sluice_launch_name);
        }
    }
}

static void check(struct sluice_criu_options *options, const char *command)
{
    if (strcmp(command, "dump") == 0)
        sluice_writer_options_need("tree", options->trees[0]);
    if (strcmp(command, "stream") == 0 && options->directory == NULL) {
        sluice_launch_fail(SLUICE_STATUS_USAGE, "the images directory is missing; see %s --help",
                           sluice_launch_name);
    }
    if (options->every > 0 && options->checkpoint != NULL) {
        sluice_launch_fail(
            SLUICE_STATUS_USAGE,
            "--every takes a number of its own for each dump: leave out --checkpoint");
    }
    options->serves |= strcmp(command, "restore") == 0;
    options->leaves |= options->every > 0;
    if (!options->serves && options->checkpoint != NULL) {
        options->writer.checkpoint =
            sluice_writer_options_number("checkpoint", options->checkpoint, INT64_MAX - 1, 0);
    }
}

/* Returns whether getopt_long() ended before a word of ours, and not behind "--". */
static bool is_word(int count, char **arguments)
{
    return optind < count && strcmp(arguments[optind - 1], "--") != 0;
}

void sluice_criu_options_parse(int count, char **arguments, struct sluice_criu_options *options)
{
    const char *command = arguments[0];
    const struct option *known = known_of(command);
    const char *shorts = strcmp(command, "dump") == 0 ? "+:t:" : "+:";
    const char *store = NULL;
    *options = (struct sluice_criu_options){0};
    sluice_writer_options_begin(&options->writer, count);
    options->trees = calloc((size_t)count + 1, sizeof *options->trees);
    if (options->trees == NULL)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "no memory");
    opterr = 0;
    for (int option, index = 0;;) {
        option = getopt_long(count, arguments, shorts, known, &index);
        if (option == -1 && is_word(count, arguments)) {
            take_word(options, command, arguments[optind++]);
            continue;
        }
        if (option == -1)
            break;
        if (option == ':' || option == '?')
            sluice_launch_command_refuse(option, arguments + optind, known);
        if (option == SLUICE_OPTION_STORE)
            store = optarg;
        take(options, option, known[index].name);
    }
    check(options, command);
    if (strcmp(command, "stream") != 0)
        check_passed(arguments + optind);
    sluice_writer_options_end(&options->writer, store, arguments + optind);
}
