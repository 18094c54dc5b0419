/* Requests of the program: what is behind them, and how they complete. */
#include "engine_stubs.h"

#include <string.h>

#include "core/calls.h"
#include "core/completion.h"
#include "core/control.h"
#include "core/handle.h"
#include "core/layer.h"
#include "core/open_requests.h"
#include "core/progress.h"
#include "core/protocol.h"
#include "core/stream.h"

#ifdef OPEN_MPI
#define SEES_NO_TRUNCATION true
#else
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

static void handle_errors_by(MPI_Errhandler handler)
{
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
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
    assert_int_equal(sluice_mpi_counts_sum(&sluice_mpi.got), 2);
    assert_int_equal(sluice_mpi_counts_sum(&sluice_mpi.sent), 2);
    call_request_free(&requests[2]);
    call_request_free(&requests[3]);
    assert_null(sluice_mpi.handles);
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
    handle_errors_by(MPI_ERRORS_RETURN);
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
    assert_int_equal(sluice_mpi_counts_sum(&sluice_mpi.got), 2);
    assert_null(sluice_mpi.handles);
    irecv(&in[1], 9, &requests[1]);
    call_isend(SLUICE_MPI_STANDARD, out, 2, MPI_INT, 0, 9, MPI_COMM_SELF, &requests[0]);
    while (!sluice_mpi_handle_look(sluice_mpi_handle_of(requests[1])))
        continue;
    assert_int_equal(wait_all(2, requests, statuses), MPI_ERR_IN_STATUS);
    assert_true(sluice_mpi_is_truncated(statuses[1].MPI_ERROR));
    handle_errors_by(MPI_ERRORS_ARE_FATAL);
}

/* A call for one request returns what became of it, and a call for an array of one that it is in the status. */
static void an_array_of_one_has_its_error_in_the_status(void **state)
{
    (void)state;
    static const enum sluice_mpi_how hows[] = {
        SLUICE_MPI_WAIT,     SLUICE_MPI_TEST,      SLUICE_MPI_WAIT_ALL,
        SLUICE_MPI_TEST_ALL, SLUICE_MPI_WAIT_SOME, SLUICE_MPI_TEST_SOME,
    };
    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++) {
        MPI_Request request;
        MPI_Status status;
        int flag;
        int count;
        int index;
        call_irecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 9, MPI_COMM_SELF, &request);
        sluice_mpi_handle_of(request)->error = MPI_ERR_OTHER;
        const int result = call_complete(1, &request, hows[i], &count, &flag, &index, &status);
        assert_int_equal(result, i < 2 ? MPI_ERR_OTHER : MPI_ERR_IN_STATUS);
        if (i >= 2)
            assert_int_equal(status.MPI_ERROR, MPI_ERR_OTHER);
        assert_true(request == MPI_REQUEST_NULL);
    }
}

static void requests_are_numbered_anew(void **state)
{
    (void)state;
    sluice_mpi.requests = INT64_C(1) << 40;
    struct sluice_mpi_handle *one = sluice_mpi_handle(SLUICE_MPI_SEND);
    struct sluice_mpi_handle *other = sluice_mpi_handle(SLUICE_MPI_RECEIVE);
    sluice_mpi_renumber();
    assert_int_equal(one->number, 1);
    assert_int_equal(other->number, 2);
    assert_ptr_equal(sluice_mpi_handle_of(other->request), other);
    assert_int_equal(sluice_mpi_handle(SLUICE_MPI_SEND)->number, 3);
}

static int refused;

static void count_refused(MPI_Comm *where, int *error, ...)
{
    (void)where;
    int class;
    MPI_Error_class(*error, &class);
    refused += class == MPI_ERR_REQUEST;
}

static void a_request_that_cannot_be_started_is_an_error_by_the_handler(void **state)
{
    (void)state;
    MPI_Errhandler counting;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_create_errhandler(count_refused, &counting);
    handle_errors_by(counting);
    assert_int_equal(call_start(1, &request), MPI_ERR_REQUEST);
    assert_int_equal(call_request_free(&request), MPI_ERR_REQUEST);
    assert_int_equal(call_cancel(&request), MPI_ERR_REQUEST);
    assert_int_equal(refused, 3);
    handle_errors_by(MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&counting);
}

