/* All Wait and Test functions. */
#include <stdlib.h>

#include "calls.h"
#include "completion.h"
#include "layer.h"
#include "progress.h"
#include "protocol.h"
#include "stream.h"
#include "wrappers/data.h"
#include "wrappers/request.h"

#define FEW 32

/* A call: its requests, and their handles. */
struct asked {
    int count;
    MPI_Request *requests;
    struct sluice_mpi_handle **handles;
    enum sluice_mpi_how how;
    int active;   /* count of requests that can become complete */
    int complete; /* count of complete ones */
};

static bool is_complete(const struct sluice_mpi_handle *handle)
{
    return sluice_mpi_handle_is_active(handle) && handle->complete && !handle->hidden;
}

static void look(struct asked *asked)
{
    asked->complete = 0;
    for (int at = 0; at < asked->count; at++) {
        struct sluice_mpi_handle *handle = asked->handles[at];
        if (sluice_mpi_handle_is_active(handle) && sluice_mpi_handle_look(handle)
            && !handle->hidden) {
            asked->complete++;
        }
    }
}

static bool is_of_one(enum sluice_mpi_how how)
{
    return how == SLUICE_MPI_WAIT || how == SLUICE_MPI_TEST;
}

static bool is_of_all(enum sluice_mpi_how how)
{
    return is_of_one(how) || how == SLUICE_MPI_WAIT_ALL || how == SLUICE_MPI_TEST_ALL;
}

static bool is_satisfied(const struct asked *asked)
{
    return is_of_all(asked->how) || asked->active == 0 ? asked->complete == asked->active
                                                       : asked->complete > 0;
}

/* Blocks in the library, where there is nothing else to do. */
static void block(struct asked *asked)
{
    MPI_Request few[FEW];
    struct sluice_mpi_handle *whose[FEW];
    int count = 0;
    for (int at = 0; at < asked->count && count < FEW; at++) {
        struct sluice_mpi_handle *handle = asked->handles[at];
        if (!sluice_mpi_handle_is_active(handle) || handle->complete
            || handle->real == MPI_REQUEST_NULL) {
            continue;
        }
        if (is_of_all(asked->how)) {
            MPI_Status status;
            handle->error = real.Wait(&handle->real, &status);
            sluice_mpi_handle_completed(handle, &status);
            return;
        }
        whose[count] = handle;
        few[count++] = handle->real;
    }
    if (count == 0 || asked->active - asked->complete > FEW) {
        sluice_mpi_wait(0);
        return;
    }
    int index = MPI_UNDEFINED;
    MPI_Status status;
    const int error = real.Waitany(count, few, &index, &status);
    if (index != MPI_UNDEFINED) {
        whose[index]->real = few[index];
        whose[index]->error = error;
        sluice_mpi_handle_completed(whose[index], &status);
    }
}

static void await(struct asked *asked)
{
    look(asked);
    for (unsigned round = 0; !is_satisfied(asked) && !sluice_mpi_tests(asked->how); round++) {
        if (sluice_mpi.busy)
            sluice_mpi_wait(round);
        else
            block(asked);
        look(asked);
    }
}

/* Notes what the library says of each request when it has failed some of them. */
static void fail(struct sluice_mpi_handle *handle, MPI_Request left, int error,
                 const MPI_Status *status)
{
    if (!sluice_mpi_handle_is_active(handle) || handle->complete)
        return;
    handle->real = left;
    handle->error = error;
    if (error != MPI_ERR_PENDING)
        sluice_mpi_handle_completed(handle, status);
}

/*
 * Reports a complete request to the program: its status, and the call's result. The request is gone
 * then, or inactive.
 */
static int give(MPI_Request *request, struct sluice_mpi_handle *handle, MPI_Status *status)
{
    const int error = handle->error;
    if (status != MPI_STATUS_IGNORE) {
        if (handle->active)
            sluice_mpi_tell_status(status, &handle->status);
        else
            sluice_mpi_empty_status(status);
    }
    if (handle->persistent) {
        handle->active = false;
        handle->complete = false;
        handle->error = MPI_SUCCESS;
        return error;
    }
    *request = handle->lent ? handle->real : MPI_REQUEST_NULL;
    sluice_mpi_handle_end(handle);
    return error;
}

/*
 * Handles a request that the library has completed without an error, and of which the program
 * learns at once. `left` is what the library left of its request.
 */
