#include "datatype.h"

#include <float.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "wrappers/data.h"
#include "wrappers/real.h"

/*
 * The contents of a type, as MPI_Type_get_contents tells. For a type of MPI's own the one integer
 * is its number for Fortran.
 */
struct contents {
    int combiner;
    int integer_count;
    int address_count;
    int type_count;
    int *integers;
    MPI_Aint *addresses;
    MPI_Datatype *types;
};

static void make_room(struct contents *of)
{
    of->integers = calloc(of->integer_count + 1, sizeof *of->integers);
    of->addresses = calloc(of->address_count + 1, sizeof *of->addresses);
    of->types = calloc(of->type_count + 1, sizeof(MPI_Datatype));
    if (of->integers == NULL || of->addresses == NULL || of->types == NULL)
        sluice_mpi_abort("no memory for a datatype of %d parts", of->integer_count);
}

static void end(struct contents *of)
{
    free(of->integers);
    free(of->addresses);
    free(of->types);
}

static int number_of(MPI_Datatype type)
{
#ifdef OPEN_MPI
    return real.Type_c2f(type);
#else
    return (int)type;
#endif
}

static MPI_Datatype numbered(int number)
{
#ifdef OPEN_MPI
    return real.Type_f2c(number);
#else
    return (MPI_Datatype)number;
#endif
}

static void look_at(MPI_Datatype type, struct contents *of)
{
    real.Type_get_envelope(type, &of->integer_count, &of->address_count, &of->type_count,
                           &of->combiner);
    const bool named = of->combiner == MPI_COMBINER_NAMED;
    of->integer_count = named ? 1 : of->integer_count;
    make_room(of);
    if (named) {
        of->integers[0] = number_of(type);
    } else {
        real.Type_get_contents(type, of->integer_count, of->address_count, of->type_count,
                               of->integers, of->addresses, of->types);
    }
}

static bool is_known(int combiner)
{
    static const int known[] = {
        MPI_COMBINER_NAMED,    MPI_COMBINER_DUP,           MPI_COMBINER_CONTIGUOUS,
        MPI_COMBINER_VECTOR,   MPI_COMBINER_HVECTOR,       MPI_COMBINER_INDEXED,
        MPI_COMBINER_HINDEXED, MPI_COMBINER_INDEXED_BLOCK, MPI_COMBINER_HINDEXED_BLOCK,
        MPI_COMBINER_STRUCT,   MPI_COMBINER_SUBARRAY,      MPI_COMBINER_DARRAY,
        MPI_COMBINER_F90_REAL, MPI_COMBINER_F90_COMPLEX,   MPI_COMBINER_F90_INTEGER,
        MPI_COMBINER_RESIZED,
    };
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        found |= known[i] == combiner;
    return found;
}

const char *sluice_mpi_datatype_put(struct sluice_mpi_bytes *bytes, MPI_Datatype type)
{
    struct contents of;
    const char *why = NULL;
    look_at(type, &of);
    sluice_mpi_bytes_put_i32(bytes, of.combiner);
    sluice_mpi_bytes_put_i32(bytes, of.integer_count);
    sluice_mpi_bytes_put_i32(bytes, of.address_count);
    sluice_mpi_bytes_put_i32(bytes, of.type_count);
    sluice_mpi_bytes_put(bytes, of.integers, of.integer_count * sizeof *of.integers);
    sluice_mpi_bytes_put(bytes, of.addresses, of.address_count * sizeof *of.addresses);
    if (!is_known(of.combiner)) {
        why = "a request that is open has a datatype that was made in a way which is unknown here: "
              "complete it before sluice_potential_checkpoint()";
    }
    for (int i = 0; i < of.type_count; i++) {
        if (why == NULL)
            why = sluice_mpi_datatype_put(bytes, of.types[i]);
        sluice_mpi_free_unless_mpis(&of.types[i]);
    }
    end(&of);
    return why;
}

static void combine(const struct contents *of, MPI_Datatype *made)
{
    const int *i = of->integers;
    const MPI_Aint *a = of->addresses;
    const MPI_Datatype *t = of->types;
    switch (of->combiner) {
    case MPI_COMBINER_NAMED:
        *made = numbered(i[0]);
        break;
    case MPI_COMBINER_DUP:
        real.Type_dup(t[0], made);
        break;
    case MPI_COMBINER_CONTIGUOUS:
        real.Type_contiguous(i[0], t[0], made);
        break;
    case MPI_COMBINER_VECTOR:
        real.Type_vector(i[0], i[1], i[2], t[0], made);
        break;
    case MPI_COMBINER_HVECTOR:
        real.Type_create_hvector(i[0], i[1], a[0], t[0], made);
        break;
    case MPI_COMBINER_INDEXED:
        real.Type_indexed(i[0], i + 1, i + 1 + i[0], t[0], made);
        break;
    case MPI_COMBINER_HINDEXED:
        real.Type_create_hindexed(i[0], i + 1, a, t[0], made);
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
        real.Type_create_indexed_block(i[0], i[1], i + 2, t[0], made);
        break;
    case MPI_COMBINER_HINDEXED_BLOCK:
        real.Type_create_hindexed_block(i[0], i[1], a, t[0], made);
        break;
    case MPI_COMBINER_STRUCT:
        real.Type_create_struct(i[0], i + 1, a, t, made);
        break;
    case MPI_COMBINER_SUBARRAY:
        real.Type_create_subarray(i[0], i + 1, i + 1 + i[0], i + 1 + 2 * i[0], i[1 + 3 * i[0]],
                                  t[0], made);
        break;
    case MPI_COMBINER_DARRAY:
        real.Type_create_darray(i[0], i[1], i[2], i + 3, i + 3 + i[2], i + 3 + 2 * i[2],
                                i + 3 + 3 * i[2], i[3 + 4 * i[2]], t[0], made);
        break;
    case MPI_COMBINER_F90_REAL:
        real.Type_create_f90_real(i[0], i[1], made);
        break;
    case MPI_COMBINER_F90_COMPLEX:
        real.Type_create_f90_complex(i[0], i[1], made);
        break;
    case MPI_COMBINER_F90_INTEGER:
        real.Type_create_f90_integer(i[0], made);
        break;
    default:
        real.Type_create_resized(t[0], a[0], a[1], made);
    }
}

