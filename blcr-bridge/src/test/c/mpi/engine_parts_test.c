/* Parts of the engine alone: counts, numbers, what is recorded and kept. */
#include "engine_stubs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "c3/numbering.h"
#include "c3/record.h"
#include "c3/replay.h"
#include "core/calls.h"
#include "core/drained.h"
#include "core/handle.h"
#include "core/inherit.h"
#include "core/layer.h"
#include "core/open_requests.h"
#include "core/regions.h"
#include "core/stream.h"
#include "wrappers/data.h"
#include "wrappers/request.h"

static struct sluice_mpi_comm comm;

static const struct sluice_mpi_stream first_stream = {5, 1, 0, 7, 0};
static const struct sluice_mpi_stream second_stream = {5, 2, 0, 7, 0};

static struct sluice_mpi_count *got(const struct sluice_mpi_stream *stream)
{
    return sluice_mpi_counts_find(&sluice_mpi.got, stream->communicator, stream->source,
                                  stream->destination, stream->tag);
}

static int set_up(void **state)
{
    (void)state;
    begin_anew(&comm);
    return 0;
}

static void regions_are_found_whatever_their_order(void **state)
{
    (void)state;
    static char memory[1000];
    for (int i = 0; i < 1000; i++)
        assert_int_equal(sluice_mpi_region_protect(i * 617 % 1000 * 2, &memory[i], 1), 0);
    for (int i = 0; i < 1000; i++) {
        assert_ptr_equal(sluice_mpi_region_find(i * 617 % 1000 * 2)->pointer, &memory[i]);
        assert_null(sluice_mpi_region_find(i * 2 - 1));
    }
    assert_int_equal(sluice_mpi_region_protect(500, NULL, 0), 0);
    assert_null(sluice_mpi_region_find(500));
    assert_int_equal(sluice_mpi.region_count, 999);
    assert_int_equal(sluice_mpi_region_protect(3, NULL, 1), -EINVAL);
    assert_int_equal(sluice_mpi_region_protect(3, memory, (size_t)-8), -EINVAL);
    assert_int_equal(sluice_mpi_region_protect(-1, memory, 1), -EINVAL);
    for (int id = 0; id < 2000; id++)
        sluice_mpi_region_protect(id, NULL, 0);
}

/* As by mprotect(): a copy of it would be ended by a signal. */
static void memory_that_cannot_be_read_is_found(void **state)
{
    (void)state;
    enum { PAGE = 4096 };
    char *memory = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sluice_mpi_region_protect(7, memory, 3 * PAGE);
    assert_null(sluice_mpi_region_unreadable());
    mprotect(memory + PAGE, PAGE, PROT_NONE);
    assert_ptr_equal(sluice_mpi_region_unreadable(), sluice_mpi_region_find(7));
    sluice_mpi_region_protect(7, memory, PAGE);
    assert_null(sluice_mpi_region_unreadable());
    sluice_mpi_region_protect(7, NULL, 0);
    munmap(memory, 3 * PAGE);
}

static void what_a_fork_leaves_out_is_seen_whenever_it_was_said(void **state)
{
    (void)state;
    enum { BYTES = 4096 };
    char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sluice_mpi_region_protect(7, memory, BYTES);
    assert_true(sluice_mpi_inherits() && sluice_mpi_inherited());
    madvise(memory, BYTES, MADV_WIPEONFORK);
    assert_false(sluice_mpi_inherited());
    sluice_mpi_region_protect(7, NULL, 0);
    munmap(memory, BYTES);
}

static void counts_of_many_streams_are_found_and_dropped(void **state)
{
    (void)state;
    struct sluice_mpi_counts counts = {0};
    for (int i = 0; i < 1000; i++)
        sluice_mpi_counts_find(&counts, i % 2, i, 0, 7)->count = i + 1;
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(
            sluice_mpi_counts_get(&counts, &(struct sluice_mpi_stream){i % 2, i, 0, 7, 0}), i + 1);
    }
    assert_int_equal(sluice_mpi_counts_sum(&counts), 500500);
    sluice_mpi_counts_drop(&counts, 1);
    assert_int_equal(sluice_mpi_counts_get(&counts, &(struct sluice_mpi_stream){1, 3, 0, 7, 0}), 0);
    assert_int_equal(sluice_mpi_counts_get(&counts, &(struct sluice_mpi_stream){0, 2, 0, 7, 0}), 3);
    struct sluice_mpi_bytes bytes = {0};
    struct sluice_mpi_counts again = {0};
    sluice_mpi_counts_put(&bytes, &counts);
    struct sluice_mpi_reader reader = {bytes.data, bytes.data + bytes.length, false};
    sluice_mpi_counts_read(&reader, &again);
    assert_true(!reader.damaged && reader.at == reader.end);
    assert_int_equal(sluice_mpi_counts_sum(&again), sluice_mpi_counts_sum(&counts));
    sluice_mpi_counts_clear(&counts);
    sluice_mpi_counts_clear(&again);
    sluice_mpi_bytes_free(&bytes);
}

