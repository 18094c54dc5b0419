/*
 * Calls all sorts of functions of MPI, and looks at what they do: with the layer preloaded it must be the same. Rank 0
 * says "ok", and what MPIs do in ways of their own. Needs at least two ranks.
 */
#include <mpi.h>
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Barrier_init MPIX_Barrier_init
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sluice_mpi.h"

static int rank, ranks, left, right;
static int
    empty_error; /* of a status that belongs to no request: success by the standard, left alone by many */

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "rank %d: line %d: not %s\n", rank, __LINE__, #what);                  \
            MPI_Abort(MPI_COMM_WORLD, 9);                                                          \
        }                                                                                          \
    } while (0)

static void halo(void)
{
    double field[12];
    for (int i = 0; i < 12; i++)
        field[i] = rank;
    MPI_Request requests[4];
    MPI_Status statuses[4];
    MPI_Irecv(field, 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(field + 11, 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(field + 10, 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Issend(field + 1, 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
    CHECK(requests[0] != requests[1] && requests[0] != MPI_REQUEST_NULL);
    MPI_Waitall(4, requests, statuses);
    CHECK(field[0] == left && field[11] == right);
    CHECK(statuses[0].MPI_SOURCE == left && statuses[1].MPI_TAG == 2);
    for (int i = 0; i < 4; i++)
        CHECK(requests[i] == MPI_REQUEST_NULL);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void any_and_some(void)
{
    int got[6], index, flag, count, indices[6], sum = 0;
    MPI_Request requests[6];
    MPI_Status status, statuses[6];
    for (int i = 0; i < 6; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, 10 + i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 5; i >= 0; i--) {
        const int value = 100 * rank + i;
        MPI_Send(&value, 1, MPI_INT, right, 10 + i, MPI_COMM_WORLD);
    }
    MPI_Waitany(6, requests, &index, &status);
    CHECK(got[index] == 100 * left + index && status.MPI_TAG == 10 + index);
    sum += 1 << index;
    do {
        MPI_Testany(6, requests, &index, &flag, MPI_STATUS_IGNORE);
    } while (!flag);
    sum += 1 << index;
    MPI_Waitsome(6, requests, &count, indices, statuses);
    CHECK(count >= 1);
    for (int i = 0; i < count; i++)
        sum += 1 << indices[i];
    while (sum != 63) {
        MPI_Testsome(6, requests, &count, indices, MPI_STATUSES_IGNORE);
        CHECK(count != MPI_UNDEFINED);
        for (int i = 0; i < count; i++)
            sum += 1 << indices[i];
    }
    MPI_Testsome(6, requests, &count, indices, MPI_STATUSES_IGNORE);
    CHECK(count == MPI_UNDEFINED);
    MPI_Waitany(6, requests, &index, &status);
    CHECK(index == MPI_UNDEFINED);
    MPI_Testall(6, requests, &flag, statuses);
    CHECK(flag);
}

static void persistent(void)
{
    int out, in, flag;
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Send_init(&out, 1, MPI_INT, right, 20, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&in, 1, MPI_INT, left, 20, MPI_COMM_WORLD, &requests[1]);
    const MPI_Request kept = requests[1];
    MPI_Test(&requests[1], &flag, &status);
    CHECK(flag && requests[1] == kept);
    for (int i = 0; i < 3; i++) {
        out = 10 * rank + i;
        if (i == 1) {
            MPI_Start(&requests[1]);
            MPI_Start(&requests[0]);
        } else {
            MPI_Startall(2, requests);
        }
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        CHECK(in == 10 * left + i && requests[1] == kept);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
}

static void probes(void)
{
    int value = 7 + rank, got = 0, flag = 0, bytes;
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    for (int i = 0; i < 3; i++) {
        MPI_Isend(&value, 1, MPI_INT, right, 30 + i, MPI_COMM_WORLD, &request);
        if (i == 0) {
            while (!flag)
                MPI_Iprobe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
            MPI_Get_count(&status, MPI_INT, &bytes);
            CHECK(bytes == 1 && status.MPI_TAG == 30);
            MPI_Recv(&got, 1, MPI_INT, left, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (i == 1) {
            MPI_Mprobe(MPI_ANY_SOURCE, 31, MPI_COMM_WORLD, &message, &status);
            CHECK(status.MPI_SOURCE == left && message != MPI_MESSAGE_NULL);
            MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
            CHECK(status.MPI_SOURCE == left && message == MPI_MESSAGE_NULL);
        } else {
            MPI_Request later;
            do {
                MPI_Improbe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
            } while (!flag);
            MPI_Imrecv(&got, 1, MPI_INT, &message, &later);
            MPI_Wait(&later, &status);
            MPI_Get_count(&status, MPI_INT, &bytes);
            CHECK(bytes == 1 && status.MPI_TAG == 32 && later == MPI_REQUEST_NULL);
        }
        CHECK(got == 7 + left);
        got = 0;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status);
    CHECK(message == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
    CHECK(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL);
}

/* Only what fails some of several requests sets the error of a status. */
static void errors_of_statuses(void)
{
    int out = 5, in = 0, flag = 0;
    MPI_Request requests[2];
    MPI_Message message;
    MPI_Status status = {.MPI_ERROR = 77};
    for (int i = 0; i < 2; i++) {
        MPI_Isend(&out, 1, MPI_INT, right, 35, MPI_COMM_WORLD, &requests[0]);
        MPI_Mprobe(left, 35, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        if (i == 0) {
            MPI_Mrecv(&in, 1, MPI_INT, &message, &status);
        } else {
            MPI_Imrecv(&in, 1, MPI_INT, &message, &requests[1]);
            MPI_Wait(&requests[1], &status);
        }
        CHECK(status.MPI_ERROR == 77 && status.MPI_SOURCE == left && in == out);
        MPI_Wait(&requests[0], &status);
        CHECK(status.MPI_ERROR == 77);
    }
    MPI_Test(&requests[1], &flag, &status);
    empty_error = status.MPI_ERROR;
    CHECK(flag && (empty_error == 77 || empty_error == MPI_SUCCESS));
    CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE);
}

static void types(void)
{
    int matrix[8][8], column[8];
    MPI_Datatype type;
    MPI_Type_vector(8, 1, 8, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < 64; i++)
        matrix[i / 8][i % 8] = 100 * rank + i;
    MPI_Sendrecv(&matrix[0][3], 1, type, right, 40, column, 8, MPI_INT, left, 40, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < 8; i++)
        CHECK(column[i] == 100 * left + 8 * i + 3);
    MPI_Sendrecv_replace(&matrix[0][5], 1, type, left, 41, right, 41, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    CHECK(matrix[2][5] == 100 * right + 21 && matrix[2][4] == 100 * rank + 20);
    MPI_Type_free(&type);
}

static void persistent_collectives(void)
{
    int one, all = 0;
    MPI_Request requests[2];
    MPI_Allreduce_init(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &requests[0]);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    const MPI_Request kept = requests[0];
    for (int i = 0; i < 3; i++) {
        one = rank + i;
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        CHECK(all == ranks * (ranks - 1) / 2 + ranks * i && requests[0] == kept);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    CHECK(requests[0] == MPI_REQUEST_NULL);
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] = ((int *)inout)[i] + 2 * ((int *)in)[i];
}

static void collectives(void)
{
    int one = rank + 1, all = 0, many[64], other[64], counts[64], displs[64];
    MPI_Request request;
    MPI_Op op;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all == ranks * (ranks + 1) / 2);
    MPI_Op_create(add, 1, &op);
    MPI_Iallreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(one == ranks);
    MPI_Reduce(&one, &all, 1, MPI_INT, op, 0, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    one = rank;
    MPI_Bcast(&one, 1, MPI_INT, ranks - 1, MPI_COMM_WORLD);
    CHECK(one == ranks - 1);
    one = rank * rank;
    MPI_Allgather(&one, 1, MPI_INT, many, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(many[ranks - 1] == (ranks - 1) * (ranks - 1));
    for (int i = 0; i < ranks; i++) {
        counts[i] = 1;
        displs[i] = ranks - 1 - i;
        many[i] = 10 * rank + i;
    }
    MPI_Alltoallv(many, counts, displs, MPI_INT, other, counts, displs, MPI_INT, MPI_COMM_WORLD);
    CHECK(other[displs[left]] == 10 * left + displs[rank]);
    MPI_Igatherv(&rank, 1, MPI_INT, many, counts, displs, MPI_INT, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(rank != 0 || many[displs[1]] == 1);
    MPI_Exscan(&rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(rank == 0 || all == rank * (rank - 1) / 2);
    for (int i = 0; i < ranks; i++)
        many[i] = i;
    MPI_Reduce_scatter(many, &one, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(one == rank * ranks);
}

/* Of two communicators ranks begin copies crosswise, and the first one tells its neighbour to go on before it waits. */
static void copies_are_made_in_any_order(MPI_Comm one)
{
    MPI_Comm of[2], made[2];
    MPI_Request requests[2];
    const int first = rank % 2;
    MPI_Comm_dup(one, &of[0]);
    MPI_Comm_dup(one, &of[1]);
    if (rank != 0)
        MPI_Recv(NULL, 0, MPI_INT, rank - 1, 80, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_idup(of[first], &made[first], &requests[first]);
    MPI_Comm_idup(of[1 - first], &made[1 - first], &requests[1 - first]);
    if (rank + 1 < ranks)
        MPI_Send(NULL, 0, MPI_INT, rank + 1, 80, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; i++) {
        MPI_Barrier(made[i]);
        MPI_Comm_free(&made[i]);
        MPI_Comm_free(&of[i]);
    }
}

static void communicators(void)
{
    MPI_Comm half, copy, cart, own;
    int size, value, sum;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_size(half, &size);
    CHECK(size == (ranks + (rank % 2 == 0)) / 2);
    MPI_Comm_dup(half, &copy);
    MPI_Comm_free(&half);
    CHECK(half == MPI_COMM_NULL);
    value = 1;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, copy);
    CHECK(sum == size);
    MPI_Comm_free(&copy);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &own);
    CHECK((own == MPI_COMM_NULL) == (rank == 0));
    if (own != MPI_COMM_NULL)
        MPI_Comm_free(&own);
    copies_are_made_in_any_order(MPI_COMM_WORLD);
    const int periods = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periods, 0, &cart);
    int near[2];
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, near, 1, MPI_INT, cart);
    CHECK(near[0] == left && near[1] == right);
    MPI_Comm_free(&cart);
    MPI_Comm inter, merged;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter);
    MPI_Intercomm_merge(inter, rank % 2, &merged);
    MPI_Barrier(merged);
    copies_are_made_in_any_order(inter);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&half);
}

static void odd(void)
{
    int value = 1, flag, cancelled;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Irecv(&value, 1, MPI_INT, left, 77, MPI_COMM_WORLD, &request);
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(cancelled);
    MPI_Isend(NULL, 0, MPI_INT, right, 78, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv(NULL, 0, MPI_INT, left, 78, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Send(&value, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
    CHECK(MPI_Isend(&value, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD, &request) != MPI_SUCCESS);
    CHECK(MPI_Bcast(&value, -1, MPI_INT, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Status many[2];
    int pair[2];
    MPI_Request both[2];
    MPI_Irecv(&pair[0], 1, MPI_INT, left, 79, MPI_COMM_WORLD, &both[0]);
    MPI_Irecv(&pair[1], 1, MPI_INT, left, 79, MPI_COMM_WORLD, &both[1]);
    PMPI_Send(&rank, 1, MPI_INT, right, 79, MPI_COMM_WORLD);
    PMPI_Send(&ranks, 1, MPI_INT, right, 79, MPI_COMM_WORLD);
    PMPI_Waitall(2, both, many);
    CHECK(pair[0] == left && pair[1] == ranks);
}

static void files(const char *name)
{
    MPI_File file;
    MPI_Request request;
    int value = rank, back = -1;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_iwrite_at(file, rank * sizeof value, &value, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at_all(file, left * sizeof value, &back, 1, MPI_INT, MPI_STATUS_IGNORE);
    CHECK(back == left);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    left = (rank + ranks - 1) % ranks;
    right = (rank + 1) % ranks;
    const int known = sluice_protect(0, &rank, 17);
    for (int i = 0; i < 5; i++) {
        halo();
        any_and_some();
        persistent();
        probes();
        errors_of_statuses();
        types();
        collectives();
        persistent_collectives();
        communicators();
        odd();
    }
    files(argc > 1 ? argv[1] : "file");
    MPI_Finalize();
    if (rank == 0)
        printf("ok %s, error %d\n", known == 17 ? "layer" : "plain", empty_error);
    return 0;
}