/* Nothing would ever complete it. */
static void a_start_that_mpi_refuses_leaves_the_request_as_it_was(void **state)
{
    (void)state;
    int in;
    MPI_Datatype type;
    MPI_Request request;
    MPI_Type_contiguous(1, MPI_INT, &type); /* not committed */
    handle_errors_by(MPI_ERRORS_RETURN);
    call_recv_init(&in, 1, type, 0, 9, MPI_COMM_SELF, &request);
    assert_int_not_equal(call_start(1, &request), MPI_SUCCESS);
    assert_false(sluice_mpi_handle_of(request)->active);
    assert_int_equal(wait_all(1, &request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    call_request_free(&request);
    handle_errors_by(MPI_ERRORS_ARE_FATAL);
    MPI_Type_free(&type);
    assert_null(sluice_mpi.handles);
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
    assert_int_equal(sluice_mpi.freed_requests, 1);
    call_isend(SLUICE_MPI_SYNCHRONOUS, &out, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &request);
    call_request_free(&request);
    assert_int_equal(sluice_mpi.freed_requests, 1);
    assert_ptr_equal(sluice_mpi.handles->next, NULL); /* the receive */
    call_recv(&in, 1, MPI_INT, 0, 9, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    call_send(SLUICE_MPI_STANDARD, &out, 1, MPI_INT, 0, 8, MPI_COMM_SELF);
    while (!sluice_mpi_handle_look(sluice_mpi.handles))
        continue;
    sluice_mpi_handle_end(sluice_mpi.handles);
    assert_int_equal(sluice_mpi.freed_requests, 0);
    assert_int_equal(sluice_mpi_counts_sum(&sluice_mpi.got), 2);
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
    assert_int_equal(sluice_mpi_counts_sum(&sluice_mpi.sent), 1);
    call_cancel(&request);
    call_complete(1, &request, SLUICE_MPI_WAIT_ALL, NULL, NULL, NULL, &status);
    real.Test_cancelled(&status, &cancelled);
    assert_int_equal(sluice_mpi_counts_sum(&sluice_mpi.sent), cancelled ? 0 : 1);
    if (!cancelled)
        call_recv(&in, 1, MPI_INT, 0, 8, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

/* Whether it is, MPI says when it is complete. */
static void a_cancelled_send_that_is_freed_is_looked_at(void **state)
{
    (void)state;
    const int out = 5;
    int in;
    MPI_Request request;
    call_isend(SLUICE_MPI_SYNCHRONOUS, &out, 1, MPI_INT, 0, 12, MPI_COMM_SELF, &request);
    call_cancel(&request);
    call_request_free(&request);
    if (sluice_mpi.handles == NULL) { /* it is cancelled */
        assert_int_equal(sluice_mpi_counts_sum(&sluice_mpi.sent), 0);
        return;
    }
    assert_int_equal(sluice_mpi.freed_requests, 1);
    call_recv(&in, 1, MPI_INT, 0, 12, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    while (!sluice_mpi_handle_look(sluice_mpi.handles))
        continue;
    sluice_mpi_handle_end(sluice_mpi.handles);
    assert_int_equal(sluice_mpi_counts_sum(&sluice_mpi.sent), 1);
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
    assert_null(sluice_mpi.handles);
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
    sluice_mpi.session = (sluice_session *)&comm;
    sluice_mpi.wave = 1;
    sluice_mpi_look_busy();
    for (int i = 0; i < 1000; i++)
        sluice_mpi_progress();
    assert_int_equal(sluice_mpi_counts_sum(&sluice_mpi.got), 0);
    sluice_mpi.wave = 0;
    while (sluice_mpi.handles != NULL)
        sluice_mpi_progress();
    assert_int_equal(sluice_mpi_counts_sum(&sluice_mpi.got), 1);
    sluice_mpi.session = NULL;
    sluice_mpi_look_busy();
}

static void an_exchange_of_no_type_is_an_error_of_mpi(void **state)
{
    (void)state;
    int in = 0;
    handle_errors_by(MPI_ERRORS_RETURN);
    assert_int_not_equal(call_sendrecv_replace(&in, 1, MPI_DATATYPE_NULL, 0, 9, 0, 9, MPI_COMM_SELF,
                                               MPI_STATUS_IGNORE),
                         MPI_SUCCESS);
    handle_errors_by(MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    sluice_mpi_find();
    sluice_mpi_requests_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(one_wait_takes_requests_of_any_kind, set_up),
        cmocka_unit_test_setup(a_wait_tells_of_each_what_became_of_it, set_up),
        cmocka_unit_test_setup(an_array_of_one_has_its_error_in_the_status, set_up),
        cmocka_unit_test_setup(requests_are_numbered_anew, set_up),
        cmocka_unit_test_setup(a_request_that_cannot_be_started_is_an_error_by_the_handler, set_up),
        cmocka_unit_test_setup(a_start_that_mpi_refuses_leaves_the_request_as_it_was, set_up),
        cmocka_unit_test_setup(a_freed_send_is_forgotten_and_a_freed_receive_awaited, set_up),
        cmocka_unit_test_setup(a_cancelled_send_is_not_counted, set_up),
        cmocka_unit_test_setup(a_cancelled_send_that_is_freed_is_looked_at, set_up),
        cmocka_unit_test_setup(a_type_may_be_freed_before_its_request_is_complete, set_up),
        cmocka_unit_test_setup(the_request_of_what_was_freed_is_made_again, set_up),
        cmocka_unit_test_setup(a_wave_alone_says_when_what_was_freed_is_looked_at, set_up),
        cmocka_unit_test_setup(an_exchange_of_no_type_is_an_error_of_mpi, set_up),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
