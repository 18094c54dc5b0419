/*
 * The image `state` of a wave: what the rank was, what the layer had open, and the program's protected memory, which is
 * written from where it lies.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "regions.h"

/* What an image must agree with at a restart. */
struct sluice_mpi_place {
    const void *address; /* behind the call of sluice_potential_checkpoint() */
    int protocol;        /* 0 at a restart: that of the image */
};

/* An image of this rank with these bytes: 0, or a negative errno, and sluice_message() says why. */
int sluice_mpi_write_image(int64_t wave, const char *name, const void *data, size_t length);

/* All of an image; `bytes` is empty. */
int sluice_mpi_read_image(int64_t wave, const char *name, struct sluice_mpi_bytes *bytes);

/* All of the image `state` but the bytes of the regions; `own` is the layer's own state. */
void sluice_mpi_state_begin(int64_t wave, const struct sluice_mpi_place *place,
                            const struct sluice_mpi_bytes *own, struct sluice_mpi_bytes *begin);

/* How many bytes of that come before those of the regions. */
size_t sluice_mpi_state_head(void);

/*
 * Writes the image, as far as it differs from the last committed one, where that is asked: 0, or a negative errno, and
 * sluice_message() says why. A forked child may call it: its memory is `private`, so that nobody writes to it meanwhile.
 */
int sluice_mpi_state_write(int64_t wave, const struct sluice_mpi_bytes *begin, bool private);

/*
 * Reads it, checks that it fits this program, and puts the memory back. `own` gets the layer's state. What does not fit
 * ends the job with one line. Which protocol wrote it.
 */
int sluice_mpi_read_state(int64_t wave, const struct sluice_mpi_place *place,
                          struct sluice_mpi_bytes *own);

/* Tells of all that it has of the program's memory, a piece at a time. The regions must be the same. */
void sluice_mpi_state_walk(int64_t wave,
                           void (*each)(const struct sluice_mpi_region *region, size_t begin,
                                        const unsigned char *then, size_t length));

/* Ends the job with a line that says why, and how it can go on. */
_Noreturn void sluice_mpi_unreadable(int64_t wave, const char *why);

/* How many bytes it has of a region; 0 where it has none, or cannot be read. */
size_t sluice_mpi_saved_bytes(int64_t wave, int id);
