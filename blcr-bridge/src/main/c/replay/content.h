/* What replayed files hold: bytes that depend on the file's path and the offset, and on nothing else. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Prepares writes of up to `longest` bytes that end at `farthest` or before, in memory of this process
 * that children have, too; on huge pages if there are. False without memory.
 */
bool replay_content_prepare(int64_t farthest, int64_t longest, bool huge);

/* What the contents of files differ by. */
int64_t replay_content_shift(const char *path);

/* The bytes from `offset` on, as many as prepared. On a page if the offset is. */
const void *replay_content_at(int64_t shift, int64_t offset);
