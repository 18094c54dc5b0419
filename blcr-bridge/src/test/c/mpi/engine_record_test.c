/* How much a rank keeps of what it receives behind its line. */
#include "engine_stubs.h"

#include <malloc.h>
#include <stdlib.h>

#include "c3/c3.h"
#include "c3/late_messages.h"
#include "c3/record.h"
#include "c3/replay.h"
#include "core/calls.h"
#include "core/control.h"
#include "core/handle.h"
#include "core/layer.h"
#include "core/protocol.h"
#include "core/state.h"
#include "core/stream.h"
#include "core/wave.h"
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

static void what_is_sent_is_kept_while_there_is_room(void **state)
{
    (void)state;
    struct sluice_mpi_kept found;
    const struct sluice_mpi_message one = {stream, 3};
    const struct sluice_mpi_message large = {stream, 4};
    const struct sluice_mpi_message last = {stream, 5};
    sluice_mpi_record_begin();
    sluice_mpi_record_sent(&last, "last", 2, MPI_SHORT);
    sluice_mpi_record_sent(&large, data, SLUICE_MPI_SENT_MOST, MPI_BYTE);
    sluice_mpi_record_sent(&one, "first", 5, MPI_BYTE);
    image("late")->length = 0;
    sluice_mpi_record_put_late(image("late"));
    sluice_mpi_record_end();
    struct sluice_mpi_reader reader = {image("late")->data,
                                       image("late")->data + image("late")->length, false};
    assert_true(sluice_mpi_late_read(&reader));
    assert_true(sluice_mpi_late_sent(&one, &found));
    assert_int_equal(found.bytes, 5);
    assert_memory_equal(found.data, "first", 5);
    assert_true(sluice_mpi_late_sent(&last, &found));
    assert_memory_equal(found.data, "last", 4);
    assert_false(sluice_mpi_late_sent(&large, &found));
    sluice_mpi_late_end();
}

static void begin_wave(int64_t wave)
{
    const int protocol = SLUICE_C3_NUMBER;
    const struct sluice_mpi_place place = {NULL, protocol};
    sluice_mpi_order(SLUICE_CONTROL_PLEASE, wave, &protocol, sizeof protocol);
    sluice_mpi.protocol->spot(&place);
    assert_true(sluice_mpi_record_is_on());
}

static void end_wave(int64_t wave)
{
    sluice_mpi_order(SLUICE_CONTROL_GIVE_UP, wave, NULL, 0);
    assert_false(sluice_mpi_record_is_on());
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
    assert_int_equal(sluice_mpi_counts_get(&sluice_mpi.sent, &own), 0);
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
    assert_false(sluice_mpi_record_is_on());
    assert_int_equal(sluice_mpi.wave, 0);
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
    assert_false(sluice_mpi_record_is_on());
    begin_wave(5);
    assert_int_equal(call_collective(&barrier, &request), MPI_ERR_ROOT);
    assert_false(sluice_mpi_record_is_on());
    assert_int_equal(comm.collectives, 0);
}

/* The images of a wave with what was recorded, of which a recovery repeats so many events and suppresses nothing. */
static void write_wave(int64_t events)
{
    image("record")->length = image("late")->length = image("plan")->length = 0;
    sluice_mpi_record_put_events(image("record"));
    for (int i = 0; i < 4; i++)
        sluice_mpi_bytes_put_i64(image("late"), 0);
    sluice_mpi_bytes_put_i64(image("plan"), events);
    for (int i = 0; i < 3; i++)
        sluice_mpi_bytes_put_i64(image("plan"), 0);
}

static void send_to_self(const void *buffer, MPI_Datatype type, int *in)
{
    MPI_Request receive;
    in[0] = in[1] = 0;
    sluice_mpi_counts_clear(&sluice_mpi.sent);
    MPI_Irecv(in, 2, MPI_INT, 0, 8, MPI_COMM_SELF, &receive);
    assert_int_equal(call_send(SLUICE_MPI_STANDARD, buffer, 1, type, 0, 8, MPI_COMM_SELF),
                     MPI_SUCCESS);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    assert_int_equal(in[0] * 10 + in[1], 56);
}

