/* Datatypes that an image has are made again as they were, however they were made. */
#include "engine_stubs.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/calls.h"
#include "core/datatype.h"
#include "core/handle.h"
#include "wrappers/data.h"
#include "wrappers/request.h"

#define SIZE 4096

static unsigned char memory[SIZE], packed[SIZE], again[SIZE];

static MPI_Datatype make_again(MPI_Datatype type, size_t cut)
{
    struct sluice_mpi_bytes bytes = {0};
    assert_null(sluice_mpi_datatype_put(&bytes, type));
    struct sluice_mpi_reader reader = {bytes.data, bytes.data + bytes.length - cut, false};
    MPI_Datatype made = sluice_mpi_datatype_get(&reader);
    assert_true(cut > 0 ? made == MPI_DATATYPE_NULL && reader.damaged : reader.at == reader.end);
    sluice_mpi_bytes_free(&bytes);
    return made;
}

/* It is packed as before, and lies in memory as before. */
static void comes_again(MPI_Datatype type)
{
    unsigned char *from = memory + SIZE / 2;
    MPI_Aint bounds[2], were[2];
    int position = 0, all = 0;
    MPI_Datatype made = make_again(type, 0);
    MPI_Pack(from, 3, type, packed, SIZE, &position, MPI_COMM_WORLD);
    MPI_Pack(from, 3, made, again, SIZE, &all, MPI_COMM_WORLD);
    assert_int_equal(position, all);
    assert_memory_equal(packed, again, position);
    MPI_Type_get_extent(type, &were[0], &were[1]);
    MPI_Type_get_extent(made, &bounds[0], &bounds[1]);
    assert_memory_equal(bounds, were, sizeof were);
    MPI_Type_free(&made);
    make_again(type, 1);
}

static void ends(MPI_Datatype type)
{
    MPI_Type_commit(&type);
    comes_again(type);
    MPI_Type_free(&type);
}

static void types_of_each_kind_come_again(void **state)
{
    (void)state;
    const int counts[] = {2, 1, 3}, places[] = {9, 0, 4}, sizes[] = {6, 7}, parts[] = {2, 3};
    const int starts[] = {1, 2}, distributions[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
    const int by[] = {2, MPI_DISTRIBUTE_DFLT_DARG}, grid[] = {2, 2};
    const MPI_Aint bytes[] = {40, -16, 100};
    MPI_Datatype mixed[] = {MPI_DOUBLE, MPI_CHAR, MPI_INT}, type;
    comes_again(MPI_INT);
    comes_again(MPI_DOUBLE_INT);
    MPI_Type_dup(MPI_SHORT, &type);
    ends(type);
    MPI_Type_contiguous(7, MPI_SHORT, &type);
    ends(type);
    MPI_Type_vector(5, 2, 3, MPI_INT, &type);
    ends(type);
    MPI_Type_create_hvector(3, 2, 50, MPI_INT, &type);
    ends(type);
    MPI_Type_indexed(3, counts, places, MPI_FLOAT, &type);
    ends(type);
    MPI_Type_create_hindexed(3, counts, bytes, MPI_CHAR, &type);
    ends(type);
    MPI_Type_create_indexed_block(3, 2, places, MPI_SHORT, &type);
    ends(type);
    MPI_Type_create_hindexed_block(3, 4, bytes, MPI_SHORT, &type);
    ends(type);
    MPI_Type_create_struct(3, counts, bytes, mixed, &type);
    ends(type);
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_FLOAT, &type);
    ends(type);
    MPI_Type_create_darray(4, 1, 2, sizes, distributions, by, grid, MPI_ORDER_C, MPI_INT, &type);
    ends(type);
    MPI_Type_create_f90_real(6, MPI_UNDEFINED, &type);
    comes_again(type);
}

static void a_type_of_types_comes_again(void **state)
{
    (void)state;
    MPI_Datatype row, plane, mixed[2] = {MPI_DATATYPE_NULL, MPI_CHAR}, all;
    const int counts[] = {1, 5};
    const MPI_Aint places[] = {0, 300};
    MPI_Type_vector(3, 1, 2, MPI_INT, &row);
    MPI_Type_create_resized(row, -4, 40, &plane);
    MPI_Type_contiguous(4, plane, &mixed[0]);
    MPI_Type_create_struct(2, counts, places, mixed, &all);
    MPI_Type_free(&row);
    MPI_Type_free(&plane);
    MPI_Type_free(&mixed[0]);
    ends(all);
}

