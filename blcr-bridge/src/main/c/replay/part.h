/* Reads a part of a recorded trace (docs/format.md), write by write. Its bytes may be wrong. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sluice_layout.h"

struct replay_file {
    char *path;
    int64_t next;   /* where the last write that was read ended */
    int64_t writes; /* of all the part; known after a survey, as is */
    int64_t end;    /* where the farthest ended */
};

struct replay_write {
    int32_t file;
    int call;      /* SLUICE_TRACE_WRITE, ... */
    int64_t begin; /* ns since the epoch */
    int64_t end;
    int64_t offset;
    int64_t size;
};

struct replay_part {
    const struct sluice_trace_header *header; /* NULL without a part */
    const uint8_t *at, *limit;
    struct replay_file *files;
    int32_t named;      /* files named so far */
    int32_t file_count; /* all */
    int64_t clock_difference;
    struct replay_write last;
    int kind;
};

/* Maps it: 0, or a negative errno; -EBADMSG if it is none. */
int replay_part_open(struct replay_part *part, const char *path);

/* The next write; false at the end, and where the part makes no sense any more. */
bool replay_part_next(struct replay_part *part, struct replay_write *write);

/* Begins anew. */
void replay_part_rewind(struct replay_part *part);
