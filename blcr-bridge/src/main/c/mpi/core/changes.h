/*
 * Which blocks of the protected memory are the same as in the last committed image. `sluice mpi --write` says whether
 * that is asked. The one that writes the image takes the hashes, a forked child too: they lie in shared memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLUICE_MPI_HASH_BLOCK 16384 /* bytes; the last block of a region takes the rest */
#define SLUICE_MPI_HASHED 4096      /* a smaller region is written always */

/* At most so many waves hold the bytes of one image: an unchanged block is written anew by then. */
#define SLUICE_MPI_HOLDERS 8

/* Reads the environment's SLUICE_MPI_WRITE. */
void sluice_mpi_changes_begin(void);

/* The image of a wave is to be written, by this process or a child. */
void sluice_mpi_changes_expect(int64_t wave);

/* Whether its hashes are taken. */
bool sluice_mpi_changes_hashes(void);

/* The committed wave that it may go on from; -1: none. */
int64_t sluice_mpi_changes_base(void);

/* It cannot: that one is gone. */
void sluice_mpi_changes_without_base(void);

/* How many blocks a region has; 0: it is not compared. */
int64_t sluice_mpi_changes_blocks(size_t bytes);

/* Takes the hash of the next block. Whether it has to be written. */
bool sluice_mpi_changes_look(const void *block, size_t length);

/* The next block is zero: it is in no image. */
void sluice_mpi_changes_zero(size_t length);

/* The number of the next block. */
int64_t sluice_mpi_changes_next(void);

/* A block was written. One that a network card has changed meanwhile counts as changed in the next image, too. */
void sluice_mpi_changes_check(int64_t number, const void *block, size_t length);

/* What was written of the image and what was not, in bytes; the nanoseconds that writes took, and all else. */
void sluice_mpi_changes_wrote(int64_t written, int64_t reused, int64_t write_nanos,
                              int64_t hash_nanos);

/* Bytes that the image of the last wave did not have to write; known once it is written. */
int64_t sluice_mpi_changes_reused(void);

/* What became of a wave. One that was given up leaves what was known before it. */
void sluice_mpi_changes_decide(int64_t wave, bool commit);
