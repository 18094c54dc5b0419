#include "data.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "real.h"

/* The bytes packed at a time to examine data. */
#define LOOK 65536

bool sluice_mpi_is_mpis(int combiner)
{
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL
        || combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

void sluice_mpi_free_unless_mpis(MPI_Datatype *type)
{
    int some[3];
    int combiner;
    real.Type_get_envelope(*type, some, some + 1, some + 2, &combiner);
    if (!sluice_mpi_is_mpis(combiner))
        real.Type_free(type);
}

int64_t sluice_mpi_packed(int64_t count, MPI_Datatype type)
{
    MPI_Count size = 0; /* stays 0 for what is no type */
    real.Type_size_x(type, &size);
    return count * (int64_t)size;
}

/* Returns whether one element is its packed bytes, except for their order. */
static bool is_dense(MPI_Datatype type)
{
    MPI_Count size;
    MPI_Count low;
    MPI_Count extent;
    real.Type_size_x(type, &size);
    real.Type_get_extent_x(type, &low, &extent);
    if (low != 0 || extent != size)
        return false;
    real.Type_get_true_extent_x(type, &low, &extent);
    return low == 0 && extent == size;
}

static bool is_in_order(MPI_Datatype type);

/* Returns whether a type made of one other is in order: a dense one repeats it without gaps. */
static bool is_made_of_ordered(MPI_Datatype type, int integers, int addresses, int types)
{
    int *some = malloc((integers + 1) * sizeof *some);
    MPI_Aint *others = malloc((addresses + 1) * sizeof *others);
    MPI_Datatype inner = MPI_DATATYPE_NULL;
    bool ordered = false;
    if (some != NULL && others != NULL && types == 1) {
        real.Type_get_contents(type, integers, addresses, types, some, others, &inner);
        ordered = is_in_order(inner);
        sluice_mpi_free_unless_mpis(&inner);
    }
    free(some);
    free(others);
    return ordered;
}

/* Returns whether the type is dense, with its bytes in packing order. */
static bool is_in_order(MPI_Datatype type)
{
    int integers;
    int addresses;
    int types;
    int kind;
    real.Type_get_envelope(type, &integers, &addresses, &types, &kind);
    if (!is_dense(type))
        return false;
    switch (kind) {
    case MPI_COMBINER_NAMED:
        return true;
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_CONTIGUOUS:
        return is_made_of_ordered(type, integers, addresses, types);
    default:
        return false;
    }
}

const void *sluice_mpi_contiguous(const void *buffer, int64_t count, MPI_Datatype type)
{
    return count == 0 || is_in_order(type) ? buffer : NULL;
}

/* Returns how many elements one call can pack. */
static int64_t some_of(int64_t left, int64_t size, int64_t most)
{
    const int64_t some = size == 0 ? left : size > most ? 1 : most / size;
    return some < left ? some : left;
}

static int64_t extent_of(MPI_Datatype type)
{
    MPI_Count low;
    MPI_Count extent;
    real.Type_get_extent_x(type, &low, &extent);
    return extent;
}

#if MPI_VERSION >= 4

static int pack_at(const void *buffer, int count, MPI_Datatype type, void *packed, int64_t bytes)
{
    MPI_Count position = 0;
    return real.Pack_c(buffer, count, type, packed, bytes, &position, MPI_COMM_WORLD);
}

static int unpack_at(const void *packed, int64_t bytes, void *buffer, int count, MPI_Datatype type)
{
    MPI_Count position = 0;
    return real.Unpack_c(packed, bytes, &position, buffer, count, type, MPI_COMM_WORLD);
}

#else

/*
 * Packs by a message to this rank itself. An element may have more bytes than the int of MPI_Pack,
 * and a message has no such limit. No receive of the program can take the message.
 */
static int send_to_itself(const void *from, int count, MPI_Datatype type, void *to, int room,
                          MPI_Datatype room_type)
{
    static MPI_Comm itself;
    static bool made;
    if (!made)
        real.Comm_split(MPI_COMM_SELF, 0, 0, &itself); /* copies no attributes */
    made = true;
    return real.Sendrecv(from, count, type, 0, 0, to, room, room_type, 0, 0, itself,
                         MPI_STATUS_IGNORE);
}

static int pack_at(const void *buffer, int count, MPI_Datatype type, void *packed, int64_t bytes)
{
    int position = 0;
    if (bytes <= sluice_mpi_most_bytes)
        return real.Pack(buffer, count, type, packed, (int)bytes, &position, MPI_COMM_WORLD);
    int whole;
    MPI_Datatype whole_type = sluice_mpi_bytes_type(bytes, &whole);
    const int result = send_to_itself(buffer, count, type, packed, whole, whole_type);
    sluice_mpi_bytes_type_end(whole_type);
    return result;
}

static int unpack_at(const void *packed, int64_t bytes, void *buffer, int count, MPI_Datatype type)
{
    int position = 0;
    if (bytes <= sluice_mpi_most_bytes)
        return real.Unpack(packed, (int)bytes, &position, buffer, count, type, MPI_COMM_WORLD);
    int whole;
    MPI_Datatype whole_type = sluice_mpi_bytes_type(bytes, &whole);
    const int result = send_to_itself(packed, whole, whole_type, buffer, count, type);
    sluice_mpi_bytes_type_end(whole_type);
    return result;
}

#endif

/*
 * Returns a type of which one element is all that lies at MPI_BOTTOM, seen from the address AWAY.
 * MPICH refuses to pack from MPI_BOTTOM, which is no address, and to unpack to it. The caller frees
 * the type.
 */
#define AWAY 4096

static MPI_Datatype type_away(MPI_Datatype type, int count)
{
    MPI_Datatype moved;
    real.Type_create_hindexed(1, &count, &(MPI_Aint){-AWAY}, type, &moved);
    real.Type_commit(&moved);
    return moved;
}

static int pack(const void *buffer, int count, MPI_Datatype type, void *packed, int64_t bytes)
{
    if (buffer != MPI_BOTTOM)
        return pack_at(buffer, count, type, packed, bytes);
    MPI_Datatype moved = type_away(type, count);
    const int result = pack_at((char *)MPI_BOTTOM + AWAY, 1, moved, packed, bytes);
    real.Type_free(&moved);
    return result;
}

static int unpack(const void *packed, int64_t bytes, void *buffer, int count, MPI_Datatype type)
{
    if (buffer != MPI_BOTTOM)
        return unpack_at(packed, bytes, buffer, count, type);
    MPI_Datatype moved = type_away(type, count);
    const int result = unpack_at(packed, bytes, (char *)MPI_BOTTOM + AWAY, 1, moved);
    real.Type_free(&moved);
    return result;
}

int sluice_mpi_pack(const void *buffer, int64_t count, MPI_Datatype type, void *packed)
{
    const int64_t size = sluice_mpi_packed(1, type);
    if (sluice_mpi_contiguous(buffer, count, type) != NULL) {
        memcpy(packed, buffer, count * size);
        return MPI_SUCCESS;
    }
    const int64_t extent = extent_of(type);
    const char *from = buffer;
    char *to = packed;
    for (int64_t left = count; left > 0 && size > 0;) {
        const int64_t some = some_of(left, size, INT_MAX / 2);
        const int result = pack(from, (int)some, type, to, some * size);
        if (result != MPI_SUCCESS)
            return result;
        from += some * extent;
        to += some * size;
        left -= some;
    }
    return MPI_SUCCESS;
}

/* Unpacks the last element, of which only the first bytes came. */
static int unpack_part(const char *packed, int64_t bytes, char *buffer, MPI_Datatype type)
{
    const int64_t size = sluice_mpi_packed(1, type);
    char *whole = malloc(size);
    if (whole == NULL)
        return MPI_ERR_NO_MEM;
    int result = pack(buffer, 1, type, whole, size);
    memcpy(whole, packed, bytes);
    if (result == MPI_SUCCESS)
        result = unpack(whole, size, buffer, 1, type);
    free(whole);
    return result;
}

int sluice_mpi_unpack(const void *packed, int64_t bytes, void *buffer, int64_t count,
                      MPI_Datatype type)
{
    const int64_t size = sluice_mpi_packed(1, type);
    if (bytes > count * size)
        bytes = count * size;
    if (sluice_mpi_contiguous(buffer, count, type) != NULL) {
        memcpy(buffer, packed, bytes);
        return MPI_SUCCESS;
    }
    const int64_t extent = extent_of(type);
    const char *from = packed;
    char *to = buffer;
    while (size > 0 && bytes >= size) {
        const int64_t some = some_of(bytes / size, size, INT_MAX / 2);
        const int result = unpack(from, some * size, to, (int)some, type);
        if (result != MPI_SUCCESS)
            return result;
        from += some * size;
        to += some * extent;
        bytes -= some * size;
    }
    return bytes > 0 ? unpack_part(from, bytes, to, type) : MPI_SUCCESS;
}

uint32_t sluice_mpi_check(const void *buffer, int64_t count, MPI_Datatype type)
{
    if (count <= 0 || type == MPI_DATATYPE_NULL) /* MPI refuses it */
        return 0;
    const int64_t size = sluice_mpi_packed(1, type);
    if (sluice_mpi_contiguous(buffer, count, type) != NULL)
        return sluice_mpi_crc(0, buffer, count * size);
    const int64_t extent = extent_of(type);
    char *packed = malloc(size > LOOK ? size : LOOK);
    if (packed == NULL) {
        sluice_mpi_abort("no memory to look at a message whose elements have %lld bytes",
                         (long long)size);
    }
    uint32_t crc = 0;
    const char *from = buffer;
    for (int64_t left = count; left > 0 && size > 0;) {
        const int64_t some = some_of(left, size, LOOK);
        sluice_mpi_pack(from, some, type, packed);
        crc = sluice_mpi_crc(crc, packed, some * size);
        from += some * extent;
        left -= some;
    }
    free(packed);
    return crc;
}

void sluice_mpi_bounds(int64_t count, MPI_Datatype type, int64_t *low, int64_t *high)
{
    MPI_Count first;
    MPI_Count extent;
    real.Type_get_true_extent_x(type, &first, &extent);
    const int64_t rest = count > 0 ? (count - 1) * extent_of(type) : 0;
    *low = first + (rest < 0 ? rest : 0);
    *high = first + (count > 0 ? extent : 0) + (rest > 0 ? rest : 0);
}

int64_t sluice_mpi_most_bytes = INT_MAX;

int64_t sluice_mpi_bytes_of(const MPI_Status *status)
{
    MPI_Count bytes = 0;
    real.Get_elements_x(status, MPI_BYTE, &bytes);
    return bytes > 0 ? bytes : 0; /* MPI_UNDEFINED is negative */
}

void sluice_mpi_empty_status(MPI_Status *status)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
    real.Status_set_elements(status, MPI_BYTE, 0);
    real.Status_set_cancelled(status, 0);
}

