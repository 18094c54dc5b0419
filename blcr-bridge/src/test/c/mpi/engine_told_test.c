/* What calls tell of what they did, and when: statuses, and copies of communicators. */
#include "engine_stubs.h"

#include <string.h>
#include <time.h>

#include "core/calls.h"
#include "core/control.h"
#include "core/handle.h"
#include "core/layer.h"
#include "core/open_requests.h"
#include "core/protocol.h"

static struct sluice_mpi_comm comm;

static int set_up(void **state)
{
    (void)state;
    begin_anew(&comm);
    return 0;
}

/* Nothing knows it before: no protocol may ask it for messages, and no line is taken. */
static void a_copy_of_a_communicator_is_there_when_its_request_is_complete(void **state)
{
    (void)state;
    struct sluice_mpi_bytes saved = {0};
    MPI_Comm made;
    MPI_Request request;
    MPI_Comm_idup(MPI_COMM_SELF, &made, &request);
    const struct sluice_mpi_real former = real;
    real.Ibcast =
        NULL; /* nothing comes among the program's own collectives on the one that is copied */
    real.Allreduce = NULL;
    call_begun(sluice_mpi_comm_begun(made, &comm), &request);
    real = former;
    assert_null(sluice_mpi_comm_of(made));
    assert_non_null(strstr(sluice_mpi_save(&saved), "MPI_Comm_idup"));
    call_complete(1, &request, SLUICE_MPI_WAIT, NULL, NULL, NULL, MPI_STATUS_IGNORE);
    const struct sluice_mpi_comm *copy = sluice_mpi_comm_of(made);
    assert_non_null(copy);
    assert_true(copy->id != comm.id && copy->early);
    struct sluice_mpi_comm other = {.id = comm.id, .size = 8, .world = comm.world};
    struct sluice_mpi_comm *first = sluice_mpi_comm_begun(MPI_COMM_NULL, &other);
    struct sluice_mpi_comm *second = sluice_mpi_comm_begun(MPI_COMM_NULL, &other);
    assert_true(first->id == copy->id); /* another member's */
    assert_true(second->id != copy->id && second->id != comm.id);
    sluice_mpi_comm_end(first);
    sluice_mpi_comm_end(second);
    assert_int_equal(copy->world[7], 7);
    sluice_mpi_comm_end(sluice_mpi_comm_freed(made));
    MPI_Comm_free(&made);
}

#define MANY 60000

static MPI_Comm many(int number)
{
    return (MPI_Comm)(uintptr_t)(16 * (number + 1));
}

/* Each is found and freed at once, however many there are: a walk through all would take this for half a minute. */
static void many_communicators_are_found_and_freed_in_any_order(void **state)
{
    (void)state;
    struct sluice_mpi_comm other = {.id = comm.id, .size = 8, .world = comm.world};
    const clock_t before = clock();
    for (int i = 0; i < MANY; i++)
        sluice_mpi_comm_done(sluice_mpi_comm_begun(many(i), &other));
    for (int i = 0; i < MANY; i += 2)
        sluice_mpi_comm_end(sluice_mpi_comm_freed(many(i)));
    for (int i = 0; i < MANY; i++) {
        const struct sluice_mpi_comm *found = sluice_mpi_comm_of(many(i));
        assert_true(i % 2 == 0 ? found == NULL : found->handle == many(i));
    }
    for (int i = MANY - 1; i > 0; i -= 2)
        sluice_mpi_comm_end(sluice_mpi_comm_freed(many(i)));
    assert_ptr_equal(sluice_mpi_comms, &comm);
    assert_null(comm.next);
    assert_true(clock() - before < 2 * CLOCKS_PER_SEC);
}

static void is_told(MPI_Status *status, int tag)
{
    assert_int_equal(status->MPI_TAG, tag);
    assert_int_equal(status->MPI_ERROR, 77);
    status->MPI_TAG = 0;
}

static void a_call_of_one_message_leaves_the_error_of_its_status(void **state)
{
    (void)state;
    int out = 5;
    int in = 0;
    int flag = 0;
    MPI_Request requests[2];
    MPI_Status status = {.MPI_ERROR = 77};
    sluice_mpi.session = (sluice_session *)&comm;
    sluice_mpi.wave = 1;
    sluice_mpi_look_busy();
    call_isend(SLUICE_MPI_STANDARD, &out, 1, MPI_INT, 0, 8, MPI_COMM_SELF, &requests[0]);
    call_recv(&in, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_SELF, &status);
    is_told(&status, 8);
    call_complete(1, requests, SLUICE_MPI_WAIT, NULL, NULL, NULL, &status);
    call_sendrecv(&out, 1, MPI_INT, 0, 9, &in, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &status);
    is_told(&status, 9);
    call_sendrecv_replace(&out, 1, MPI_INT, 0, 9, 0, 9, MPI_COMM_SELF, &status);
    is_told(&status, 9);
    call_isend(SLUICE_MPI_STANDARD, &out, 1, MPI_INT, 0, 10, MPI_COMM_SELF, &requests[0]);
    call_irecv(&in, 1, MPI_INT, 0, 10, MPI_COMM_SELF, &requests[1]);
    while (!flag)
        call_get_status(requests[1], &flag, &status);
    is_told(&status, 10);
    call_complete(2, requests, SLUICE_MPI_WAIT_ALL, NULL, NULL, NULL, MPI_STATUSES_IGNORE);
    call_complete(1, requests, SLUICE_MPI_TEST, NULL, &flag, NULL, &status);
    is_told(&status, MPI_ANY_TAG);
    sluice_mpi.session = NULL;
    sluice_mpi.wave = 0;
    sluice_mpi_look_busy();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    sluice_mpi_find();
    sluice_mpi_requests_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(many_communicators_are_found_and_freed_in_any_order, set_up),
        cmocka_unit_test_setup(a_copy_of_a_communicator_is_there_when_its_request_is_complete,
                               set_up),
        cmocka_unit_test_setup(a_call_of_one_message_leaves_the_error_of_its_status, set_up),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
