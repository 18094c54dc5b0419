/*
 * Files for which the log does not pay. Closed files predict how new ones are treated. The process forgets them
 * at its exit.
 *
 * Images that are read or synchronised again and again with little written between become direct, and so
 * are later files of the same directory whose names differ in digits only. In the container layout a process that
 * has closed several small files in a row makes the next one direct, too, unless one of that kind was not small.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct image;

/* What a file's path has in common with those of its kind. */
uint32_t sluice_usage_kind(const char *path);

/*
 * Whether a new file opened with these flags is going to be used like a database: it is to be read as well, and what
 * would have been in it would have been kept. Who writes a checkpoint empties its file.
 */
bool sluice_usage_is_database(int flags);

/* Why a file of that kind is to be direct from the beginning: SLUICE_REASON_*; NONE where it is not. */
int sluice_usage_reason(uint32_t kind, bool created);

/* A logged image is about to be settled or synchronised: true if it is to be direct from here on. Locked. */
bool sluice_usage_harms(struct image *image);

/* The last descriptor of an image is closed, whose log has yet to end. Locked. */
void sluice_usage_closed(const struct image *image);