void sluice_mpi_set_bytes(MPI_Status *status, int64_t bytes)
{
    real.Status_set_elements_x(status, MPI_BYTE, bytes);
}

MPI_Datatype sluice_mpi_bytes_type(int64_t bytes, int *count)
{
    if (bytes <= sluice_mpi_most_bytes) {
        *count = (int)bytes;
        return MPI_BYTE;
    }
    const int64_t part = sluice_mpi_most_bytes / 2 + 1;
    const int parts = (int)((bytes + part - 1) / part);
    int *lengths = malloc(parts * sizeof *lengths);
    MPI_Aint *offsets = malloc(parts * sizeof *offsets);
    if (lengths == NULL || offsets == NULL)
        sluice_mpi_abort("no memory for a message of %lld bytes", (long long)bytes);
    for (int at = 0; at < parts; at++) {
        offsets[at] = at * part;
        lengths[at] = (int)(at + 1 < parts ? part : bytes - at * part);
    }
    MPI_Datatype type;
    real.Type_create_hindexed(parts, lengths, offsets, MPI_BYTE, &type);
    real.Type_commit(&type);
    free(lengths);
    free(offsets);
    *count = 1;
    return type;
}

void sluice_mpi_bytes_type_end(MPI_Datatype type)
{
    if (type != MPI_BYTE)
        real.Type_free(&type);
}
