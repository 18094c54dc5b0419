/* What wrappers/data.h says about data, at one rank. Says "ok". */
#include "wrappers/data.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wrappers/collective.h"
#include "wrappers/communicator.h"
#include "wrappers/real.h"

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "line %d: not %s\n", __LINE__, #what);                                 \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define SIZE 4096

static unsigned char memory[SIZE], other[SIZE], packed[SIZE], again[SIZE];

static uint32_t by_bits(const unsigned char *data, size_t length)
{
    uint32_t crc = ~0u;
    for (size_t at = 0; at < length; at++) {
        crc ^= data[at];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return ~crc;
}

static void checksums(void)
{
    CHECK(sluice_mpi_crc(0, "123456789", 9) == 0xe3069283u);
    for (size_t length = 0; length < 100; length++) {
        CHECK(sluice_mpi_crc(0, memory + 3, length) == by_bits(memory + 3, length));
        const uint32_t part = sluice_mpi_crc(0, memory + 3, length / 3);
        CHECK(sluice_mpi_crc(part, memory + 3 + length / 3, length - length / 3)
              == by_bits(memory + 3, length));
    }
}

/* All that is said of a type, by what MPI itself packs. */
static void look_at(MPI_Datatype type, int count, bool contiguous)
{
    unsigned char *from = memory + SIZE / 2;
    int size, position = 0;
    MPI_Type_size(type, &size);
    const int bytes = size * count;
    CHECK(sluice_mpi_packed(count, type) == bytes);
    MPI_Pack(from, count, type, packed, SIZE, &position, MPI_COMM_WORLD);
    CHECK(position == bytes);
    CHECK((sluice_mpi_contiguous(from, count, type) != NULL) == contiguous);
    CHECK(!contiguous || memcmp(packed, from, bytes) == 0);
    CHECK(sluice_mpi_pack(from, count, type, again) == MPI_SUCCESS);
    CHECK(memcmp(packed, again, bytes) == 0);
    CHECK(sluice_mpi_check(from, count, type) == by_bits(packed, bytes));

    /* All of it, and as much as a shorter message has. */
    for (int some = 0; some <= bytes; some += some < size + 2 ? 1 : size - 1) {
        memset(other, 0x55, SIZE);
        memset(again, 0x55, SIZE);
        sluice_mpi_unpack(packed, some, other + SIZE / 2, count, type);
        position = 0;
        MPI_Pack(other + SIZE / 2, count, type, again, SIZE, &position, MPI_COMM_WORLD);
        CHECK(memcmp(again, packed, some) == 0);
        for (int at = some; at < bytes; at++)
            CHECK(again[at] == 0x55);
    }

    int64_t low, high;
    sluice_mpi_bounds(count, type, &low, &high);
    memset(other, 0x55, SIZE);
    memset(packed, 0xaa, SIZE);
    sluice_mpi_unpack(packed, bytes, other + SIZE / 2, count, type);
    for (int at = 0; at < SIZE; at++)
        CHECK(other[at] == 0x55 || (at - SIZE / 2 >= low && at - SIZE / 2 < high));
    CHECK(bytes == 0 || (other[SIZE / 2 + low] == 0xaa && other[SIZE / 2 + high - 1] == 0xaa));
}

static void types(void)
{
    MPI_Datatype type, inner;
    look_at(MPI_INT, 10, true);
    look_at(MPI_BYTE, 0, true);
    look_at(MPI_DOUBLE_INT, 5, false);
    look_at(MPI_FLOAT_INT, 5, true);
    MPI_Type_contiguous(7, MPI_SHORT, &type);
    MPI_Type_commit(&type);
    look_at(type, 3, true);
    MPI_Type_free(&type);
    MPI_Type_vector(5, 2, 3, MPI_INT, &type);
    MPI_Type_commit(&type);
    look_at(type, 1, false);
    look_at(type, 4, false);
    MPI_Type_create_resized(type, -4, 100, &inner);
    MPI_Type_commit(&inner);
    look_at(inner, 4, false);
    MPI_Type_free(&inner);
    MPI_Type_free(&type);

    /* Without gaps, but what is packed first lies last. */
    const int lengths[2] = {1, 1};
    const MPI_Aint turned[2] = {4, 0};
    MPI_Type_create_hindexed(2, lengths, turned, MPI_INT, &type);
    MPI_Type_commit(&type);
    look_at(type, 3, false);
    MPI_Type_contiguous(2, type, &inner);
    MPI_Type_commit(&inner);
    look_at(inner, 3, false);
    MPI_Type_free(&inner);
    MPI_Type_free(&type);

    const MPI_Aint below[2] = {-16, 30};
    const MPI_Datatype mixed[2] = {MPI_DOUBLE, MPI_CHAR};
    MPI_Type_create_struct(2, lengths, below, mixed, &type);
    MPI_Type_commit(&type);
    look_at(type, 3, false);
    MPI_Type_free(&type);
}

/* Places of a type may be addresses: MPI_BOTTOM is its buffer. */
static void bottom(void)
{
    const int lengths[2] = {3, 5};
    MPI_Aint addresses[2];
    MPI_Datatype type, inner;
    MPI_Get_address(memory + 40, &addresses[0]);
    MPI_Get_address(memory + 10, &addresses[1]);
    MPI_Type_create_hindexed(2, lengths, addresses, MPI_BYTE, &inner);
    MPI_Type_create_resized(inner, 0, 100, &type);
    MPI_Type_commit(&type);
    for (int at = 0; at < 16; at++)
        packed[at] = memory[at / 8 * 100 + (at % 8 < 3 ? 40 : 10 - 3) + at % 8];
    CHECK(sluice_mpi_pack(MPI_BOTTOM, 2, type, again) == MPI_SUCCESS);
    CHECK(memcmp(packed, again, 16) == 0);
    CHECK(sluice_mpi_check(MPI_BOTTOM, 2, type) == by_bits(packed, 16));
    memset(again, 0x55, 12);
    CHECK(sluice_mpi_unpack(again, 12, MPI_BOTTOM, 2, type) == MPI_SUCCESS);
    CHECK(memory[12] == 0x55 && memory[140] == 0x55 && memory[110] == 0x55);
    CHECK(memory[111] == packed[12] && memory[13] == 0x55 && memory[43] != 0x55);
    CHECK(sluice_mpi_unpack(packed, 4, MPI_BOTTOM, 2, type) == MPI_SUCCESS);
    CHECK(memory[40] == packed[0] && memory[10] == packed[3] && memory[11] == 0x55);
    MPI_Type_free(&type);
    MPI_Type_free(&inner);
}

/* More than is counted by an int is packed in another way. */
static void large(void)
{
    MPI_Datatype type;
    sluice_mpi_most_bytes = 10;
    MPI_Type_vector(40, 2, 3, MPI_INT, &type);
    MPI_Type_commit(&type);
    look_at(type, 3, false);
    MPI_Type_free(&type);
    bottom();
    sluice_mpi_most_bytes = INT_MAX;
}

/* 2200 times the same block, so that little memory has much data. */
static void huge(void)
{
    enum { TIMES = 2200, BLOCK = 1 << 20 };
    unsigned char *block = malloc(BLOCK);
    MPI_Datatype part, type;
    for (int at = 0; at < BLOCK; at++)
        block[at] = (unsigned char)(at * 7 + at / 251);
    MPI_Type_contiguous(BLOCK, MPI_BYTE, &part);
    MPI_Type_create_hvector(TIMES, 1, 0, part, &type);
    MPI_Type_commit(&type);
    uint32_t crc = 0;
    for (int at = 0; at < TIMES; at++)
        crc = sluice_mpi_crc(crc, block, BLOCK);
    CHECK(sluice_mpi_check(block, 1, type) == crc);
    MPI_Type_free(&type);
    MPI_Type_free(&part);
    free(block);
}

static void pieces(void)
{
    struct sluice_mpi_piece some[4];
    const int counts[1] = {3}, displs[1] = {2};
    int data[8], result[8];
    struct sluice_mpi_collective one = {.name = "MPI_Gatherv",
                                        .flow = SLUICE_MPI_TO_ROOT,
                                        .in = SLUICE_MPI_ONE,
                                        .out = SLUICE_MPI_VECTOR,
                                        .comm = MPI_COMM_WORLD,
                                        .sendbuf = MPI_IN_PLACE,
                                        .recvbuf = result,
                                        .recvtype = MPI_INT,
                                        .recvcounts = counts,
                                        .rdispls = displs};
    CHECK(sluice_mpi_inputs(&one, some, 4) == 1 && some[0].buffer == result + 2);
    one.sendbuf = data;
    one.sendcount = 3;
    one.sendtype = MPI_INT;
    CHECK(sluice_mpi_inputs(&one, some, 4) == 1 && some[0].buffer == data && some[0].count == 3);
    CHECK(sluice_mpi_outputs(&one, NULL, 0) == 1);
    CHECK(sluice_mpi_outputs(&one, some, 4) == 1 && some[0].buffer == result + 2);
    one.root = 1;
    CHECK(sluice_mpi_outputs(&one, some, 4) == 0);
    one.in = SLUICE_MPI_BUFFER;
    one.out = SLUICE_MPI_BUFFER;
    one.flow = SLUICE_MPI_FROM_ROOT;
    CHECK(sluice_mpi_inputs(&one, some, 4) == 0 && sluice_mpi_outputs(&one, some, 4) == 1);
    one.root = 0;
    CHECK(sluice_mpi_inputs(&one, some, 4) == 1 && sluice_mpi_outputs(&one, some, 4) == 0);
    one.flow = SLUICE_MPI_FROM_BELOW;
    one.in = SLUICE_MPI_REDUCED;
    one.out = SLUICE_MPI_ABOVE;
    CHECK(sluice_mpi_inputs(&one, some, 4) == 1 && sluice_mpi_outputs(&one, some, 4) == 0);
    one.out = SLUICE_MPI_REDUCED;
    CHECK(sluice_mpi_outputs(&one, some, 4) == 1);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    sluice_mpi_find();
    sluice_mpi_comms_begin();
    for (int at = 0; at < SIZE; at++)
        memory[at] = (unsigned char)(at * 7 + at / 251);
    checksums();
    types();
    bottom();
    large();
    huge();
    pieces();
    MPI_Finalize();
    puts("ok");
    return 0;
}
