/*
 * Says all that calls tell of requests: inactive ones, null ones, complete ones, those of MPI_PROC_NULL and of matched
 * messages. A status has another error before, which MPI leaves there or not, as it will.
 */
#include <mpi.h>
#include <stdio.h>

#include "sluice_mpi.h"

#define BEFORE 77
#define SENDS 3

static int value;
static int came;

static MPI_Status unset(void)
{
    MPI_Status status;
    for (size_t at = 0; at < sizeof status; at++)
        ((unsigned char *)&status)[at] = 0;
    status.MPI_SOURCE = status.MPI_TAG = status.MPI_ERROR = BEFORE;
    return status;
}

/* Of a send only this is told. */
static void say_error(const char *call, const char *of, int flag, const MPI_Status *status)
{
    int cancelled;
    MPI_Test_cancelled(status, &cancelled);
    printf("%s of %s: %d, error %d, cancelled %d\n", call, of, flag, status->MPI_ERROR, cancelled);
}

static void say(const char *call, const char *of, int flag, const MPI_Status *status)
{
    int count;
    MPI_Get_count(status, MPI_INT, &count);
    printf("%d from %d by %d: ", count, status->MPI_SOURCE, status->MPI_TAG);
    say_error(call, of, flag, status);
}

typedef MPI_Request make(void);
typedef void tell(const char *call, const char *of, int flag, const MPI_Status *status);

static MPI_Request null(void)
{
    return MPI_REQUEST_NULL;
}

static MPI_Request inactive(void)
{
    MPI_Request request;
    MPI_Recv_init(&came, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &request);
    return request;
}

static MPI_Request started(void)
{
    MPI_Request request = inactive();
    MPI_Start(&request);
    MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_SELF);
    return request;
}

static MPI_Request received(void)
{
    MPI_Request request;
    MPI_Irecv(&came, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_SELF, &request);
    MPI_Send(&value, 1, MPI_INT, 0, 4, MPI_COMM_SELF);
    return request;
}

static MPI_Request matched(void)
{
    MPI_Message message;
    MPI_Request request;
    MPI_Request send;
    MPI_Isend(&value, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &send);
    MPI_Mprobe(0, 5, MPI_COMM_SELF, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(&came, 1, MPI_INT, &message, &request);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    return request;
}

static MPI_Request from_nobody(void)
{
    MPI_Request request;
    MPI_Irecv(&came, 1, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_SELF, &request);
    return request;
}

static MPI_Request cancelled(void)
{
    MPI_Request request;
    MPI_Irecv(&came, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &request);
    MPI_Cancel(&request);
    return request;
}

static MPI_Request sent(void)
{
    MPI_Request request;
    MPI_Request receive;
    MPI_Irecv(&came, 1, MPI_INT, 0, 8, MPI_COMM_SELF, &receive);
    MPI_Isend(&value, 1, MPI_INT, 0, 8, MPI_COMM_SELF, &request);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    return request;
}

static MPI_Request met(void)
{
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_SELF, &request);
    return request;
}

static void end(MPI_Request *request)
{
    if (*request != MPI_REQUEST_NULL)
        MPI_Request_free(request);
}

static void ask_for_one(make *made, const char *of, tell *say_it)
{
    MPI_Status status = unset();
    MPI_Request request = made();
    int flag = BEFORE;
    MPI_Wait(&request, &status);
    say_it("Wait", of, request == MPI_REQUEST_NULL, &status);
    end(&request);
    request = made();
    while (!flag || flag == BEFORE) {
        status = unset();
        MPI_Request_get_status(request, &flag, &status);
    }
    say_it("Request_get_status", of, flag, &status);
    flag = 0;
    while (!flag) {
        status = unset();
        MPI_Test(&request, &flag, &status);
    }
    say_it("Test", of, request == MPI_REQUEST_NULL, &status);
    end(&request);
}

static void ask_for_any(make *made, const char *of, tell *say_it)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, made()};
    MPI_Status status = unset();
    int index = BEFORE;
    int flag = 0;
    MPI_Waitany(2, requests, &index, &status);
    say_it("Waitany", of, index, &status);
    end(&requests[1]);
    requests[1] = made();
    while (!flag) {
        status = unset();
        MPI_Testany(2, requests, &index, &flag, &status);
    }
    say_it("Testany", of, index, &status);
    end(&requests[1]);
}

