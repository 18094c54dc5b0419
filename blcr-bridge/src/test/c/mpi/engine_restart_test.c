/* What an image has of requests, and a restart makes of it. */
#include "engine_stubs.h"

#include <string.h>

#include "c3/record.h"
#include "core/calls.h"
#include "core/control.h"
#include "core/handle.h"
#include "core/layer.h"
#include "core/open_requests.h"
#include "core/protocol.h"
#include "core/regions.h"
#include "core/stream.h"
#include "wrappers/attached.h"
#include "wrappers/data.h"
#include "wrappers/request.h"

/* BETWEEN: from the value of a request to that of the next place. */
#ifdef OPEN_MPI
#define BETWEEN ((int64_t)sizeof(struct sluice_mpi_slot))
#else
#define BETWEEN 1
#endif

static struct sluice_mpi_comm comm;

static int set_up(void **state)
{
    (void)state;
    begin_anew(&comm);
    return 0;
}

static void wait_for(MPI_Request *request)
{
    assert_int_equal(
        call_complete(1, request, SLUICE_MPI_WAIT_ALL, NULL, NULL, NULL, MPI_STATUS_IGNORE),
        MPI_SUCCESS);
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

/* Others take the places of those that ended last, which chance decides at each start of a program. */
static void persistent_requests_have_the_same_values_again(void **state)
{
    (void)state;
    int in = 0;
    MPI_Request requests[2], values[2];
    for (int round = 0; round < 2; round++) {
        struct sluice_mpi_handle *two[2] = {sluice_mpi_handle(SLUICE_MPI_SEND),
                                            sluice_mpi_handle(SLUICE_MPI_SEND)};
        sluice_mpi_handle_end(two[0]);
        sluice_mpi_handle_end(two[1]);
        for (int at = 0; at < 2; at++) {
            call_recv_init(&in, 1, MPI_INT, 0, at, MPI_COMM_SELF, &requests[at]);
            if (round == 0)
                values[at] = requests[at];
            assert_true(requests[at] == values[at]);
        }
        call_request_free(&requests[1]);
        call_request_free(&requests[0]);
    }
    assert_null(sluice_mpi.handles);
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
    assert_ptr_equal(sluice_mpi.handles, restored);
    assert_null(restored->next);
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
    wait_for(&request);
    call_request_free(&request);
    struct sluice_mpi_reader reader = {saved.data, saved.data + saved.length, false};
    sluice_mpi_restore(&reader);
    assert_false(reader.damaged);
    request = value;
    call_send(SLUICE_MPI_STANDARD, &out, 1, MPI_INT, 0, 8, MPI_COMM_SELF);
    wait_for(&request);
    assert_int_equal(in, 5);
    sluice_mpi.protocol = sluice_mpi_protocol_of(SLUICE_C3_NUMBER);
    sluice_mpi_record_begin();
    sluice_mpi.busy = true;
    call_start(1, &request);
    assert_int_equal(sluice_mpi_record_events(), 1);
    sluice_mpi_record_end();
    sluice_mpi.protocol = sluice_mpi_protocol_of(SLUICE_PCL_NUMBER);
    sluice_mpi_look_busy();
    call_cancel(&request);
    wait_for(&request);
    call_request_free(&request);
    sluice_mpi_region_protect(1, NULL, 0);
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

/* A program may free a type once a request has it, wherever that sends to. */
static void a_freed_type_is_known_at_a_restart(void **state)
{
    (void)state;
    static int memory[4];
    struct sluice_mpi_bytes saved = {0};
    MPI_Datatype type;
    MPI_Request nowhere;
    sluice_mpi_region_protect(1, memory, sizeof memory);
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    call_send_init(SLUICE_MPI_STANDARD, memory, 1, type, MPI_PROC_NULL, 1, MPI_COMM_SELF, &nowhere);
    call_type_freed(type);
    assert_true(sluice_mpi_handle_of(nowhere)->type != type);
    MPI_Type_free(&type);
    assert_null(sluice_mpi_save(&saved));
    call_request_free(&nowhere);
    sluice_mpi_region_protect(1, NULL, 0);
}

/* What MPI_Imrecv has received is in memory when it returns, and its request may be waited for behind the line. */
static void a_matched_message_must_lie_in_protected_memory(void **state)
{
    (void)state;
    static int elsewhere;
    struct sluice_mpi_bytes saved = {0};
    MPI_Status status;
    MPI_Request request;
    sluice_mpi_empty_status(&status);
    call_ready(&elsewhere, 1, MPI_INT, &status, &request);
    assert_non_null(strstr(sluice_mpi_save(&saved), "not in protected memory"));
    wait_for(&request);
    assert_null(sluice_mpi_save(&saved));
}

/* A restart would post it again, and nobody would cancel it. */
static void what_is_being_cancelled_is_refused(void **state)
{
    (void)state;
    static int memory;
    struct sluice_mpi_bytes saved = {0};
    sluice_mpi_region_protect(1, &memory, sizeof memory);
    struct sluice_mpi_handle *open = sluice_mpi_handle_message(SLUICE_MPI_RECEIVE, &comm, &memory,
                                                               1, MPI_INT, MPI_ANY_SOURCE, 7);
    assert_null(sluice_mpi_save(&saved));
    open->cancelled = true;
    assert_non_null(strstr(sluice_mpi_save(&saved), "MPI_Cancel was called for"));
    open->complete = true;
    sluice_mpi_empty_status(&open->status);
    assert_null(sluice_mpi_save(&saved));
    open->kind = SLUICE_MPI_SEND; /* of which an image has no status */
    assert_non_null(strstr(sluice_mpi_save(&saved), "MPI_Cancel was called for"));
    sluice_mpi_region_protect(1, NULL, 0);
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
        cmocka_unit_test_setup(requests_have_the_values_that_a_checkpoint_has, set_up),
        cmocka_unit_test_setup(persistent_requests_have_the_same_values_again, set_up),
        cmocka_unit_test_setup(a_freed_type_is_known_at_a_restart, set_up),
        cmocka_unit_test_setup(a_matched_message_must_lie_in_protected_memory, set_up),
        cmocka_unit_test_setup(what_was_freed_behind_the_first_spot_gives_its_place, set_up),
        cmocka_unit_test_setup(open_requests_are_saved_again_behind_a_restart, set_up),
        cmocka_unit_test_setup(a_persistent_receive_that_a_restart_posts_is_recorded_later, set_up),
        cmocka_unit_test_setup(a_buffer_that_is_not_protected_is_refused, set_up),
        cmocka_unit_test_setup(what_is_being_cancelled_is_refused, set_up),
        cmocka_unit_test_setup(a_buffer_that_a_restart_lacks_is_refused, set_up),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