/* A column of a large matrix, as a halo has it. */
static void what_a_type_spans_takes_no_memory(void **state)
{
    (void)state;
    MPI_Datatype column;
    struct rusage before, behind;
    MPI_Type_vector(8192, 1, 1 << 20, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    getrusage(RUSAGE_SELF, &before);
    MPI_Datatype made = make_again(column, 0);
    getrusage(RUSAGE_SELF, &behind);
    assert_true(behind.ru_maxrss - before.ru_maxrss < 10000);
    MPI_Type_free(&made);
    MPI_Type_free(&column);
}

static int kept;

static int dup_counted(MPI_Datatype type, MPI_Datatype *made)
{
    kept++;
    return PMPI_Type_dup(type, made);
}

static int free_counted(MPI_Datatype *type)
{
    kept--;
    return PMPI_Type_free(type);
}

/* The program frees a type that requests have. */
static void a_type_that_is_kept_for_a_request_ends_with_it(void **state)
{
    (void)state;
    MPI_Datatype type;
    MPI_Type_contiguous(3, MPI_INT, &type);
    struct sluice_mpi_handle *collective = sluice_mpi_handle(SLUICE_MPI_COLLECTIVE);
    collective->pieces = calloc(2, sizeof *collective->pieces);
    collective->results = 2;
    collective->pieces[0].type = type;
    collective->pieces[1].type = MPI_INT;
    real.Type_dup = dup_counted;
    real.Type_free = free_counted;
    call_type_freed(type);
    assert_int_equal(kept, 1);
    call_type_freed(collective->pieces[0].type);
    assert_int_equal(kept, 1);
    sluice_mpi_handle_end(collective);
    assert_int_equal(kept, 0);
    MPI_Type_free(&type);
}

/* What a program puts on its stack has other bytes behind a long double when it is repeated. */
static void the_padding_of_a_long_double_is_no_value(MPI_Datatype type, int count,
                                                     const int *values)
{
    unsigned char one[64], other[64];
    memcpy(one, memory, sizeof one);
    memcpy(other, memory, sizeof other);
    for (int at = 0; at < 64; at++)
        other[at] ^= values[at / 16] <= at % 16;
    const uint32_t check = sluice_mpi_datatype_check(one, count, type);
    assert_int_equal(sluice_mpi_datatype_check(other, count, type), check);
    for (int at = 0; at < 64; at++) {
        if (values[at / 16] > at % 16) {
            other[at] ^= 1;
            assert_int_not_equal(sluice_mpi_datatype_check(other, count, type), check);
            other[at] ^= 1;
        }
    }
}

static void only_values_are_checked(void **state)
{
    (void)state;
    const int all[4] = {10, 10, 10, 10}, two[4] = {10, 10, 0, 0}, mixed[4] = {10, 4, 10, 4};
    const int padded[4] = {10, 8, 10, 8}, lengths[] = {1, 1};
    const MPI_Aint places[] = {0, 16};
    MPI_Datatype types[] = {MPI_LONG_DOUBLE, MPI_DOUBLE}, type, pair;
    if (LDBL_MANT_DIG != 64 || sizeof(long double) != 16)
        skip();
    the_padding_of_a_long_double_is_no_value(MPI_LONG_DOUBLE, 4, all);
    the_padding_of_a_long_double_is_no_value(MPI_LONG_DOUBLE, 2, two);
    the_padding_of_a_long_double_is_no_value(MPI_C_LONG_DOUBLE_COMPLEX, 2, all);
    the_padding_of_a_long_double_is_no_value(MPI_LONG_DOUBLE_INT, 2, mixed);
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_create_resized(type, 0, 32, &pair);
    MPI_Type_commit(&pair);
    the_padding_of_a_long_double_is_no_value(pair, 2, padded);
    MPI_Type_free(&type);
    MPI_Type_free(&pair);
    MPI_Type_contiguous(4, MPI_INT, &type);
    MPI_Type_commit(&type);
    assert_int_equal(sluice_mpi_datatype_check(memory, 3, type), sluice_mpi_check(memory, 3, type));
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_of_each_kind_come_again),
        cmocka_unit_test(a_type_of_types_comes_again),
        cmocka_unit_test(what_a_type_spans_takes_no_memory),
        cmocka_unit_test(only_values_are_checked),
        cmocka_unit_test(a_type_that_is_kept_for_a_request_ends_with_it),
    };
    MPI_Init(&argc, &argv);
    sluice_mpi_find();
    sluice_mpi_requests_begin();
    for (int at = 0; at < SIZE; at++)
        memory[at] = (unsigned char)(at * 7 + at / 251);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
