/*
 * A rank that checkpoints through sluice.h, for tests against a real I/O process.
 *
 *     checkpointer DIRECTORY RANK RANKS FIRST LAST [MILLISECONDS]
 *
 * writes checkpoints FIRST to LAST with random writes, waits MILLISECONDS, or a minute, for each to
 * be committed, and compares what a restart gives with what it wrote.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sluice.h"

#define LIMIT (3 << 20)
#define OPERATIONS 3000

static sluice_session *session;
static unsigned seed;

static void must(int64_t result, const char *what)
{
    if (result < 0) {
        fprintf(stderr, "checkpointer: %s: %s\n", what, sluice_message());
        exit(1);
    }
}

#define MUST(call) must(call, #call)

/* Mostly small consecutive writes, now and then a large one, elsewhere, or a truncation. */
static void write_randomly(sluice_image *image, uint8_t *model, int64_t *size)
{
    static uint8_t data[512 << 10];
    int64_t position = 0;
    for (int i = 0; i < OPERATIONS; i++) {
        const int kind = rand_r(&seed) % 200;
        if (kind == 0) {
            const int64_t cut = rand_r(&seed) % LIMIT;
            MUST(sluice_image_truncate(image, cut));
            memset(model + cut, 0, (size_t)(LIMIT - cut));
            *size = cut;
            continue;
        }
        const size_t length = (size_t)rand_r(&seed) % (kind < 4 ? sizeof data : 2000) + 1;
        if (kind < 10 || position + (int64_t)length > LIMIT)
            position = rand_r(&seed) % (LIMIT - (int)sizeof data);
        memset(data, rand_r(&seed), length);
        MUST(sluice_image_pwrite(image, data, length, position));
        memcpy(model + position, data, length);
        position += (int64_t)length;
        *size = position > *size ? position : *size;
    }
}

static void compare(int64_t checkpoint, const uint8_t *model, int64_t size)
{
    static uint8_t restored[LIMIT + 1];
    const int fd = sluice_image_restart(session, checkpoint, "state/random");
    MUST(fd);
    ssize_t length = 0;
    for (ssize_t got; (got = read(fd, restored + length, sizeof restored - (size_t)length)) > 0;)
        length += got;
    close(fd);
    if (length != size || memcmp(restored, model, (size_t)size) != 0) {
        fprintf(stderr, "checkpointer: checkpoint %lld differs: %zd of %lld bytes\n",
                (long long)checkpoint, length, (long long)size);
        exit(1);
    }
}

static void checkpoint_once(int64_t checkpoint, int64_t timeout)
{
    static uint8_t model[LIMIT];
    int64_t size = 0;
    sluice_image *image;
    memset(model, 0, sizeof model);
    MUST(sluice_checkpoint_begin(session, checkpoint));
    MUST(sluice_image_create(session, checkpoint, "state/random", &image));
    write_randomly(image, model, &size);
    MUST(sluice_image_close(image));
    MUST(sluice_checkpoint_complete(session, checkpoint));
    MUST(sluice_checkpoint_wait(session, checkpoint, timeout));
    compare(checkpoint, model, size);
}

int main(int count, char **arguments)
{
    if (count < 6) {
        fprintf(stderr, "usage: checkpointer DIRECTORY RANK RANKS FIRST LAST [MILLISECONDS]\n");
        return 2;
    }
    seed = (unsigned)atoi(arguments[2]) * 1000 + (unsigned)atoi(arguments[4]) + 1;
    MUST(sluice_session_open(arguments[1], atoi(arguments[2]), atoi(arguments[3]), &session));
    for (int64_t checkpoint = atoi(arguments[4]); checkpoint <= atoi(arguments[5]); checkpoint++)
        checkpoint_once(checkpoint, count > 6 ? atoi(arguments[6]) : 60000);
    return sluice_session_close(session) == 0 ? 0 : 1;
}
