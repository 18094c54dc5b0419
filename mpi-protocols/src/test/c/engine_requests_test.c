/* Requests of the program: what is behind them, how they complete, and what an image has of them. */
#include "engine_stubs.h"

#include <string.h>

#include "engine/calls.h"
#include "engine/control.h"
#include "engine/engine.h"
#include "engine/handle.h"
#include "engine/open_requests.h"
#include "engine/protocol.h"
#include "engine/record.h"
#include "engine/regions.h"
#include "engine/stream.h"
#include "wrappers/attached.h"
#include "wrappers/request.h"

/* BETWEEN: from the value of a request to that of the next place. */
#ifdef OPEN_MPI
#define BETWEEN ((int64_t)sizeof(struct sluice_mpi_slot))
#define SEES_NO_TRUNCATION true
#else
#define BETWEEN 1
#define SEES_NO_TRUNCATION false
#endif

static struct sluice_mpi_comm comm;

static int set_up(void **state)
{
    (void)state;
    begin_anew(&comm);
    return 0;
}

static int wait_all(int count, MPI_Request *requests, MPI_Status *statuses)
{
    return call_complete(count, requests, SLUICE_MPI_WAIT_ALL, NULL, NULL, NULL, statuses);
}

static void isend(const int *out, int tag, MPI_Request *request)
{
    assert_int_equal(
        call_isend(SLUICE_MPI_STANDARD, out, 1, MPI_INT, 0, tag, MPI_COMM_SELF, request),
        MPI_SUCCESS);
}

static void irecv(int *in, int tag, MPI_Request *request)
{
    assert_int_equal(call_irecv(in, 1, MPI_INT, 0, tag, MPI_COMM_SELF, request), MPI_SUCCESS);
}

/* Those that are null, not started, complete, or of no message are beside those that the library has. */
static void one_wait_takes_requests_of_any_kind(void **state)
{
    (void)state;
    const int out[2] = {5, 6};
    int in[3] = {0};
    MPI_Request requests[7];
    MPI_Status statuses[7];
    irecv(&in[0], 8, &requests[0]);
    requests[1] = MPI_REQUEST_NULL;
    call_recv_init(&in[1], 1, MPI_INT, 0, 9, MPI_COMM_SELF, &requests[2]);
    call_recv_init(&in[2], 1, MPI_INT, 0, 10, MPI_COMM_SELF, &requests[3]);
    call_start(1, &requests[3]);
    call_irecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 9, MPI_COMM_SELF, &requests[4]);
    isend(&out[0], 8, &requests[5]);
    isend(&out[1], 10, &requests[6]);
    while (!sluice_mpi_handle_look(sluice_mpi_handle_of(requests[0])))
        continue;
    const MPI_Request persistent = requests[3];
    assert_int_equal(wait_all(7, requests, statuses), MPI_SUCCESS);
    assert_int_equal(in[0], 5);
    assert_int_equal(in[2], 6);
    assert_int_equal(statuses[0].MPI_TAG, 8);
    assert_int_equal(statuses[1].MPI_SOURCE, MPI_ANY_SOURCE);
    assert_int_equal(statuses[2].MPI_SOURCE, MPI_ANY_SOURCE);
    assert_int_equal(statuses[3].MPI_TAG, 10);
    assert_int_equal(statuses[4].MPI_SOURCE, MPI_PROC_NULL);
    assert_true(requests[0] == MPI_REQUEST_NULL && requests[4] == MPI_REQUEST_NULL);
    assert_true(requests[5] == MPI_REQUEST_NULL && requests[6] == MPI_REQUEST_NULL);
    assert_true(requests[3] == persistent);
    assert_false(sluice_mpi_handle_of(persistent)->active);
    assert_int_equal(sluice_mpi_counts_sum(&sluice_mpi_got), 2);
    assert_int_equal(sluice_mpi_counts_sum(&sluice_mpi_sent), 2);
    call_request_free(&requests[2]);
    call_request_free(&requests[3]);
    assert_null(sluice_mpi_handles);
}

/*
 * One that a look of the layer found to be complete is told as it ended; an error of another is no error of it. Open MPI
 * does not see within one process that a message is too long.
 */
