/*
 * The recording of writes to captured files: the trace of `sluice profile record` and --profile.
 * The recording needs no I/O process. While off, it costs a write one branch.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace.h"

/* The environment names a trace. Set before main(), never changed. */
extern bool sluice_recording;

/* A call while it is under way. */
struct sluice_recorded_call {
    int64_t begin;
    uint32_t directs; /* count of the image's direct writes before the call */
};

/* Begins a recorded call. False when the call is of no captured file, or made within the shim. */
bool sluice_recording_begin(struct sluice_recorded_call *call, int fd);

/*
 * Records that the call has returned `result`. `offset` is its argument, -1 for the descriptor's
 * own offset.
 */
void sluice_recording_end(const struct sluice_recorded_call *call, int fd, int64_t offset,
                          enum sluice_trace_call kind, ssize_t result);

/* Notes that another call than a recorded one moves the kernel's offset of `fd`. */
void sluice_recording_lose_offset(int fd);

static inline void sluice_recording_moved(int fd)
{
    if (__builtin_expect(sluice_recording, false))
        sluice_recording_lose_offset(fd);
}

/* Returns whether an address lies in a mapping of the trace. Async-signal-safe. */
bool sluice_recording_has_mapped(const void *address);

/* Ends the part; later writes go to another one. */
void sluice_recording_pause(void);

/* Ends the recording for good. */
void sluice_recording_stop(void);

void sluice_recording_in_child(void);

/* Returns the value of `run`, a call that writes to `fd`, and records it. */
#define RECORDED(fd, offset, kind, run)                                                            \
    __extension__({                                                                                \
        struct sluice_recorded_call call_;                                                         \
        const bool recorded_ =                                                                     \
            __builtin_expect(sluice_recording, false) && sluice_recording_begin(&call_, fd);       \
        const ssize_t result_ = (run);                                                             \
        if (__builtin_expect(recorded_, false))                                                    \
            sluice_recording_end(&call_, fd, offset, kind, result_);                               \
        result_;                                                                                   \
    })