static int64_t numbers[10];

static void known(int64_t name, const struct sluice_mpi_message *message)
{
    numbers[name] = message->number;
}

static void messages_are_numbered_in_the_order_of_posting(void **state)
{
    (void)state;
    memset(numbers, 0, sizeof numbers);
    got(&first_stream)->count = 4;
    sluice_mpi_numbering_begin(&sluice_mpi.got);
    sluice_mpi_numbering_posted(1, 5, -1, -1);
    sluice_mpi_numbering_posted(2, 5, 1, 7);
    sluice_mpi_numbering_posted(3, 5, 2, 7);
    sluice_mpi_numbering_completed(2, &first_stream);
    assert_int_equal(sluice_mpi_numbering_next(&first_stream), 0);
    sluice_mpi_numbering_settle(known);
    assert_int_equal(numbers[2], 0); /* the first one may have the message before */
    sluice_mpi_numbering_completed(1, &first_stream);
    sluice_mpi_numbering_found(4, &first_stream);
    sluice_mpi_numbering_settle(known);
    assert_int_equal(numbers[1], 5);
    assert_int_equal(numbers[2], 6);
    assert_int_equal(numbers[4], 7); /* found, and not taken */
    assert_int_equal(sluice_mpi_numbering_got(&first_stream), 6);
    assert_int_equal(sluice_mpi_numbering_next(&first_stream), 7);
    sluice_mpi_numbering_end();
}

static void drained_messages_are_the_last_of_their_streams(void **state)
{
    (void)state;
    got(&first_stream)->count = 9;
    got(&second_stream)->count = 1;
    struct sluice_mpi_drained *one = sluice_mpi_drained_again(&comm, 1, 7, 4);
    struct sluice_mpi_drained *other = sluice_mpi_drained_again(&comm, 2, 7, 4);
    struct sluice_mpi_drained *last = sluice_mpi_drained_again(&comm, 1, 7, 4);
    sluice_mpi_drained_number();
    assert_int_equal(one->number, 8);
    assert_int_equal(last->number, 9);
    assert_int_equal(other->number, 1);
}

/* More bytes than are counted by an int, but that these are made few for the test. */
static void a_long_message_is_drained_and_given(void **state)
{
    (void)state;
    static unsigned char data[3500], other[3500];
    MPI_Request request;
    MPI_Status status;
    for (size_t at = 0; at < sizeof data; at++)
        data[at] = (unsigned char)(at % 251);
    sluice_mpi_most_bytes = 1000;
    real.Isend(data, sizeof data, MPI_BYTE, 0, 7, MPI_COMM_SELF, &request);
    real.Probe(0, 7, MPI_COMM_SELF, &status);
    struct sluice_mpi_drained *one = sluice_mpi_drain(&comm, &status);
    while (!sluice_mpi_drained_look(one))
        continue;
    real.Wait(&request, MPI_STATUS_IGNORE);
    sluice_mpi_most_bytes = INT32_MAX;
    sluice_mpi_drained_take(one);
    assert_int_equal(sluice_mpi_drained_give(one, other, sizeof other, MPI_BYTE, &status), 0);
    assert_int_equal(sluice_mpi_bytes_of(&status), sizeof data);
    assert_memory_equal(other, data, sizeof data);
    sluice_mpi_set_bytes(&status, INT64_C(5) << 30);
    assert_int_equal(sluice_mpi_bytes_of(&status), INT64_C(5) << 30);
}

/* Message `number` of the first stream, with its number as data, under that name. */
static void take(int64_t name, int64_t number)
{
    const struct sluice_mpi_message message = {first_stream, number};
    const int data = (int)number;
    MPI_Status status;
    sluice_mpi_empty_status(&status);
    real.Status_set_elements(&status, MPI_BYTE, sizeof data);
    sluice_mpi_record_data(name, &data, 1, MPI_INT, &status);
    sluice_mpi_record_taken(name, &message);
}

static int64_t given[10];
static int given_count;

static void give(const struct sluice_mpi_message *message, const struct sluice_mpi_kept *kept)
{
    int data;
    assert_int_equal(kept->bytes, sizeof data);
    memcpy(&data, kept->data, sizeof data);
    assert_int_equal(data, message->number);
    given[given_count++] = message->number;
}

