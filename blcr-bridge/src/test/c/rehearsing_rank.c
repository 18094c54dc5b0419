/*
 * A rank that checkpoints through sluice.h while its I/O process is killed again and again.
 *
 *     rehearsing_rank DIRECTORY RANK RANKS RECORD
 *
 * writes checkpoints 1, 2, ... of pseudo-random writes until the number in the file RECORD/last is
 * reached. What is to be restored of checkpoint N it leaves in RECORD/N, as a restore names it,
 * before it completes N, and N itself in RECORD/durable-RANK once it was told that N is committed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sluice.h"

#define LIMIT (512 << 10)
#define WRITES 100
#define PATIENCE_MS 60000

static sluice_session *session;
static uint8_t model[LIMIT];
static size_t size;

static void must(int64_t result, const char *what)
{
    if (result < 0) {
        fprintf(stderr, "rehearsing_rank: %s: %s\n", what, sluice_message());
        exit(1);
    }
}

#define MUST(call) must(call, #call)

/* Mostly small ones in sequence, now and then a large one, which goes direct, or one elsewhere. */
static void write_image(sluice_image *image, unsigned seed)
{
    size_t position = 0;
    memset(model, 0, sizeof model);
    size = 0;
    for (int i = 0; i < WRITES; i++) {
        const size_t length = (i % 50 == 0 ? 70000 : 1) + (size_t)rand_r(&seed) % 3000;
        if (i % 20 == 0 || position + length > LIMIT)
            position = (size_t)rand_r(&seed) % (LIMIT - length);
        for (size_t at = position; at < position + length; at++)
            model[at] = (uint8_t)rand_r(&seed);
        MUST(sluice_image_pwrite(image, model + position, length, (int64_t)position));
        position += length;
        size = position > size ? position : size;
    }
}

/* Replaces a file in one step. */
static void record(const char *path, const void *data, size_t length)
{
    char temporary[4200];
    snprintf(temporary, sizeof temporary, "%s.new", path);
    FILE *file = fopen(temporary, "w");
    if (file == NULL || fwrite(data, 1, length, file) != length || fclose(file) != 0
        || rename(temporary, path) != 0) {
        perror(path);
        exit(1);
    }
}

static void checkpoint(int number, int rank, int ranks, const char *directory)
{
    char path[4096];
    char text[32];
    sluice_image *image;
    MUST(sluice_checkpoint_begin(session, number));
    MUST(sluice_image_create(session, number, "state", &image));
    write_image(image, (unsigned)(number * ranks + rank));
    snprintf(path, sizeof path, "%s/%d", directory, number);
    mkdir(path, 0700); /* by whichever rank comes first */
    snprintf(path, sizeof path, "%s/%d/rank-%04d", directory, number, rank);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%d/rank-%04d/state", directory, number, rank);
    record(path, model, size);
    MUST(sluice_image_close(image));
    MUST(sluice_checkpoint_complete(session, number));
    MUST(sluice_checkpoint_wait(session, number, PATIENCE_MS));
    snprintf(path, sizeof path, "%s/durable-%d", directory, rank);
    record(path, text, (size_t)snprintf(text, sizeof text, "%d\n", number));
}

static int last(const char *directory)
{
    char path[4096];
    int number = 1 << 30;
    snprintf(path, sizeof path, "%s/last", directory);
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        if (fscanf(file, "%d", &number) != 1)
            number = 1 << 30;
        fclose(file);
    }
    return number;
}

int main(int count, char **arguments)
{
    if (count != 5) {
        fprintf(stderr, "usage: rehearsing_rank DIRECTORY RANK RANKS RECORD\n");
        return 2;
    }
    const int rank = atoi(arguments[2]);
    const int ranks = atoi(arguments[3]);
    MUST(sluice_session_open(arguments[1], rank, ranks, &session));
    for (int number = 1; number <= last(arguments[4]); number++)
        checkpoint(number, rank, ranks, arguments[4]);
    return sluice_session_close(session) == 0 ? 0 : 1;
}
