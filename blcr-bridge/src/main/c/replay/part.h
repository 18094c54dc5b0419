/*
 * The reader of a part of a recorded trace (docs/format.md), write by write. The part may be
 * damaged.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sluice_layout.h"

struct replay_file {
    char *path;
    int64_t next;   /* end of the last write read */
    int64_t writes; /* count of writes in the whole part; known after a survey, like `end` */
    int64_t end;    /* end of the farthest write */
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
    int32_t named;      /* count of the files named so far */
    int32_t file_count; /* count of all files */
    int64_t clock_difference;
    struct replay_write last;
    int kind;
};

/* Maps a part: 0, or a negative errno; -EBADMSG if the file is no part. */
int replay_part_open(struct replay_part *part, const char *path);

/* Reads the next write. False at the end, and where the part makes no sense any more. */
bool replay_part_next(struct replay_part *part, struct replay_write *write);

void replay_part_rewind(struct replay_part *part);
