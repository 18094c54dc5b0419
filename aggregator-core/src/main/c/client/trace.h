/*
 * The writer of one part of a recorded trace: the writes of this process, and their times.
 * docs/format.md specifies the format. The part is written through a mapping, so appended records
 * survive a SIGKILL. The caller lets one thread at a time in. No descriptor stays open, as a
 * program might close it.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sluice_trace_call {
    SLUICE_TRACE_WRITE = 1,
    SLUICE_TRACE_PWRITE,
    SLUICE_TRACE_WRITEV,
    SLUICE_TRACE_PWRITEV,
    SLUICE_TRACE_STREAM,
    SLUICE_TRACE_COPY,
};

enum sluice_trace_route { SLUICE_TRACE_LOGGED = 1, SLUICE_TRACE_DIRECT, SLUICE_TRACE_PLAIN };

#define SLUICE_TRACE_LONGEST_WRITE 64

struct sluice_trace_header;
struct sluice_trace {
    struct sluice_trace_header *header; /* NULL without a part */
    uint8_t *window;                    /* the mapped part of the records */
    uint8_t *at;                        /* place of the next record */
    int64_t position;                   /* offset of the window in the file */
    bool full;                          /* storage has no more room */
    uint32_t part;                      /* count of the parts that this process has begun */
    int32_t files;                      /* count of the files named so far */
    int32_t file;                       /* id in the last WRITE, -1 before the first */
    int64_t end;                        /* end of the last WRITE, ns of CLOCK_MONOTONIC */
    uint64_t size;
    int kind;
    char path[PATH_MAX];
};

/* A file of a part; all zeros for none. */
struct sluice_trace_file {
    uint32_t part; /* the part in which it was named */
    int32_t id;
    int64_t next; /* end of its last WRITE, in bytes */
};

/*
 * Returns whether writes to the file may be appended: there is a part, and the file has a name in
 * it.
 */
static inline bool sluice_trace_knows(const struct sluice_trace *trace,
                                      const struct sluice_trace_file *file)
{
    return trace->header != NULL && file->part == trace->part;
}

/*
 * Begins a part in a directory. Returns 0 or a negative errno, with a sentence in
 * sluice_failure_message(). The structure is all zeros before the first part.
 */
int sluice_trace_open(struct sluice_trace *trace, const char *directory);

/* Appends the name of a file that is to be written. */
void sluice_trace_name(struct sluice_trace *trace, struct sluice_trace_file *file,
                       const char *path);

/*
 * Appends a write that succeeded; times are ns of CLOCK_MONOTONIC. On a full disk the write counts
 * as lost.
 */
void sluice_trace_append(struct sluice_trace *trace, struct sluice_trace_file *file,
                         enum sluice_trace_call call, enum sluice_trace_route route, int64_t begin,
                         int64_t end, int64_t offset, uint64_t size);

void sluice_trace_close(struct sluice_trace *trace);

bool sluice_trace_has(const struct sluice_trace *trace, const void *address);

/* Forgets the mappings: they are gone, and their place is not ours. */
void sluice_trace_forget(struct sluice_trace *trace);

/* Lets go of the parent's part, in a forked child. */
void sluice_trace_abandon(struct sluice_trace *trace);
