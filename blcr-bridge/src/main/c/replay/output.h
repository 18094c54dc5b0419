/* The ways in which a rank puts the bytes of a file somewhere. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum replay_output {
    REPLAY_FILES, /* as the trace's calls do; new files, or those that are there are written over */
    REPLAY_STDIO, /* through a stdio buffer of 1 MiB */
    REPLAY_DIRECT, /* past the page cache; every write has to be whole blocks */
    REPLAY_MEMORY, /* copied into shared memory that is there, and nowhere else */
};

/* Its number; -1 for no name of one. */
int replay_output_named(const char *name);

struct replay_target {
    char *memory; /* for REPLAY_MEMORY */
    FILE *stream; /* for REPLAY_STDIO */
    char *buffer; /* of the stream */
    int fd;
    bool open;
    int64_t position;
};

/* Prepares a file that ends at `end`. As the others, 0 or -1 with errno set. */
int replay_target_prepare(struct replay_target *target, enum replay_output output, int64_t end);

int replay_target_open(struct replay_target *target, enum replay_output output, const char *path);

/* Returns how many bytes it wrote. Made at the offset by `call` itself if that has one, or after a seek. */
ssize_t replay_target_write(struct replay_target *target, int call, const void *data, int64_t size,
                            int64_t offset);

/* Does nothing to what is not open. With `synced`, what was written is on stable storage before. */
int replay_target_close(struct replay_target *target, bool synced);