static void ask_for_all(make *made, const char *of, tell *say_it)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, made()};
    MPI_Status statuses[2] = {unset(), unset()};
    int flag = 0;
    MPI_Waitall(2, requests, statuses);
    say("Waitall", "null beside it", 0, &statuses[0]);
    say_it("Waitall", of, requests[1] == MPI_REQUEST_NULL, &statuses[1]);
    end(&requests[1]);
    requests[1] = made();
    while (!flag) {
        statuses[0] = statuses[1] = unset();
        MPI_Testall(2, requests, &flag, statuses);
    }
    say("Testall", "null beside it", 0, &statuses[0]);
    say_it("Testall", of, requests[1] == MPI_REQUEST_NULL, &statuses[1]);
    end(&requests[1]);
}

static void ask_for_some(make *made, const char *of, tell *say_it)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, made()};
    MPI_Status statuses[2] = {unset(), unset()};
    int indices[2] = {BEFORE, BEFORE};
    int count = 0;
    MPI_Waitsome(2, requests, &count, indices, statuses);
    if (count == 1)
        say_it("Waitsome", of, indices[0], &statuses[0]);
    else
        printf("Waitsome of %s: %d\n", of, count);
    end(&requests[1]);
    requests[1] = made();
    for (count = 0; count == 0;) {
        statuses[0] = unset();
        MPI_Testsome(2, requests, &count, indices, statuses);
    }
    if (count == 1)
        say_it("Testsome", of, indices[0], &statuses[0]);
    else
        printf("Testsome of %s: %d\n", of, count);
    end(&requests[1]);
}

static void ask(make *made, const char *of, tell *say_it)
{
    sluice_potential_checkpoint();
    ask_for_one(made, of, say_it);
    ask_for_any(made, of, say_it);
    ask_for_all(made, of, say_it);
    ask_for_some(made, of, say_it);
}

static void ask_without_request(int source, const char *of)
{
    MPI_Status status = unset();
    MPI_Message message;
    int flag = 0;
    MPI_Recv(&came, source == MPI_PROC_NULL ? 0 : 1, MPI_INT, source, 9, MPI_COMM_SELF, &status);
    say("Recv", of, 0, &status);
    status = unset();
    MPI_Probe(source, 9, MPI_COMM_SELF, &status);
    say("Probe", of, 0, &status);
    while (!flag) {
        status = unset();
        MPI_Iprobe(source, 9, MPI_COMM_SELF, &flag, &status);
    }
    say("Iprobe", of, flag, &status);
    status = unset();
    MPI_Mprobe(source, 9, MPI_COMM_SELF, &message, &status);
    say("Mprobe", of, message == MPI_MESSAGE_NO_PROC, &status);
    status = unset();
    MPI_Mrecv(&came, 1, MPI_INT, &message, &status);
    say("Mrecv", of, message == MPI_MESSAGE_NULL, &status);
    for (flag = 0; !flag;) {
        status = unset();
        MPI_Improbe(source, 9, MPI_COMM_SELF, &flag, &message, &status);
    }
    say("Improbe", of, message == MPI_MESSAGE_NO_PROC, &status);
    status = unset();
    MPI_Mrecv(&came, 1, MPI_INT, &message, &status);
    say("Mrecv", of, message == MPI_MESSAGE_NULL, &status);
    status = unset();
    MPI_Sendrecv(&value, 1, MPI_INT, source, 10, &came, 1, MPI_INT, source, 10, MPI_COMM_SELF,
                 &status);
    say("Sendrecv", of, 0, &status);
}

int main(int count, char **arguments)
{
    MPI_Request sends[SENDS];
    MPI_Init(&count, &arguments);
    ask(null, "a null request", say);
    ask(inactive, "an inactive one", say);
    ask(started, "a persistent one", say);
    ask(received, "a receive", say);
    ask(matched, "a matched one", say);
    ask(from_nobody, "a receive from nobody", say);
    ask(cancelled, "a cancelled one", say_error);
    ask(sent, "a send", say_error);
    ask(met, "a collective", say_error);
    ask_without_request(MPI_PROC_NULL, "nobody");
    for (int at = 0; at < SENDS; at++)
        MPI_Isend(&value, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &sends[at]);
    ask_without_request(0, "itself");
    MPI_Waitall(SENDS, sends, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