static void is_over(MPI_Request *request, struct sluice_mpi_handle *handle, MPI_Request left,
                    MPI_Status *status)
{
    if (__builtin_expect(handle->plain, 1)) {
        if (handle->kind == SLUICE_MPI_RECEIVE)
            sluice_mpi_received(handle->comm, status, handle->posted);
        *request = MPI_REQUEST_NULL;
        sluice_mpi_handle_end_plain(handle);
        return;
    }
    if (handle->active && !handle->complete) {
        handle->real = left;
        handle->error = MPI_SUCCESS;
        sluice_mpi_handle_completed(handle, status);
    }
    give(request, handle, status);
}

/*
 * Waits for all requests at once in the library, the most frequent call. Returns whether all are
 * complete, without a failure.
 */
static bool wait_for_all(int count, MPI_Request *requests, MPI_Status *statuses)
{
    struct sluice_mpi_handle *handles[FEW];
    MPI_Request reals[FEW];
    MPI_Status own[FEW];
    if (statuses == MPI_STATUSES_IGNORE || statuses == MPI_STATUS_IGNORE)
        statuses = own;
    for (int at = 0; at < count; at++) {
        struct sluice_mpi_handle *handle = handles[at] = sluice_mpi_handle_of(requests[at]);
        reals[at] = handle != NULL ? handle->real : MPI_REQUEST_NULL;
        if (reals[at] == MPI_REQUEST_NULL && sluice_mpi_handle_is_active(handle)
            && (!handle->complete || handle->error != MPI_SUCCESS)) {
            return false;
        }
    }
    const int result =
        count == 1 ? real.Wait(reals, statuses) : real.Waitall(count, reals, statuses);
    for (int at = 0; at < count; at++) {
        if (result != MPI_SUCCESS) {
            fail(handles[at], reals[at],
                 result == MPI_ERR_IN_STATUS ? statuses[at].MPI_ERROR : result, &statuses[at]);
        } else if (handles[at] != NULL) {
            is_over(&requests[at], handles[at], reals[at], &statuses[at]);
        }
    }
    return result == MPI_SUCCESS;
}

static MPI_Status *status_at(MPI_Status *statuses, int at)
{
    return statuses == MPI_STATUSES_IGNORE || statuses == MPI_STATUS_IGNORE ? MPI_STATUS_IGNORE
                                                                            : &statuses[at];
}

/* Returns the place of a complete request; -1 for none. */
static int first(const struct asked *asked)
{
    for (int at = 0; at < asked->count; at++)
        if (is_complete(asked->handles[at]))
            return at;
    return -1;
}

static int deliver(struct asked *asked, int at, MPI_Status *status)
{
    return give(&asked->requests[at], asked->handles[at], status);
}

/*
 * Returns whether the errors of several requests are told one by one: where any failed. Open MPI
 * always does so.
 */
static bool tells_errors(const struct asked *asked)
{
#ifdef OPEN_MPI
    return !is_of_one(asked->how);
#else
    bool failed = false;
    for (int at = 0; at < asked->count; at++)
        failed |= is_complete(asked->handles[at]) && asked->handles[at]->error != MPI_SUCCESS;
    return failed && !is_of_one(asked->how);
#endif
}

static void set_error(MPI_Status *status, int error)
{
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = error;
}

static int answer_all(struct asked *asked, MPI_Status *statuses)
{
    const bool tells = tells_errors(asked);
    int result = MPI_SUCCESS;
    for (int at = 0; at < asked->count; at++) {
        MPI_Status *status = status_at(statuses, at);
        int error = MPI_SUCCESS;
        if (asked->handles[at] == NULL)
            sluice_mpi_empty_status(status);
        else
            error = deliver(asked, at, status);
        if (tells)
            set_error(status, error);
        if (error != MPI_SUCCESS)
            result = is_of_one(asked->how) ? error : MPI_ERR_IN_STATUS;
    }
    return result;
}

static int answer_some(struct asked *asked, int *outcount, int *indices, MPI_Status *statuses)
{
    const bool tells = tells_errors(asked);
    int result = MPI_SUCCESS;
    int count = 0;
    for (int at = 0; at < asked->count; at++) {
        struct sluice_mpi_handle *handle = asked->handles[at];
        if (!is_complete(handle))
            continue;
        MPI_Status *status = status_at(statuses, count);
        indices[count++] = at;
        const int error = deliver(asked, at, status);
        if (tells)
            set_error(status, error);
        if (error != MPI_SUCCESS)
            result = MPI_ERR_IN_STATUS;
    }
    *outcount = asked->active == 0 ? MPI_UNDEFINED : count;
    return result;
}

