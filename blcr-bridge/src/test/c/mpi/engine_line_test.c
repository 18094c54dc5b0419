/* Counts begin anew at the line of a committed wave, at both ends of each stream. */
#include "engine_stubs.h"

#include <string.h>

#include "core/handle.h"
#include "core/layer.h"
#include "core/line.h"
#include "core/stream.h"
#include "wrappers/request.h"

static struct sluice_mpi_count *of(struct sluice_mpi_counts *counts, int tag)
{
    return sluice_mpi_counts_find(counts, 0, 0, 0, tag);
}

static int64_t count(const struct sluice_mpi_counts *counts, int tag)
{
    return sluice_mpi_counts_get(counts, &(struct sluice_mpi_stream){0, 0, 0, tag, 0});
}

/* Tag 1 has 2 early messages, tag 2 is late up to number 6, tag 3 neither. */
static void expect(void)
{
    struct sluice_mpi_bytes bytes = {0};
    struct sluice_mpi_counts late = {0};
    struct sluice_mpi_counts early = {0};
    of(&early, 1)->count = 2;
    of(&late, 2)->count = 6;
    sluice_mpi_counts_put(&bytes, &late);
    sluice_mpi_bytes_put_i64(&bytes, 0);
    sluice_mpi_counts_put(&bytes, &early);
    struct sluice_mpi_reader reader = {bytes.data, bytes.data + bytes.length, false};
    sluice_mpi_line_expect(&reader);
    assert_true(!reader.damaged && reader.at == reader.end);
    sluice_mpi_counts_clear(&late);
    sluice_mpi_counts_clear(&early);
    sluice_mpi_bytes_free(&bytes);
}

/* A line, and what is sent and received behind it. */
static int set_up(void **state)
{
    (void)state;
    sluice_mpi_counts_clear(&sluice_mpi.sent);
    sluice_mpi_counts_clear(&sluice_mpi.got);
    of(&sluice_mpi.sent, 1)->count = 5;
    of(&sluice_mpi.sent, 2)->count = 2;
    of(&sluice_mpi.got, 1)->count = 7;
    of(&sluice_mpi.got, 2)->count = 4;
    of(&sluice_mpi.got, 3)->count = 3;
    of(&sluice_mpi.got, 3)->posted = 20;
    sluice_mpi_line_taken(1);
    of(&sluice_mpi.sent, 1)->count = 9;
    of(&sluice_mpi.sent, 4)->count = 1;
    of(&sluice_mpi.got, 1)->count = 8;
    of(&sluice_mpi.got, 2)->count = 7;
    return 0;
}

static void streams_count_from_the_line_on_and_unused_ones_are_forgotten(void **state)
{
    (void)state;
    expect();
    sluice_mpi_line_committed(1);
    assert_int_equal(count(&sluice_mpi.sent, 1), 4);
    assert_int_equal(count(&sluice_mpi.sent, 4), 1);
    assert_int_equal(sluice_mpi.sent.used, 2);
    assert_int_equal(count(&sluice_mpi.got, 1), 3);
    assert_int_equal(count(&sluice_mpi.got, 2), 1);
    assert_int_equal(sluice_mpi.got.used, 2);
    sluice_mpi_line_committed(1);
    assert_int_equal(count(&sluice_mpi.sent, 1), 4);
}

static void a_wave_that_this_rank_took_no_line_of_changes_nothing(void **state)
{
    (void)state;
    sluice_mpi_line_committed(1);
    expect();
    sluice_mpi_line_committed(2);
    assert_int_equal(count(&sluice_mpi.sent, 1), 9);
    assert_int_equal(count(&sluice_mpi.got, 2), 7);
}

/* It may have an earlier message: the next line must see that it was overtaken. */
static void a_stream_is_kept_for_an_open_receive_that_was_posted_before(void **state)
{
    (void)state;
    static int world[1];
    static struct sluice_mpi_comm comm = {.world = world, .size = 1};
    struct sluice_mpi_handle *open = sluice_mpi_handle(SLUICE_MPI_RECEIVE);
    open->posted = 19;
    expect();
    sluice_mpi_line_committed(1);
    assert_int_equal(sluice_mpi.got.used, 3);
    assert_true(sluice_mpi_is_overtaken(&comm, 0, 3, 19));
    sluice_mpi_handle_end(open);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    sluice_mpi_find();
    sluice_mpi_requests_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(streams_count_from_the_line_on_and_unused_ones_are_forgotten,
                               set_up),
        cmocka_unit_test_setup(a_wave_that_this_rank_took_no_line_of_changes_nothing, set_up),
        cmocka_unit_test_setup(a_stream_is_kept_for_an_open_receive_that_was_posted_before, set_up),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
