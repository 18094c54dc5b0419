/*
 * The writer of one part of a recorded trace: what this process writes, and when. docs/format.md
 * specifies it. It goes through a mapping, so what was appended survives a SIGKILL. The caller lets
 * one thread at a time in; no descriptor stays open, which a program might close.
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
    uint8_t *window;                    /* what is mapped of the records */
    uint8_t *at;                        /* the next record */
    int64_t position;                   /* of the window in the file */
    bool full;                          /* no more room on storage */
    uint32_t part;                      /* how many of this process were begun */
    int32_t files;                      /* named so far */
    int32_t file;                       /* of the last WRITE, -1 before the first */
    int64_t end;                        /* when that ended */
    uint64_t size;
    int kind;
    char path[PATH_MAX];
};

/* A file of a part; none as long as it is all zeros. */
struct sluice_trace_file {
    uint32_t part; /* the one it was named in */
    int32_t id;
    int64_t next; /* where its last WRITE ended */
};

/* Whether the file may be appended to: there is a part, and the file has a name in it. */
static inline bool sluice_trace_knows(const struct sluice_trace *trace,
                                      const struct sluice_trace_file *file)
{
    return trace->header != NULL && file->part == trace->part;
}

/*
 * Begins a part in a directory: 0 or a negative errno, with a sentence in sluice_failure_message().
 * The structure is all zeros before the first.
 */
int sluice_trace_open(struct sluice_trace *trace, const char *directory);

/* Appends the name of a file that is to be written. */
void sluice_trace_name(struct sluice_trace *trace, struct sluice_trace_file *file,
                       const char *path);

/* Appends a write that succeeded. Where the disk is full, it counts as lost. */
void sluice_trace_append(struct sluice_trace *trace, struct sluice_trace_file *file,
                         enum sluice_trace_call call, enum sluice_trace_route route, int64_t begin,
                         int64_t end, int64_t offset, uint64_t size);

/* Ends the part. */
void sluice_trace_close(struct sluice_trace *trace);

/* Whether an address lies in a mapping of the trace. */
bool sluice_trace_has(const struct sluice_trace *trace, const void *address);

/* The mappings are gone, and what is in their place is not ours. */
void sluice_trace_forget(struct sluice_trace *trace);

/* In a forked child: lets go of the parent's part. */
void sluice_trace_abandon(struct sluice_trace *trace);
