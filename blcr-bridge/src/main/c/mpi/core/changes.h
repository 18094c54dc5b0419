/*
 * The blocks of the protected memory that are the same as in the last committed image. `sluice mpi
 * --write` tells if they are looked for. The process that writes the image takes the hashes, in
 * shared memory since it may be a forked child.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLUICE_MPI_HASH_BLOCK 16384 /* bytes; the last block of a region takes the rest */
#define SLUICE_MPI_HASHED 4096      /* a smaller region is always written */

/* The most waves that hold the bytes of one image: an unchanged block is written again by then. */
#define SLUICE_MPI_HOLDERS 8

/* Reads SLUICE_MPI_WRITE of the environment. */
void sluice_mpi_changes_begin(void);

/* Prepares for the image of a wave, written by this process or a child. */
void sluice_mpi_changes_expect(int64_t wave);

/* Returns whether hashes of the image are taken. */
bool sluice_mpi_changes_hashes(void);

/* Returns the committed wave whose unchanged blocks the image may leave out; -1: none. */
int64_t sluice_mpi_changes_base(void);

/* Notes that the base wave is gone: all blocks are written. */
void sluice_mpi_changes_without_base(void);

/* Returns the number of blocks of a region; 0: it is not compared. */
int64_t sluice_mpi_changes_blocks(size_t bytes);

/* Takes the hash of the next block. Returns whether it has to be written. */
bool sluice_mpi_changes_look(const void *block, size_t length);

/* Notes that the next block is zero: it is in no image. */
void sluice_mpi_changes_zero(size_t length);

/* Returns the number of the next block. */
int64_t sluice_mpi_changes_next(void);

/*
 * Checks a block after it was written. A block that a network card has changed meanwhile counts as
 * changed in the next image, too.
 */
void sluice_mpi_changes_check(int64_t number, const void *block, size_t length);

/*
 * Notes the bytes of the image written and reused, and the nanoseconds for writes and for the rest.
 */
void sluice_mpi_changes_wrote(int64_t written, int64_t reused, int64_t write_nanos,
                              int64_t hash_nanos);

/* Returns the bytes that the last wave's image reused; known once it is written. */
int64_t sluice_mpi_changes_reused(void);

/* Decides about a wave. A wave that was given up leaves the former knowledge. */
void sluice_mpi_changes_decide(int64_t wave, bool commit);
