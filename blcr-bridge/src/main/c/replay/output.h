/* The ways in which a rank writes the bytes of a file. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum replay_output {
    REPLAY_FILES,  /* by the trace's calls; new files, or over existing ones */
    REPLAY_STDIO,  /* through a stdio buffer of 1 MiB */
    REPLAY_DIRECT, /* past the page cache; every write has to be whole blocks */
    REPLAY_MEMORY, /* copied into existing shared memory only */
};

/* Returns the output of a name; -1 if there is none. */
int replay_output_named(const char *name);

struct replay_target {
    char *memory; /* for REPLAY_MEMORY */
    FILE *stream; /* for REPLAY_STDIO */
    char *buffer; /* buffer of the stream */
    int fd;
    bool open;
    int64_t position;
};

/*
 * Prepares a file that ends at `end`, in bytes. Returns 0, or -1 with errno set, as do the others.
 */
int replay_target_prepare(struct replay_target *target, enum replay_output output, int64_t end);

int replay_target_open(struct replay_target *target, enum replay_output output, const char *path);

/* Returns the number of bytes written. `call` writes at the offset itself, or after a seek. */
ssize_t replay_target_write(struct replay_target *target, int call, const void *data, int64_t size,
                            int64_t offset);

/* Closes the file if it is open. With `synced`, its bytes are on stable storage before. */
int replay_target_close(struct replay_target *target, bool synced);
