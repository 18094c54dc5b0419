/*
 * The content of replayed files: bytes that depend on the file's path and the offset, and on
 * nothing else.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Prepares writes of up to `longest` bytes that end at `farthest` or before. Uses memory of this
 * process, which its children share, on huge pages if possible. False without memory.
 */
bool replay_content_prepare(int64_t farthest, int64_t longest, bool huge);

/* Returns the shift by which the contents of files differ. */
int64_t replay_content_shift(const char *path);

/*
 * Returns the bytes from `offset` on, as many as prepared. They are page-aligned if the offset is.
 */
const void *replay_content_at(int64_t shift, int64_t offset);