/* Messages 3 to 6 are late; 4 and 5 were drained, of which a receive took 4; 7 is not late. */
static void write_wave(void)
{
    const int result = 77;
    const struct sluice_mpi_piece piece = {(void *)&result, 1, MPI_INT, false};
    got(&first_stream)->count = 2;
    sluice_mpi_record_begin();
    expect_late(&first_stream, 6, 4);
    take(1, 3);
    take(-1, 4);
    take(-2, 5);
    sluice_mpi_record_taken(2, &(struct sluice_mpi_message){first_stream, 4});
    take(3, 6);
    take(4, 7);
    sluice_mpi_record_result(5, 4, &piece, 1);
    sluice_mpi_record_result(5, 5, &piece, 1);
    image("late")->length = image("record")->length = image("plan")->length = 0;
    assert_int_equal(sluice_mpi_record_put_late(image("late")), 4);
    sluice_mpi_record_put_events(image("record"));
}

/* Receive 2 takes message 4 again; the last message to be suppressed is number 1 of another stream. */
static void write_plan(void)
{
    const struct sluice_mpi_choice forced = {2, {first_stream, 4}};
    struct sluice_mpi_counts suppressed = {0};
    sluice_mpi_counts_find(&suppressed, 5, 0, 1, 7)->count = 1;
    sluice_mpi_bytes_put_i64(image("plan"), 0);
    sluice_mpi_bytes_put_i64(image("plan"), 1);
    sluice_mpi_bytes_put(image("plan"), &forced, sizeof forced);
    sluice_mpi_bytes_put_i64(image("plan"), 0);
    sluice_mpi_counts_put(image("plan"), &suppressed);
    sluice_mpi_counts_clear(&suppressed);
}

static void what_crosses_the_line_is_written_once_and_found(void **state)
{
    (void)state;
    struct sluice_mpi_kept kept;
    write_wave();
    write_plan();
    sluice_mpi_replay_begin(1);
    for (int64_t number = 3; number <= 7; number++) {
        const struct sluice_mpi_message message = {first_stream, number};
        assert_int_equal(sluice_mpi_late_message(&message, &kept), number <= 6);
    }
    assert_false(sluice_mpi_late_message(&(struct sluice_mpi_message){second_stream, 4}, &kept));
    assert_true(sluice_mpi_late_result(5, 4, &kept) && *(const int *)kept.data == 77);
    assert_false(sluice_mpi_late_result(5, 5, &kept));
    assert_int_equal(sluice_mpi_replay_forced(2)->number, 4);
    assert_null(sluice_mpi_replay_forced(1));
    given_count = 0;
    sluice_mpi_replay_drained(give);
    assert_int_equal(given_count, 1); /* a receive is to have the other one */
    assert_int_equal(given[0], 5);
}

static void a_recovery_is_over_when_nothing_of_it_is_left(void **state)
{
    (void)state;
    write_wave();
    write_plan();
    sluice_mpi_replay_begin(1);
    comm.collectives = 4;
    assert_true(sluice_mpi_replay_suppresses(&(struct sluice_mpi_message){{5, 0, 1, 7, 0}, 1}));
    assert_true(sluice_mpi_replay_is_needed());
    sluice_mpi_counts_find(&sluice_mpi.sent, 5, 0, 1, 7)->count = 1;
    comm.collectives = 3;
    assert_true(sluice_mpi_replay_is_needed());
    comm.collectives = 4;
    assert_false(sluice_mpi_replay_is_needed());
    assert_null(sluice_mpi_replay_forced(2));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    sluice_mpi_find();
    sluice_mpi_requests_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(regions_are_found_whatever_their_order, set_up),
        cmocka_unit_test_setup(memory_that_cannot_be_read_is_found, set_up),
        cmocka_unit_test_setup(what_a_fork_leaves_out_is_seen_whenever_it_was_said, set_up),
        cmocka_unit_test_setup(counts_of_many_streams_are_found_and_dropped, set_up),
        cmocka_unit_test_setup(messages_are_numbered_in_the_order_of_posting, set_up),
        cmocka_unit_test_setup(drained_messages_are_the_last_of_their_streams, set_up),
        cmocka_unit_test_setup(a_long_message_is_drained_and_given, set_up),
        cmocka_unit_test_setup(what_crosses_the_line_is_written_once_and_found, set_up),
        cmocka_unit_test_setup(a_recovery_is_over_when_nothing_of_it_is_left, set_up),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
