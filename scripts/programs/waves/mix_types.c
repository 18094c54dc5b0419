/* The datatypes of mix: one way to make each kind, and where it puts its numbers. */
#include "mix.h"

/* Of `count` numbers one at each place. */
static void one_by_one(enum shape shape, int count, const int32_t *memory, MPI_Datatype *type)
{
    int *places = malloc((size_t)count * sizeof *places);
    MPI_Aint *bytes = malloc((size_t)count * sizeof *bytes);
    MPI_Aint begin = 0;
    corpus_check(places != NULL && bytes != NULL, "no memory");
    if (shape == ABSOLUTE)
        MPI_Get_address(memory, &begin);
    for (int i = 0; i < count; i++) {
        places[i] = place(shape, count, i);
        bytes[i] = begin + places[i] * (MPI_Aint)sizeof(int32_t);
    }
    if (shape == REVERSED)
        MPI_Type_create_indexed_block(count, 1, places, MPI_INT, type);
    else
        MPI_Type_create_hindexed_block(count, 1, bytes, MPI_INT, type);
    free(places);
    free(bytes);
}

static void of_parts(enum shape shape, int count, MPI_Datatype *type)
{
    const int lengths[2] = {count - count / 2, count / 2};
    const int places[2] = {place(shape, count, 0), place(shape, count, lengths[0])};
    const MPI_Aint bytes[2] = {4 * places[0], 4 * places[1]};
    const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    if (shape == TWO_BLOCKS)
        MPI_Type_indexed(2, lengths, places, MPI_INT, type);
    else
        MPI_Type_create_struct(2, lengths, bytes, types, type);
}

/* The second column of a matrix, or what the second of two processes has of it. */
static void of_array(enum shape shape, int count, MPI_Datatype *type)
{
    const int sizes[2] = {count, 2}, part[2] = {count, 1}, begin[2] = {0, 1};
    const int all = 2 * count, cyclic = MPI_DISTRIBUTE_CYCLIC, one = 1, two = 2;
    if (shape == SUBARRAY)
        MPI_Type_create_subarray(2, sizes, part, begin, MPI_ORDER_C, MPI_INT, type);
    else
        MPI_Type_create_darray(2, 1, 1, &all, &cyclic, &one, &two, MPI_ORDER_C, MPI_INT, type);
}

static void of_other(enum shape shape, int count, MPI_Datatype *type)
{
    MPI_Datatype part;
    if (shape == COPIED)
        MPI_Type_vector(count, 1, 2, MPI_INT, &part);
    else
        MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int32_t), &part);
    if (shape == COPIED)
        MPI_Type_dup(part, type);
    else
        MPI_Type_contiguous(count, part, type);
    MPI_Type_free(&part);
}

MPI_Datatype shaped(enum shape shape, int count, const int32_t *memory)
{
    MPI_Datatype type;
    if (shape == PLAIN || count == 0)
        MPI_Type_contiguous(count, MPI_INT, &type);
    else if (shape == STRIDED)
        MPI_Type_vector(count, 1, 2, MPI_INT, &type);
    else if (shape == OF_BYTES)
        MPI_Type_create_hvector(count, 1, 2 * sizeof(int32_t), MPI_INT, &type);
    else if (shape == REVERSED || shape == REVERSED_BYTES || shape == ABSOLUTE)
        one_by_one(shape, count, memory, &type);
    else if (shape == TWO_BLOCKS || shape == STRUCT)
        of_parts(shape, count, &type);
    else if (shape == SUBARRAY || shape == DARRAY)
        of_array(shape, count, &type);
    else
        of_other(shape, count, &type);
    MPI_Type_commit(&type);
    return type;
}

void *from(enum shape shape, const int32_t *memory)
{
    return shape == ABSOLUTE ? MPI_BOTTOM : (void *)memory;
}

int place(enum shape shape, int count, int i)
{
    const int first = count - count / 2;
    switch (shape) {
    case STRIDED:
    case OF_BYTES:
    case RESIZED:
    case COPIED:
        return 2 * i;
    case SUBARRAY:
    case DARRAY:
        return 2 * i + 1;
    case REVERSED:
    case ABSOLUTE:
        return count - 1 - i;
    case REVERSED_BYTES:
        return 2 * (count - 1 - i);
    case TWO_BLOCKS:
        return i < first ? count / 2 + i : i - first;
    case STRUCT:
        return i < first ? i + 3 : i + 100;
    default:
        return i;
    }
}
