/*
 * The image `state` of a wave: the rank, the layer's open state, and the program's protected
 * memory, written from its place.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "regions.h"

/* The place of a checkpoint, with which a restart must agree. */
struct sluice_mpi_place {
    const void *address; /* return address of the call of sluice_potential_checkpoint() */
    int protocol;        /* SLUICE_CONTROL_AUTO at a restart: the image's counts */
};

/*
 * Writes an image of this rank with these bytes. Returns 0, or a negative errno with a sentence in
 * sluice_message().
 */
int sluice_mpi_write_image(int64_t wave, const char *name, const void *data, size_t length);

/* Reads all of an image into `bytes`, which is empty. Returns as above. */
int sluice_mpi_read_image(int64_t wave, const char *name, struct sluice_mpi_bytes *bytes);

/* Makes all of the image `state` but the bytes of the regions; `own` is the layer's own state. */
void sluice_mpi_state_begin(int64_t wave, const struct sluice_mpi_place *place,
                            const struct sluice_mpi_bytes *own, struct sluice_mpi_bytes *begin);

/* Returns how many bytes of that come before the regions' bytes. */
size_t sluice_mpi_state_head(void);

/*
 * Writes the image, as far as it differs from the last committed one, if asked for. Returns 0, or a
 * negative errno with a sentence in sluice_message(). A forked child may do this, with `private`
 * memory: no other process writes to it meanwhile.
 */
int sluice_mpi_state_write(int64_t wave, const struct sluice_mpi_bytes *begin, bool private);

/*
 * Reads the image, checks that it fits this program, and restores the memory. `own` gets the
 * layer's state. An image that does not fit ends the job with one line. Returns the protocol that
 * wrote it.
 */
int sluice_mpi_read_state(int64_t wave, const struct sluice_mpi_place *place,
                          struct sluice_mpi_bytes *own);

/*
 * Calls `each` for all of the program's memory in the image, a piece at a time. The regions must be
 * the same.
 */
void sluice_mpi_state_walk(int64_t wave,
                           void (*each)(const struct sluice_mpi_region *region, size_t begin,
                                        const unsigned char *then, size_t length));

/* Ends the job with a line that says why, and how it can go on. */
_Noreturn void sluice_mpi_unreadable(int64_t wave, const char *why);

/* Returns the bytes of a region in the image; 0 where there is none, or it cannot be read. */
size_t sluice_mpi_saved_bytes(int64_t wave, int id);