/* From the program's data to its stack there is no memory for all that lies between. */
static void a_recovery_keeps_data_that_lies_far_apart(void **state)
{
    (void)state;
    static int far = 5;
    int near = 6;
    int in[2];
    MPI_Aint places[2];
    MPI_Datatype type;
    MPI_Get_address(&far, &places[0]);
    MPI_Get_address(&near, &places[1]);
    MPI_Type_create_hindexed_block(2, 1, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    begin_wave(6);
    send_to_self(MPI_BOTTOM, type, in);
    write_wave(1);
    end_wave(6);
    sluice_mpi_replay_begin(6);
    sluice_mpi.busy = true;
    send_to_self(MPI_BOTTOM, type, in);
    assert_false(sluice_mpi_replay_is_on());
    while (sluice_mpi_c3_buffers())
        continue;
    sluice_mpi_look_busy();
    MPI_Type_free(&type);
}

/* One element of a type with a gap: MPI sends what lies behind it. */
static void a_recovery_sends_the_first_bytes_where_others_are_only_told(void **state)
{
    (void)state;
    int sent[3] = {5, 0, 6};
    int in[2];
    MPI_Datatype type;
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    begin_wave(8);
    send_to_self(sent, type, in);
    write_wave(1);
    image("late")->length = 0;
    sluice_mpi_record_put_late(image("late"));
    end_wave(8);
    setenv("SLUICE_MPI_DIFFERENCES", "tell", 1);
    sluice_mpi_replay_begin(8);
    sluice_mpi.busy = true;
    sent[2] = 7;
    send_to_self(sent, type, in);
    assert_false(sluice_mpi_replay_is_on());
    while (sluice_mpi_c3_buffers())
        continue;
    sluice_mpi_look_busy();
    unsetenv("SLUICE_MPI_DIFFERENCES");
    MPI_Type_free(&type);
}

static int succeed(const struct sluice_mpi_collective *self, MPI_Request *request)
{
    (void)self, (void)request;
    return MPI_SUCCESS;
}

static jmp_buf ended;

static int end_job(MPI_Comm of, int status)
{
    (void)of;
    longjmp(ended, status);
}

static void call_at_restart(const struct sluice_mpi_collective *collective)
{
    sluice_mpi.requests = comm.collectives = 0;
    sluice_mpi_replay_begin(7);
    sluice_mpi.busy = true;
    assert_int_equal(call_collective(collective, NULL), MPI_SUCCESS);
    assert_false(sluice_mpi_replay_is_on());
}

/* The rest would lie there as it was. */
static void a_result_of_another_length_ends_the_job(void **state)
{
    (void)state;
    int sums[2] = {5, 6};
    struct sluice_mpi_collective reduce = {.name = "MPI_Allreduce",
                                           .out = SLUICE_MPI_REDUCED,
                                           .comm = MPI_COMM_SELF,
                                           .root = -1,
                                           .forward = succeed,
                                           .recvbuf = sums,
                                           .recvcount = 1,
                                           .recvtype = MPI_INT};
    begin_wave(7);
    assert_int_equal(call_collective(&reduce, NULL), MPI_SUCCESS);
    expect_late(&(struct sluice_mpi_stream){5, 0, 0, 8, 0}, 0, 1);
    write_wave(2);
    image("late")->length = 0;
    sluice_mpi_record_put_late(image("late"));
    end_wave(7);
    sums[0] = 0;
    call_at_restart(&reduce);
    assert_int_equal(sums[0], 5);
    reduce.recvcount = 2;
    __typeof__(real.Abort) abort_job = real.Abort;
    real.Abort = end_job;
    const int status = setjmp(ended);
    if (status == 0)
        call_at_restart(&reduce);
    real.Abort = abort_job;
    assert_int_equal(status, 3);
}

static void too_much_gives_the_wave_up(void **state)
{
    (void)state;
    begin_wave(3);
    const size_t before = kept();
    for (int name = 1; name <= 256; name++)
        receive(name, LARGE);
    assert_true(sluice_mpi_record_is_on());
    receive(257, LARGE);
    assert_false(sluice_mpi_record_is_on());
    assert_int_equal(sluice_mpi.wave, 0);
    assert_true(kept() - before < LARGE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    sluice_mpi_find();
    sluice_mpi_requests_begin();
    sluice_mpi_comms_begin();
    forget_communicators();
    have_communicator(&comm, 5, 0);
    mallopt(M_MMAP_THRESHOLD, LARGE / 2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_receive_with_room_for_more_keeps_what_came),
        cmocka_unit_test(what_is_not_late_is_dropped_once_that_is_known),
        cmocka_unit_test(what_is_sent_is_kept_while_there_is_room),
        cmocka_unit_test(what_mpi_refuses_is_not_recorded),
        cmocka_unit_test(a_recovery_keeps_data_that_lies_far_apart),
        cmocka_unit_test(a_recovery_sends_the_first_bytes_where_others_are_only_told),
        cmocka_unit_test(a_buffered_send_without_room_gives_the_wave_up),
        cmocka_unit_test(a_collective_that_mpi_refuses_gives_the_wave_up),
        cmocka_unit_test(too_much_gives_the_wave_up),
        cmocka_unit_test(a_result_of_another_length_ends_the_job), /* last: it is in a recovery */
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
