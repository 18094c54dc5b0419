/*
 * Where an element of a datatype lies in memory. MPI tells how a type was made, by some twenty ways of making one;
 * to unpack bytes that say which they are tells where they go, whatever the way.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "real.h"

struct element {
    MPI_Datatype type;
    int size;      /* packed */
    int64_t low;   /* of its memory, from the buffer's address */
    int64_t bytes; /* of its memory */
    unsigned char *packed;
    unsigned char *memory;
};

static void unpack(struct element *of)
{
    int position = 0;
    memset(of->memory, 0, of->bytes);
    real.Unpack(of->packed, of->size, &position, of->memory - of->low, 1, of->type, MPI_COMM_WORLD);
}

/* For each packed byte the place in memory that it goes to. */
static void find_places(struct element *of, uint32_t *places, uint32_t *numbers)
{
    memset(numbers, 0, of->bytes * sizeof *numbers);
    for (int shift = 0; shift < 32 && of->size >> shift != 0; shift += 8) {
        for (int at = 0; at < of->size; at++)
            of->packed[at] = (unsigned char)(at >> shift);
        unpack(of);
        for (int64_t at = 0; at < of->bytes; at++)
            numbers[at] |= (uint32_t)of->memory[at] << shift;
    }
    memset(of->packed, 1, of->size);
    unpack(of);
    for (int64_t at = 0; at < of->bytes; at++)
        if (of->memory[at] != 0)
            places[numbers[at]] = (uint32_t)at;
}

/* Runs of places that follow one another; with NULL only how many. */
static int runs(const struct element *of, const uint32_t *places, struct sluice_mpi_block *blocks)
{
    int count = 0;
    for (int at = 0; at < of->size; at++) {
        const int goes_on = at > 0 && places[at] == places[at - 1] + 1;
        if (blocks != NULL && !goes_on)
            blocks[count] = (struct sluice_mpi_block){of->low + places[at], 0};
        count += !goes_on;
        if (blocks != NULL)
            blocks[count - 1].length++;
    }
    return count;
}

int sluice_mpi_blocks(MPI_Datatype type, struct sluice_mpi_block **blocks, int64_t *extent)
{
    MPI_Count size;
    MPI_Count low;
    MPI_Count bytes;
    real.Type_get_extent_x(type, &low, &bytes);
    *extent = bytes;
    real.Type_size_x(type, &size);
    real.Type_get_true_extent_x(type, &low, &bytes);
    if (size > INT_MAX || bytes > UINT32_MAX) {
        sluice_mpi_abort("a receive is open whose datatype has elements of %lld bytes; "
                         "make them smaller than 2 GiB",
                         (long long)bytes);
    }
    struct element of = {type, (int)size, low, bytes, malloc(size + 1), malloc(bytes + 1)};
    uint32_t *places = malloc((size + 1) * sizeof *places);
    uint32_t *numbers = malloc((bytes + 1) * sizeof *numbers);
    if (of.packed == NULL || of.memory == NULL || places == NULL || numbers == NULL) {
        sluice_mpi_abort("no memory to look at a datatype with elements of %lld bytes",
                         (long long)bytes);
    }
    find_places(&of, places, numbers);
    const int count = runs(&of, places, NULL);
    *blocks = malloc((count + 1) * sizeof **blocks);
    if (*blocks == NULL)
        sluice_mpi_abort("no memory for the %d parts of a datatype", count);
    runs(&of, places, *blocks);
    free(of.packed);
    free(of.memory);
    free(places);
    free(numbers);
    return count;
}

MPI_Datatype sluice_mpi_type_of(const struct sluice_mpi_block *blocks, int count, int64_t extent)
{
    int *lengths = malloc((count + 1) * sizeof *lengths);
    MPI_Aint *offsets = malloc((count + 1) * sizeof *offsets);
    if (lengths == NULL || offsets == NULL)
        sluice_mpi_abort("no memory for the %d parts of a datatype", count);
    for (int at = 0; at < count; at++) {
        lengths[at] = (int)blocks[at].length;
        offsets[at] = blocks[at].offset;
    }
    MPI_Datatype loose;
    MPI_Datatype type;
    real.Type_create_hindexed(count, lengths, offsets, MPI_BYTE, &loose);
    real.Type_create_resized(loose, 0, extent, &type);
    real.Type_commit(&type);
    real.Type_free(&loose);
    free(lengths);
    free(offsets);
    return type;
}