/* The types of MPI with a long double. On some machines, 10 of its 16 bytes are its value. */
static const struct padded {
    int parts;
    int lengths[2];
    MPI_Aint places[2];
} padded[] = {
    {1, {10}, {0}},
    {2, {10, 10}, {0, 16}},
    {2, {10, 10}, {0, 16}},
    {2, {10, sizeof(int)}, {0, 16}},
};

/* Returns the padding of a type; NULL where all bytes count. */
static const struct padded *padding_of(MPI_Datatype type)
{
    if (LDBL_MANT_DIG != 64 || sizeof(long double) != 16 || type == MPI_DATATYPE_NULL)
        return NULL;
    const MPI_Datatype types[] = {MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX,
                                  MPI_CXX_LONG_DOUBLE_COMPLEX, MPI_LONG_DOUBLE_INT};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i] == type)
            return &padded[i];
    return NULL;
}

static MPI_Datatype without_padding(const struct padded *one)
{
    MPI_Datatype bytes;
    MPI_Datatype made;
    real.Type_create_hindexed(one->parts, one->lengths, one->places, MPI_BYTE, &bytes);
    real.Type_create_resized(bytes, 0, one->parts * (MPI_Aint)sizeof(long double), &made);
    real.Type_free(&bytes);
    return made;
}

/*
 * Makes a type, not committed. `mpis`: it is MPI's own, and is not freed. `values`: without
 * padding.
 */
static MPI_Datatype make(struct sluice_mpi_reader *reader, bool values, bool *mpis)
{
    struct contents of = {.combiner = sluice_mpi_get_i32(reader),
                          .integer_count = sluice_mpi_get_i32(reader),
                          .address_count = sluice_mpi_get_i32(reader),
                          .type_count = sluice_mpi_get_i32(reader)};
    const void *integers = sluice_mpi_get(reader, of.integer_count * sizeof *of.integers);
    const void *addresses = sluice_mpi_get(reader, of.address_count * sizeof *of.addresses);
    reader->damaged |= !is_known(of.combiner);
    if (reader->damaged)
        return MPI_DATATYPE_NULL;
    make_room(&of);
    memcpy(of.integers, integers, of.integer_count * sizeof *of.integers);
    memcpy(of.addresses, addresses, of.address_count * sizeof *of.addresses);
    bool *kept = calloc(of.type_count + 1, sizeof *kept);
    for (int i = 0; i < of.type_count; i++)
        of.types[i] = make(reader, values, &kept[i]);
    MPI_Datatype made = MPI_DATATYPE_NULL;
    if (!reader->damaged)
        combine(&of, &made);
    for (int i = 0; i < of.type_count; i++)
        if (!kept[i] && of.types[i] != MPI_DATATYPE_NULL)
            real.Type_free(&of.types[i]);
    const struct padded *const one = values ? padding_of(made) : NULL;
    if (one != NULL)
        made = without_padding(one);
    *mpis = sluice_mpi_is_mpis(of.combiner) && one == NULL;
    free(kept);
    end(&of);
    return made;
}

static MPI_Datatype get(struct sluice_mpi_reader *reader, bool values)
{
    bool mpis = false;
    MPI_Datatype made = make(reader, values, &mpis);
    if (made == MPI_DATATYPE_NULL)
        return made;
    if (mpis)
        real.Type_dup(made, &made);
    real.Type_commit(&made);
    return made;
}

MPI_Datatype sluice_mpi_datatype_get(struct sluice_mpi_reader *reader)
{
    return get(reader, false);
}

static bool has_padding(MPI_Datatype type)
{
    if (padding_of(type) != NULL)
        return true;
    struct contents of;
    bool found = false;
    look_at(type, &of);
    for (int i = 0; i < of.type_count; i++) {
        found = found || has_padding(of.types[i]);
        sluice_mpi_free_unless_mpis(&of.types[i]);
    }
    end(&of);
    return found;
}

uint32_t sluice_mpi_datatype_check(const void *buffer, int64_t count, MPI_Datatype type)
{
    if (count <= 0 || type == MPI_DATATYPE_NULL || !has_padding(type))
        return sluice_mpi_check(buffer, count, type);
    struct sluice_mpi_bytes bytes = {0};
    sluice_mpi_datatype_put(&bytes, type);
    struct sluice_mpi_reader reader = {bytes.data, bytes.data + bytes.length, false};
    MPI_Datatype values = get(&reader, true);
    sluice_mpi_bytes_free(&bytes);
    if (values == MPI_DATATYPE_NULL) /* of an unknown kind */
        return sluice_mpi_check(buffer, count, type);
    const uint32_t check = sluice_mpi_check(buffer, count, values);
    real.Type_free(&values);
    return check;
}