static int answer_any(struct asked *asked, int *flag, int *index, MPI_Status *status)
{
    const int at = first(asked);
    if (flag != NULL)
        *flag = at >= 0 || asked->active == 0;
    *index = at >= 0 ? at : MPI_UNDEFINED;
    if (at >= 0)
        return deliver(asked, at, status);
    if (asked->active == 0)
        sluice_mpi_empty_status(status);
    return MPI_SUCCESS;
}

/* Tells the protocol which requests the program learns of. */
static void tell(const struct asked *asked)
{
    struct sluice_mpi_handle **told = malloc((asked->count + 1) * sizeof *told);
    if (told == NULL)
        sluice_mpi_abort("no memory for %d requests", asked->count);
    int count = 0;
    const bool any = asked->how == SLUICE_MPI_WAIT_ANY || asked->how == SLUICE_MPI_TEST_ANY;
    for (int at = 0; at < asked->count && is_satisfied(asked) && (!any || count == 0); at++)
        if (is_complete(asked->handles[at]))
            told[count++] = asked->handles[at];
    sluice_mpi.protocol->calls->completes(told, count);
    free(told);
}

static int answer(struct asked *asked, int *outcount, int *flag, int *indices, MPI_Status *statuses)
{
    if (sluice_mpi.busy)
        tell(asked);
    switch (asked->how) {
    case SLUICE_MPI_WAIT:
    case SLUICE_MPI_WAIT_ALL:
    case SLUICE_MPI_TEST:
    case SLUICE_MPI_TEST_ALL:
        if (flag != NULL)
            *flag = is_satisfied(asked);
        return is_satisfied(asked) ? answer_all(asked, statuses) : MPI_SUCCESS;
    case SLUICE_MPI_WAIT_ANY:
    case SLUICE_MPI_TEST_ANY:
        return answer_any(asked, flag, indices, statuses);
    default:
        return answer_some(asked, outcount, indices, statuses);
    }
}

/* Returns the handle of a request; a new one, for this call, of the library's own request. */
static struct sluice_mpi_handle *find(MPI_Request request)
{
    if (!sluice_mpi_is_foreign(request))
        return sluice_mpi_handle_of(request);
    struct sluice_mpi_handle *handle = sluice_mpi_handle(SLUICE_MPI_UNCOUNTED);
    handle->real = request;
    handle->lent = true;
    return handle;
}

static void take_back(const struct asked *asked)
{
    for (int at = 0; at < asked->count; at++) {
        struct sluice_mpi_handle *handle = asked->handles[at];
        if (handle != NULL && handle->lent && handle->number != 0)
            sluice_mpi_handle_end(handle);
    }
}

int call_complete(int count, MPI_Request *requests, enum sluice_mpi_how how, int *outcount,
                  int *flag, int *indices, MPI_Status *statuses)
{
    sluice_mpi_poll();
    if (is_of_all(how) && !sluice_mpi_tests(how) && count <= FEW && !sluice_mpi.busy
        && !sluice_mpi_lets && wait_for_all(count, requests, statuses)) {
        return MPI_SUCCESS;
    }
    struct sluice_mpi_handle *few[FEW];
    struct asked asked = {.count = count, .requests = requests, .handles = few, .how = how};
    if (count > FEW && (asked.handles = malloc(count * sizeof *asked.handles)) == NULL)
        sluice_mpi_abort("no memory for %d requests", count);
    for (int at = 0; at < count; at++) {
        asked.handles[at] = find(requests[at]);
        asked.active += sluice_mpi_handle_is_active(asked.handles[at]);
        if (asked.handles[at] != NULL)
            asked.handles[at]->hidden = false;
    }
    if (sluice_mpi.busy && sluice_mpi.protocol->calls->answers(count, asked.handles, how))
        look(&asked);
    else
        await(&asked);
    const int result = answer(&asked, outcount, flag, indices, statuses);
    take_back(&asked);
    if (asked.handles != few)
        free(asked.handles);
    return result;
}
