/* How much a rank keeps of what it receives behind its line. */
#include "engine_stubs.h"

#include <malloc.h>
#include <stdlib.h>

#include "engine/calls.h"
#include "engine/control.h"
#include "engine/protocol.h"
#include "engine/record.h"
#include "engine/state.h"
#include "engine/stream.h"
#include "wrappers/data.h"
#include "wrappers/request.h"

#define LARGE (1 << 20) /* bytes of a message: memory of its own */

static unsigned char data[LARGE];
static struct sluice_mpi_comm comm;
static const struct sluice_mpi_stream stream = {0, 0, 0, 7, 0};

static size_t kept(void)
{
    return mallinfo2().hblkhd;
}

static void receive(int64_t name, int64_t room)
{
    MPI_Status status;
    sluice_mpi_empty_status(&status);
    sluice_mpi_set_bytes(&status, LARGE);
    sluice_mpi_record_data(name, data, room, MPI_BYTE, &status);
}

static void is_numbered(int64_t name, int64_t number)
{
    sluice_mpi_record_taken(name, &(struct sluice_mpi_message){stream, number});
}

static void a_receive_with_room_for_more_keeps_what_came(void **state)
{
    (void)state;
    sluice_mpi_record_begin();
    const size_t before = kept();
    receive(1, INT64_C(1) << 34);
    assert_in_range(kept() - before, LARGE, 2 * LARGE);
    sluice_mpi_record_end();
}

static void what_is_not_late_is_dropped_once_that_is_known(void **state)
{
    (void)state;
    const struct sluice_mpi_piece piece = {data, LARGE, MPI_BYTE, false};
    sluice_mpi_record_begin();
    const size_t before = kept();
    for (int name = 1; name <= 10; name++)
        receive(name, LARGE);
    for (int name = 1; name <= 8; name++)
        is_numbered(name, name);
    sluice_mpi_record_result(0, 1, &piece, 1);
    sluice_mpi_record_result(0, 2, &piece, 1);
    assert_in_range(kept() - before, 12 * LARGE, 18 * LARGE);
    expect_late(&stream, 3, 1); /* two have no number yet */
    assert_in_range(kept() - before, 6 * LARGE, 8 * LARGE);
    is_numbered(9, 9);
    is_numbered(10, 10);
    sluice_mpi_record_result(0, 3, &piece, 1);
    assert_in_range(kept() - before, 4 * LARGE, 6 * LARGE);
    sluice_mpi_record_end();
}

static void begin_wave(int64_t wave)
{
    const int protocol = SLUICE_CONTROL_C3;
    const struct sluice_mpi_place place = {NULL, protocol};
    sluice_mpi_order(SLUICE_CONTROL_PLEASE, wave, &protocol, sizeof protocol);
    sluice_mpi_protocol->spot(&place);
    assert_true(sluice_mpi_recording);
}

static void end_wave(int64_t wave)
{
    sluice_mpi_order(SLUICE_CONTROL_GIVE_UP, wave, NULL, 0);
    assert_false(sluice_mpi_recording);
}

/* A receive that never was would have all later ones of its stream wait for a number. */
static void what_mpi_refuses_is_not_recorded(void **state)
{
    (void)state;
    const struct sluice_mpi_stream own = {5, 0, 0, 8, 0};
    MPI_Datatype uncommitted;
    MPI_Request request;
    int number = 0;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(1, MPI_INT, &uncommitted);
    begin_wave(1);
    assert_int_not_equal(call_irecv(&number, 1, uncommitted, 0, 8, MPI_COMM_SELF, &request),
                         MPI_SUCCESS);
    assert_int_not_equal(call_recv(&number, 1, uncommitted, 0, 8, MPI_COMM_SELF, MPI_STATUS_IGNORE),
                         MPI_SUCCESS);
    assert_int_not_equal(
        call_send(SLUICE_MPI_STANDARD, &number, 1, uncommitted, 0, 8, MPI_COMM_SELF), MPI_SUCCESS);
    assert_int_equal(sluice_mpi_record_events(), 0);
    assert_int_equal(sluice_mpi_numbering_next(&own), 1);
    assert_int_equal(sluice_mpi_counts_get(&sluice_mpi_sent, &own), 0);
    end_wave(1);
    MPI_Type_free(&uncommitted);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

/* Whether there is room for it no other call of MPI tells. */
static void a_buffered_send_without_room_gives_the_wave_up(void **state)
{
    (void)state;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    begin_wave(2);
    assert_int_not_equal(call_send(SLUICE_MPI_BUFFERED, data, LARGE, MPI_BYTE, 0, 8, MPI_COMM_SELF),
                         MPI_SUCCESS);
    assert_false(sluice_mpi_recording);
    assert_int_equal(sluice_mpi_wave, 0);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

static int refuse(const struct sluice_mpi_collective *self, MPI_Request *request)
{
    (void)self, (void)request;
    return MPI_ERR_ROOT;
}

/* The next one has the same number: if that one straddles, a recovery would answer this one from the record. */
static void a_collective_that_mpi_refuses_gives_the_wave_up(void **state)
{
    (void)state;
    const struct sluice_mpi_collective barrier = {
        .name = "MPI_Barrier", .comm = MPI_COMM_SELF, .root = -1, .forward = refuse};
    MPI_Request request;
    begin_wave(4);
    assert_int_equal(call_collective(&barrier, NULL), MPI_ERR_ROOT);
    assert_false(sluice_mpi_recording);
    begin_wave(5);
    assert_int_equal(call_collective(&barrier, &request), MPI_ERR_ROOT);
    assert_false(sluice_mpi_recording);
    assert_int_equal(comm.collectives, 0);
}

static void too_much_gives_the_wave_up(void **state)
{
    (void)state;
    begin_wave(3);
    const size_t before = kept();
    for (int name = 1; name <= 256; name++)
        receive(name, LARGE);
    assert_true(sluice_mpi_recording);
    receive(257, LARGE);
    assert_false(sluice_mpi_recording);
    assert_int_equal(sluice_mpi_wave, 0);
    assert_true(kept() - before < LARGE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    sluice_mpi_find();
    sluice_mpi_requests_begin();
    sluice_mpi_comms_begin();
    sluice_mpi_comms = NULL;
    have_communicator(&comm, 5, 0);
    mallopt(M_MMAP_THRESHOLD, LARGE / 2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_receive_with_room_for_more_keeps_what_came),
        cmocka_unit_test(what_is_not_late_is_dropped_once_that_is_known),
        cmocka_unit_test(what_mpi_refuses_is_not_recorded),
        cmocka_unit_test(a_buffered_send_without_room_gives_the_wave_up),
        cmocka_unit_test(a_collective_that_mpi_refuses_gives_the_wave_up),
        cmocka_unit_test(too_much_gives_the_wave_up),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
