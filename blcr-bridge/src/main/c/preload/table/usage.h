/*
 * Files for which the log does not pay. Closed files predict how new ones are treated. The process
 * forgets them at its exit.
 *
 * Images that are read or synchronised often, with few writes between, become direct. So are later
 * files of the same directory whose names differ in digits only. In the container layout, a process
 * makes the next file direct after it has closed several small ones in a row. A kind with a file
 * that was not small is exempt.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct image;

/* Returns the kind of a path: the same for paths that differ in digits only. */
uint32_t sluice_usage_kind(const char *path);

/*
 * Returns whether a new file opened with these flags is likely to be used like a database. Such an
 * opening is for reading, too, and would keep old contents. The writer of a checkpoint empties its
 * file.
 */
bool sluice_usage_is_database(int flags);

/*
 * Returns why a file of that kind is direct from the beginning: SLUICE_REASON_*; NONE where it is
 * not.
 */
int sluice_usage_reason(uint32_t kind, bool created);

/*
 * Counts that a logged image is about to be settled or synchronised. True if the image is to be
 * direct from here on. The image is locked.
 */
bool sluice_usage_harms(struct image *image);

/*
 * Learns from an image whose last descriptor is closed, before its log ends. The image is locked.
 */
void sluice_usage_closed(const struct image *image);
