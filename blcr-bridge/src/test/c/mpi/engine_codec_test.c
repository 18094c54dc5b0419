/* What the engine writes and reads is what org.sluice.iop.wave.protocol.Encoding reads and writes: encoding.txt, byte for byte. */
#include "engine_stubs.h"

#include <string.h>

#include "c3/record.h"
#include "c3/replay.h"
#include "core/handle.h"
#include "core/layer.h"
#include "core/line.h"
#include "core/protocol.h"
#include "core/state_take.h"
#include "core/stream.h"
#include "wrappers/request.h"

#define OTHER INT64_C(0x1122334455667788)

static const struct sluice_mpi_stream from_three = {OTHER, 3, 1, 7, 0};
static const struct sluice_mpi_stream to_three = {1, 0, 3, -5, 0};

static struct sluice_mpi_count *count(struct sluice_mpi_counts *counts,
                                      const struct sluice_mpi_stream *stream)
{
    return sluice_mpi_counts_find(counts, stream->communicator, stream->source, stream->destination,
                                  stream->tag);
}

static void same(const struct sluice_mpi_bytes *bytes, const char *name)
{
    struct sluice_mpi_bytes expected = {0};
    golden(name, &expected);
    assert_true(expected.length > 0);
    assert_int_equal(bytes->length, expected.length);
    assert_memory_equal(bytes->data, expected.data, expected.length);
    sluice_mpi_bytes_free(&expected);
}

static struct sluice_mpi_handle *receive(int64_t number, struct sluice_mpi_comm *comm, int source,
                                         int tag)
{
    struct sluice_mpi_handle *handle = sluice_mpi_handle(SLUICE_MPI_RECEIVE);
    handle->number = number;
    handle->comm = comm;
    handle->peer = source;
    handle->tag = tag;
    handle->posted = number;
    return handle;
}

static void a_marker_is_written(void **state)
{
    (void)state;
    struct sluice_mpi_comm one;
    struct sluice_mpi_comm other;
    struct sluice_mpi_bytes bytes = {0};
    forget_communicators();
    have_communicator(&other, OTHER, 9);
    have_communicator(&one, 1, 4);
    sluice_mpi.rank = 3;
    count(&sluice_mpi.sent, &from_three)->count = 5;
    count(&sluice_mpi.got, &to_three)->count = INT64_C(1) << 40;
    struct sluice_mpi_handle *second = receive(13, &other, 1, 7);
    struct sluice_mpi_handle *first = receive(12, &one, MPI_ANY_SOURCE, -2);
    sluice_mpi_put_marker(&bytes);
    same(&bytes, "marker");
    sluice_mpi_handle_end(first);
    sluice_mpi_handle_end(second);
    sluice_mpi_counts_clear(&sluice_mpi.sent);
    sluice_mpi_counts_clear(&sluice_mpi.got);
    sluice_mpi_bytes_free(&bytes);
}

static void record_events(void)
{
    const struct sluice_mpi_sent sent = {{from_three, 6}, 0xdeadbeef, 0};
    const struct sluice_mpi_posting posting = {14, 1, 0, -5};
    const struct sluice_mpi_entered entered = {15, 1, 5, 2, 3, 0x80000001, 0};
    struct sluice_mpi_handle first = {.number = 12};
    struct sluice_mpi_handle second = {.number = 14};
    struct sluice_mpi_handle *both[2] = {&first, &second};
    sluice_mpi_record_event(SLUICE_C3_EVENT_SENT, &sent, sizeof sent);
    sluice_mpi_record_event(SLUICE_C3_EVENT_POSTED, &posting, sizeof posting);
    sluice_mpi_record_completed(both, 2);
    sluice_mpi_record_completed(both, 0);
    sluice_mpi_record_nothing();
    sluice_mpi_record_found(17);
    sluice_mpi_record_event(SLUICE_C3_EVENT_ENTERED, &entered, sizeof entered);
}

static void a_recording_is_written(void **state)
{
    (void)state;
    struct sluice_mpi_bytes bytes = {0};
    sluice_mpi.rank = 3;
    sluice_mpi_record_begin();
    record_events();
    for (int i = 0; i < 3; i++) {
        const struct sluice_mpi_message message = {to_three, 2 + i};
        sluice_mpi_record_taken(i == 0 ? 14 : -i, &message);
    }
    sluice_mpi_record_put(&bytes);
    same(&bytes, "recording");
    sluice_mpi_record_end();
    sluice_mpi_bytes_free(&bytes);
}

static void what_is_to_be_expected_is_read(void **state)
{
    (void)state;
    struct sluice_mpi_bytes bytes = {0};
    golden("expect", &bytes);
    struct sluice_mpi_reader reader = {bytes.data, bytes.data + bytes.length, false};
    sluice_mpi_record_begin();
    sluice_mpi_record_expect(&reader);
    assert_false(reader.damaged);
    assert_true(sluice_mpi_record_is_late(&(struct sluice_mpi_message){to_three, 2}));
    assert_false(sluice_mpi_record_is_late(&(struct sluice_mpi_message){to_three, 3}));
    assert_int_equal(sluice_mpi_record_straddling(1), 5);
    assert_int_equal(sluice_mpi_record_straddling(2), 0);
    sluice_mpi_record_end();
    struct sluice_mpi_reader all = {bytes.data, bytes.data + bytes.length, false};
    sluice_mpi_line_taken(1);
    sluice_mpi_line_expect(&all);
    assert_true(!all.damaged && all.at == all.end);
    sluice_mpi_bytes_free(&bytes);
}

static void a_plan_is_read(void **state)
{
    (void)state;
    struct sluice_mpi_bytes bytes = {0};
    struct sluice_mpi_plan plan = {0};
    golden("plan", &bytes);
    struct sluice_mpi_reader reader = {bytes.data, bytes.data + bytes.length, false};
    sluice_mpi_plan_read(&reader, &plan);
    assert_true(!reader.damaged && reader.at == reader.end);
    assert_int_equal(plan.events, 6);
    assert_int_equal(plan.forced_count, 1);
    assert_int_equal(plan.forced[0].request, 14);
    assert_int_equal(plan.forced[0].message.number, 2);
    assert_int_equal(plan.found_count, 1);
    assert_int_equal(plan.found[0].request, 16);
    assert_memory_equal(&plan.found[0].message.stream, &to_three, sizeof to_three);
    assert_int_equal(sluice_mpi_counts_get(&plan.suppressed, &from_three), 6);
    sluice_mpi_counts_clear(&plan.suppressed);
    for (size_t length = 0; length < bytes.length; length++) {
        struct sluice_mpi_reader cut = {bytes.data, bytes.data + length, false};
        struct sluice_mpi_plan damaged = {0};
        sluice_mpi_plan_read(&cut, &damaged);
        assert_true(cut.damaged);
        sluice_mpi_counts_clear(&damaged.suppressed);
    }
    sluice_mpi_bytes_free(&bytes);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    sluice_mpi_find();
    sluice_mpi_requests_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_marker_is_written),
        cmocka_unit_test(a_recording_is_written),
        cmocka_unit_test(what_is_to_be_expected_is_read),
        cmocka_unit_test(a_plan_is_read),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
