/* The number of a checkpoint in the making, which is one process's at a time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Takes a number of the store until this process ends. `shared`: processes that take it like this
 * have it together. Returns 0, -EBUSY where another process has it, or another negative errno.
 */
int sluice_number_take(const char *store, int64_t number, bool shared);
