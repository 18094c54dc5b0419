/* What replayed files hold: at each offset a byte that depends on nothing else. */
#ifndef SLUICE_REPLAY_CONTENT_H
#define SLUICE_REPLAY_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

/* Prepares writes of up to `longest` bytes; false without memory. */
bool replay_content_prepare(int64_t longest);

/* The bytes from `offset` on, as many as prepared. */
const void *replay_content_at(int64_t offset);

#endif
