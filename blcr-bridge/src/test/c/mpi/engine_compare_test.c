/* What differs between protected memory and an image of it, and what may. */
#include "engine_stubs.h"

#include <stdlib.h>
#include <string.h>

#include "core/calls.h"
#include "core/compare.h"
#include "core/handle.h"
#include "core/regions.h"
#include "wrappers/request.h"

enum { ID = 3, BYTES = 10000 };

static struct {
    MPI_Request request;
    int64_t one;
    unsigned char memory[BYTES];
} is;

static struct sluice_mpi_comm comm;
static jmp_buf ended;

static int end_job(MPI_Comm of, int status)
{
    (void)of;
    longjmp(ended, status);
}

static void have_image(void)
{
    image("state")->length = 0;
    sluice_mpi_bytes_put(image("state"), &is, sizeof is);
}

/* Whether the comparison ends the job. */
static bool differs(void)
{
    __typeof__(real.Abort) abort_job = real.Abort;
    real.Abort = end_job;
    const int status = setjmp(ended);
    if (status == 0)
        sluice_mpi_compare(2, 1, 10);
    real.Abort = abort_job;
    sluice_mpi_inside = 0;
    return status == 3;
}

static void each_byte_counts(void **state)
{
    (void)state;
    static const int places[] = {0, 1, 4095, 4096, 8191, BYTES - 1};
    have_image();
    assert_false(differs());
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        is.memory[places[i]] ^= 1;
        assert_true(differs());
        is.memory[places[i]] ^= 1;
    }
    is.one++;
    assert_true(differs());
    is.one--;
    assert_false(differs());
}

static void an_open_receive_may_have_its_message(void **state)
{
    (void)state;
    MPI_Request request;
    have_image();
    call_irecv(is.memory + 100, 10, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_SELF, &request);
    memset(is.memory + 100, 1, 40);
    assert_false(differs());
    is.memory[140] = 1;
    assert_true(differs());
    is.memory[140] = 0;
    call_cancel(&request);
    call_complete(1, &request, SLUICE_MPI_WAIT, NULL, NULL, NULL, MPI_STATUS_IGNORE);
    assert_true(differs());
    memset(is.memory + 100, 0, 40);
}

/* Each run gives it another place in the table. */
static void a_request_may_have_another_value(void **state)
{
    (void)state;
    MPI_Request two[2];
    for (int i = 0; i < 2; i++)
        call_irecv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_SELF, &two[i]);
    is.request = two[0];
    have_image();
    is.request = two[1];
    assert_false(differs());
    is.request = MPI_REQUEST_NULL;
    assert_false(differs());
    memset(&is.request, 1, sizeof is.request);
    assert_true(differs());
    is.request = MPI_REQUEST_NULL;
    for (int i = 0; i < 2; i++) {
        call_cancel(&two[i]);
        call_complete(1, &two[i], SLUICE_MPI_WAIT, NULL, NULL, NULL, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    sluice_mpi_find();
    sluice_mpi_requests_begin();
    begin_anew(&comm);
    is.request = MPI_REQUEST_NULL;
    sluice_mpi_region_protect(ID, &is, sizeof is);
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_byte_counts),
        cmocka_unit_test(an_open_receive_may_have_its_message),
        cmocka_unit_test(a_request_may_have_another_value),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
