/*
 * The place where drained bytes land, and all that follows from it for a writer. The class Layout
 * says the same for the I/O process. Other files know no layout by its name: they ask for the
 * decision that they have to make. Async-signal-safe.
 */
#pragma once

#include <stdbool.h>

#include "segment.h"

/* Returns whether a header names a layout that there is. */
static inline bool sluice_layout_is_known(const struct sluice_header *header)
{
    return header->layout == SLUICE_HEADER_LAYOUT_CONTAINER
        || header->layout == SLUICE_HEADER_LAYOUT_FILES;
}

/*
 * Returns whether the drain writes the extents of diverted images to the images' own files. Otherwise
 * they go to containers, where records of the writer say what is in the file itself.
 */
static inline bool sluice_layout_drains_to_files(const struct sluice_segment *segment)
{
    return segment->layout == SLUICE_HEADER_LAYOUT_FILES;
}

/*
 * Returns whether a process tells of new names. A file that comes from outside the capture directory
 * becomes an image by that.
 */
static inline bool sluice_layout_tells_of_names(const struct sluice_segment *segment)
{
    return segment->layout == SLUICE_HEADER_LAYOUT_CONTAINER;
}

/* Returns whether a process tells of each file, also of one that stays small. */
static inline bool sluice_layout_tells_of_small(const struct sluice_segment *segment)
{
    return segment->layout == SLUICE_HEADER_LAYOUT_CONTAINER;
}
