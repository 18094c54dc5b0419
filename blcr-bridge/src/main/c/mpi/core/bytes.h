/* Bytes that grow, and bytes that are read: little-endian, as in images and messages. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing array of bytes; begins with zeros. Without memory the job ends. */
struct sluice_mpi_bytes {
    unsigned char *data;
    size_t length;
    size_t capacity;
};

void sluice_mpi_bytes_put(struct sluice_mpi_bytes *bytes, const void *data, size_t length);
void sluice_mpi_bytes_put_i32(struct sluice_mpi_bytes *bytes, int32_t value);
void sluice_mpi_bytes_put_i64(struct sluice_mpi_bytes *bytes, int64_t value);

/* Returns room for `length` bytes at the end, which the caller fills. */
unsigned char *sluice_mpi_bytes_room(struct sluice_mpi_bytes *bytes, size_t length);
void sluice_mpi_bytes_free(struct sluice_mpi_bytes *bytes);

/* A reader, which reads on from `at`. Behind the end everything is 0, and `damaged` is set. */
struct sluice_mpi_reader {
    const unsigned char *at;
    const unsigned char *end;
    bool damaged;
};

int32_t sluice_mpi_get_i32(struct sluice_mpi_reader *reader);
int64_t sluice_mpi_get_i64(struct sluice_mpi_reader *reader);

/* Reads a count of things of at least `least` bytes each; 0 where there cannot be as many. */
int64_t sluice_mpi_get_count(struct sluice_mpi_reader *reader, size_t least);

/* Returns the next `length` bytes, in place; NULL where there are fewer. */
const void *sluice_mpi_get(struct sluice_mpi_reader *reader, size_t length);