static void a_wait_tells_of_each_what_became_of_it(void **state)
{
    (void)state;
    const int out[2] = {5, 6};
    int in[2] = {0};
    MPI_Request requests[4];
    MPI_Status statuses[4];
    if (SEES_NO_TRUNCATION)
        skip();
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    irecv(&in[0], 8, &requests[0]);
    irecv(&in[1], 9, &requests[1]);
    isend(&out[0], 8, &requests[2]);
    call_isend(SLUICE_MPI_STANDARD, out, 2, MPI_INT, 0, 9, MPI_COMM_SELF, &requests[3]);
    while (!sluice_mpi_handle_look(sluice_mpi_handle_of(requests[0])))
        continue;
    assert_int_equal(wait_all(4, requests, statuses), MPI_ERR_IN_STATUS);
    assert_int_equal(statuses[0].MPI_ERROR, MPI_SUCCESS);
    assert_true(sluice_mpi_is_truncated(statuses[1].MPI_ERROR));
    assert_int_equal(statuses[2].MPI_ERROR, MPI_SUCCESS);
    assert_int_equal(in[0], 5);
    assert_int_equal(sluice_mpi_counts_sum(&sluice_mpi_got), 2);
    assert_null(sluice_mpi_handles);
    irecv(&in[1], 9, &requests[1]);
    call_isend(SLUICE_MPI_STANDARD, out, 2, MPI_INT, 0, 9, MPI_COMM_SELF, &requests[0]);
    while (!sluice_mpi_handle_look(sluice_mpi_handle_of(requests[1])))
        continue;
    assert_int_equal(wait_all(2, requests, statuses), MPI_ERR_IN_STATUS);
    assert_true(sluice_mpi_is_truncated(statuses[1].MPI_ERROR));
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void requests_are_numbered_anew(void **state)
{
    (void)state;
    sluice_mpi_requests = INT64_C(1) << 40;
    struct sluice_mpi_handle *one = sluice_mpi_handle(SLUICE_MPI_SEND);
    struct sluice_mpi_handle *other = sluice_mpi_handle(SLUICE_MPI_RECEIVE);
    sluice_mpi_renumber();
    assert_int_equal(one->number, 1);
    assert_int_equal(other->number, 2);
    assert_ptr_equal(sluice_mpi_handle_of(other->request), other);
    assert_int_equal(sluice_mpi_handle(SLUICE_MPI_SEND)->number, 3);
}

/* A program that frees each send must not have them all in memory until the next wave. */
static void a_freed_send_is_forgotten_and_a_freed_receive_awaited(void **state)
{
    (void)state;
    int in = 0;
    const int out = 5;
    MPI_Request request;
    assert_int_equal(call_irecv(&in, 1, MPI_INT, 0, 8, MPI_COMM_SELF, &request), MPI_SUCCESS);
    call_request_free(&request);
    assert_int_equal(sluice_mpi_freed_requests, 1);
    call_isend(SLUICE_MPI_SYNCHRONOUS, &out, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &request);
    call_request_free(&request);
    assert_int_equal(sluice_mpi_freed_requests, 1);
    assert_ptr_equal(sluice_mpi_handles->next, NULL); /* the receive */
    call_recv(&in, 1, MPI_INT, 0, 9, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    call_send(SLUICE_MPI_STANDARD, &out, 1, MPI_INT, 0, 8, MPI_COMM_SELF);
    while (!sluice_mpi_handle_look(sluice_mpi_handles))
        continue;
    sluice_mpi_handle_end(sluice_mpi_handles);
    assert_int_equal(sluice_mpi_freed_requests, 0);
    assert_int_equal(sluice_mpi_counts_sum(&sluice_mpi_got), 2);
}

static void a_cancelled_send_is_not_counted(void **state)
{
    (void)state;
    const int out = 5;
    int in = 0;
    int cancelled = 0;
    MPI_Request request;
    MPI_Status status;
    call_isend(SLUICE_MPI_STANDARD, &out, 1, MPI_INT, 0, 8, MPI_COMM_SELF, &request);
    assert_int_equal(sluice_mpi_counts_sum(&sluice_mpi_sent), 1);
    call_cancel(&request);
    call_complete(1, &request, SLUICE_MPI_WAIT_ALL, NULL, NULL, NULL, &status);
    real.Test_cancelled(&status, &cancelled);
    assert_int_equal(sluice_mpi_counts_sum(&sluice_mpi_sent), cancelled ? 0 : 1);
    if (!cancelled)
        call_recv(&in, 1, MPI_INT, 0, 8, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

/* What is open keeps a type of its own then, which goes with it. */
static void a_type_may_be_freed_before_its_request_is_complete(void **state)
{
    (void)state;
    const int out = 5;
    int in = 0;
    MPI_Datatype type;
    MPI_Request requests[2];
    MPI_Type_contiguous(1, MPI_INT, &type);
    MPI_Type_commit(&type);
    call_irecv(&in, 1, type, 0, 8, MPI_COMM_SELF, &requests[0]);
    const struct sluice_mpi_handle *handle = sluice_mpi_handle_of(requests[0]);
    call_type_freed(type);
    MPI_Type_free(&type);
    assert_true(handle->own != MPI_DATATYPE_NULL);
    isend(&out, 8, &requests[1]);
    assert_int_equal(wait_all(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    assert_int_equal(in, 5);
    assert_true(handle->own == MPI_DATATYPE_NULL);
}

/* The program may make others while it goes on. */
static void the_request_of_what_was_freed_is_made_again(void **state)
{
    (void)state;
    const int out = 5;
    int in[2] = {0};
    MPI_Request request;
    irecv(&in[0], 8, &request);
    const MPI_Request value = request;
    struct sluice_mpi_handle *freed = sluice_mpi_handle_of(request);
    call_request_free(&request);
    irecv(&in[1], 9, &request);
    assert_true(request == value);
    assert_true(sluice_mpi_handle_of(request) != freed);
    call_send(SLUICE_MPI_STANDARD, &out, 1, MPI_INT, 0, 8, MPI_COMM_SELF);
    while (!sluice_mpi_handle_look(freed))
        continue;
    sluice_mpi_handle_end(freed);
    call_send(SLUICE_MPI_STANDARD, &out, 1, MPI_INT, 0, 9, MPI_COMM_SELF);
    assert_int_equal(wait_all(1, &request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    assert_int_equal(in[0] + in[1], 10);
    assert_null(sluice_mpi_handles);
}

/* As a restart makes them: in any order, some of them higher than any before. */
static void requests_have_the_values_that_a_checkpoint_has(void **state)
{
    (void)state;
    static struct sluice_mpi_handle *made[40];
    MPI_Request values[40];
    int64_t highest = 0;
    for (int at = 0; at < 20; at++) {
        made[at] = sluice_mpi_handle(SLUICE_MPI_SEND);
        values[at] = made[at]->request;
        highest = sluice_mpi_value(values[at]) > highest ? sluice_mpi_value(values[at]) : highest;
    }
    for (int at = 0; at < 20; at++) {
        sluice_mpi_handle_end(made[at]);
        values[20 + at] = sluice_mpi_valued(highest + (at + 1) * BETWEEN);
    }
    for (int at = 0; at < 40; at++) {
        const int which = at * 27 % 40;
        made[which] = sluice_mpi_handle_again(SLUICE_MPI_RECEIVE, values[which]);
    }
    for (int at = 0; at < 40; at++) {
        assert_true(made[at]->request == values[at]);
        assert_ptr_equal(sluice_mpi_handle_of(values[at]), made[at]);
    }
    const struct sluice_mpi_handle *other = sluice_mpi_handle(SLUICE_MPI_SEND);
    assert_ptr_equal(sluice_mpi_handle_of(other->request), other);
    for (int at = 0; at < 40; at++)
        assert_true(other->request != values[at]);
}

/* At a restart the program makes again what it had made before the first spot, also what it freed behind that. */
static void what_was_freed_behind_the_first_spot_gives_its_place(void **state)
{
    (void)state;
    int in = 0;
    MPI_Request early;
    call_recv_init(&in, 1, MPI_INT, 0, 8, MPI_COMM_SELF, &early);
    sluice_mpi_handle_of(early)->early = true;
    const struct sluice_mpi_handle *restored = sluice_mpi_handle_again(SLUICE_MPI_RECEIVE, early);
    assert_true(restored->request == early && !restored->early);
    assert_ptr_equal(sluice_mpi_handle_of(early), restored);
    assert_ptr_equal(sluice_mpi_handles, restored);
    assert_null(restored->next);
}

/* Under Pcl a rank that has all receives nothing more until its image is taken: others may have gone on. */
static void a_wave_alone_says_when_what_was_freed_is_looked_at(void **state)
{
    (void)state;
    const int out = 5;
    int in = 0;
    MPI_Request request;
    irecv(&in, 8, &request);
    call_request_free(&request);
    call_send(SLUICE_MPI_STANDARD, &out, 1, MPI_INT, 0, 8, MPI_COMM_SELF);
    sluice_mpi_session = (sluice_session *)&comm;
    sluice_mpi_wave = 1;
    sluice_mpi_look_busy();
    for (int i = 0; i < 1000; i++)
        sluice_mpi_progress();
    assert_int_equal(sluice_mpi_counts_sum(&sluice_mpi_got), 0);
    sluice_mpi_wave = 0;
    while (sluice_mpi_handles != NULL)
        sluice_mpi_progress();
    assert_int_equal(sluice_mpi_counts_sum(&sluice_mpi_got), 1);
    sluice_mpi_session = NULL;
    sluice_mpi_look_busy();
}

/* Saved, restored, and saved again: what a restart has of requests is enough for the next wave. */
static void open_requests_are_saved_again_behind_a_restart(void **state)
{
    (void)state;
    static int memory[8];
    struct sluice_mpi_bytes saved = {0};
    struct sluice_mpi_bytes again = {0};
    sluice_mpi_region_protect(1, memory, sizeof memory);
    struct sluice_mpi_handle *complete = sluice_mpi_handle(SLUICE_MPI_RECEIVE);
    complete->comm = &comm;
    complete->buffer = memory;
    complete->count = 2;
    complete->type = MPI_INT;
    complete->complete = true;
    sluice_mpi_empty_status(&complete->status);
    complete->status.MPI_SOURCE = 3;
    complete->status.MPI_TAG = 9;
    const MPI_Request request = complete->request;
    assert_null(sluice_mpi_save(&saved));
    sluice_mpi_handle_end(complete);
    struct sluice_mpi_reader reader = {saved.data, saved.data + saved.length, false};
    sluice_mpi_restore(&reader);
    assert_true(!reader.damaged && reader.at == reader.end);
    struct sluice_mpi_handle *restored = sluice_mpi_handle_of(request);
    assert_true(restored->complete && restored->active);
    assert_int_equal(restored->status.MPI_SOURCE, 3);
    assert_int_equal(restored->status.MPI_TAG, 9);
    assert_null(sluice_mpi_save(&again));
    assert_int_equal(again.length, saved.length);
}

/* A restart posts it, which no record has; but the program starts it when it is complete. */
static void a_persistent_receive_that_a_restart_posts_is_recorded_later(void **state)
{
    (void)state;
    static int in;
    const int out = 5;
    struct sluice_mpi_bytes saved = {0};
    MPI_Request request;
    sluice_mpi_region_protect(1, &in, sizeof in);
    call_recv_init(&in, 1, MPI_INT, 0, 8, MPI_COMM_SELF, &request);
    call_start(1, &request);
    const MPI_Request value = request;
    assert_null(sluice_mpi_save(&saved));
    call_cancel(&request);
    wait_all(1, &request, MPI_STATUS_IGNORE);
    call_request_free(&request);
    struct sluice_mpi_reader reader = {saved.data, saved.data + saved.length, false};
    sluice_mpi_restore(&reader);
    assert_false(reader.damaged);
    request = value;
    call_send(SLUICE_MPI_STANDARD, &out, 1, MPI_INT, 0, 8, MPI_COMM_SELF);
    wait_all(1, &request, MPI_STATUS_IGNORE);
    assert_int_equal(in, 5);
    sluice_mpi_record_begin();
    sluice_mpi_busy = true;
    call_start(1, &request);
    assert_int_equal(sluice_mpi_record_events(), 1);
    sluice_mpi_record_end();
    sluice_mpi_look_busy();
    call_cancel(&request);
    wait_all(1, &request, MPI_STATUS_IGNORE);
    call_request_free(&request);
    sluice_mpi_region_protect(1, NULL, 0);
}

/* Nothing knows it before: no protocol may ask it for messages, and no line is taken. */
static void a_copy_of_a_communicator_is_there_when_its_request_is_complete(void **state)
{
    (void)state;
    struct sluice_mpi_bytes saved = {0};
    MPI_Comm made;
    MPI_Request request;
    MPI_Comm_idup(MPI_COMM_SELF, &made, &request);
    call_begun(sluice_mpi_comm_begun(made, &comm), &request);
    assert_null(sluice_mpi_comm_of(made));
    assert_non_null(strstr(sluice_mpi_save(&saved), "MPI_Comm_idup"));
    assert_int_equal(wait_all(1, &request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    const struct sluice_mpi_comm *copy = sluice_mpi_comm_of(made);
    assert_non_null(copy);
    assert_true(copy->id != comm.id && copy->early);
    assert_int_equal(copy->world[7], 7);
    sluice_mpi_comm_end(sluice_mpi_comm_freed(made));
    MPI_Comm_free(&made);
}

static void a_buffer_that_is_not_protected_is_refused(void **state)
{
    (void)state;
    static int elsewhere, beside[2];
    struct sluice_mpi_bytes saved = {0};
    struct sluice_mpi_handle *open = sluice_mpi_handle(SLUICE_MPI_RECEIVE);
    open->comm = &comm;
    open->buffer = &elsewhere;
    open->count = 1;
    open->type = MPI_INT;
    open->peer = MPI_ANY_SOURCE;
    open->tag = 7;
    const char *why = sluice_mpi_save(&saved);
    assert_non_null(strstr(why, "a receive from any rank with tag 7: 4 bytes at"));
    assert_non_null(strstr(why, "not in protected memory"));
    sluice_mpi_region_protect(51, &beside[1], sizeof(int));
    sluice_mpi_region_protect(52, &beside[0], sizeof(int));
    open->buffer = beside;
    open->count = 2;
    why = sluice_mpi_save(&saved);
    assert_non_null(strstr(why, "8 bytes at"));
    assert_non_null(strstr(why, "in more than one protected region"));
    sluice_mpi_region_protect(51, NULL, 0);
    why = sluice_mpi_save(&saved);
    assert_non_null(strstr(why, "not in protected memory"));
    sluice_mpi_region_protect(52, NULL, 0);
}

static void a_buffer_that_a_restart_lacks_is_refused(void **state)
{
    (void)state;
    struct sluice_mpi_bytes saved = {0};
    sluice_mpi_buffer_attached(MPI_SUCCESS);
    sluice_mpi_comms_late();
    assert_null(sluice_mpi_save(&saved));
    sluice_mpi_buffer_attached(MPI_ERR_BUFFER);
    assert_null(sluice_mpi_save(&saved));
    sluice_mpi_buffer_detached(MPI_SUCCESS);
    assert_non_null(strstr(sluice_mpi_save(&saved), "is detached, and a restart has it"));
    sluice_mpi_buffer_attached(MPI_SUCCESS);
    assert_non_null(strstr(sluice_mpi_save(&saved), "behind the first"));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    sluice_mpi_find();
    sluice_mpi_requests_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(one_wait_takes_requests_of_any_kind, set_up),
        cmocka_unit_test_setup(a_wait_tells_of_each_what_became_of_it, set_up),
        cmocka_unit_test_setup(requests_are_numbered_anew, set_up),
        cmocka_unit_test_setup(a_freed_send_is_forgotten_and_a_freed_receive_awaited, set_up),
        cmocka_unit_test_setup(a_cancelled_send_is_not_counted, set_up),
        cmocka_unit_test_setup(a_type_may_be_freed_before_its_request_is_complete, set_up),
        cmocka_unit_test_setup(the_request_of_what_was_freed_is_made_again, set_up),
        cmocka_unit_test_setup(requests_have_the_values_that_a_checkpoint_has, set_up),
        cmocka_unit_test_setup(what_was_freed_behind_the_first_spot_gives_its_place, set_up),
        cmocka_unit_test_setup(a_wave_alone_says_when_what_was_freed_is_looked_at, set_up),
        cmocka_unit_test_setup(open_requests_are_saved_again_behind_a_restart, set_up),
        cmocka_unit_test_setup(a_persistent_receive_that_a_restart_posts_is_recorded_later, set_up),
        cmocka_unit_test_setup(a_copy_of_a_communicator_is_there_when_its_request_is_complete,
                               set_up),
        cmocka_unit_test_setup(a_buffer_that_is_not_protected_is_refused, set_up),
        cmocka_unit_test_setup(a_buffer_that_a_restart_lacks_is_refused, set_up),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
