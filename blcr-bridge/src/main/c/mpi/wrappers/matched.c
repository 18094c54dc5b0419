/*
 * Messages that MPI_Mprobe finds. MPI_Mprobe takes a message off the network, for one MPI_Mrecv
 * alone. The layer then receives the message as bytes, and MPI_Mrecv unpacks them. To a protocol
 * that is a probe and a receive.
 */
#include "matched.h"

#include <stdlib.h>

#include "data.h"
#include "wrapper.h"

struct message {
    int number;
    MPI_Comm comm;
    MPI_Status status;
    int64_t bytes;
    struct message *next;
    char packed[];
};

static struct message *messages;
static int numbers;
static int open_ones;

#ifdef OPEN_MPI
#define FIRST 0x40000000 /* indices of Open MPI's own messages begin with 0 */
#else
#define FIRST (SLUICE_MPI_FIRST + SLUICE_MPI_SLOTS) /* behind the layer's requests */
#endif

static MPI_Message handle_of(int number)
{
    return (MPI_Message)(intptr_t)(FIRST + number);
}

static int number_of(MPI_Message handle)
{
    const intptr_t number = (intptr_t)handle - FIRST;
    return number > 0 && number <= numbers ? (int)number : 0;
}

int sluice_mpi_matched(void)
{
    return open_ones;
}

static int take(MPI_Comm comm, const MPI_Status *found, MPI_Message *handle)
{
    if (found->MPI_SOURCE == MPI_PROC_NULL) {
        *handle = MPI_MESSAGE_NO_PROC;
        return MPI_SUCCESS;
    }
    const int64_t bytes = sluice_mpi_bytes_of(found);
    struct message *one = malloc(sizeof *one + bytes);
    if (one == NULL) {
        sluice_mpi_abort("no memory for a message of %lld bytes that MPI_Mprobe has found",
                         (long long)bytes);
    }
    int count;
    MPI_Datatype type = sluice_mpi_bytes_type(bytes, &count);
    const int result =
        call_recv(one->packed, count, type, found->MPI_SOURCE, found->MPI_TAG, comm, &one->status);
    sluice_mpi_bytes_type_end(type);
    if (result != MPI_SUCCESS) {
        free(one);
        return result;
    }
    one->number = ++numbers;
    one->comm = comm;
    one->bytes = bytes;
    one->next = messages;
    messages = one;
    open_ones++;
    *handle = handle_of(one->number);
    return MPI_SUCCESS;
}

static struct message *remove_of(MPI_Message handle)
{
    const int number = number_of(handle);
    struct message **at = &messages;
    while (*at != NULL && (*at)->number != number)
        at = &(*at)->next;
    struct message *one = *at;
    if (one != NULL) {
        *at = one->next;
        open_ones--;
    }
    return one;
}

static int hand_over(void *buf, int count, MPI_Datatype type, MPI_Message *handle,
                     MPI_Status *status)
{
    if (count < 0 || type == MPI_DATATYPE_NULL) /* MPI says what is wrong */
        return real.Recv(buf, count, type, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_SELF, status);
    struct message *one = remove_of(*handle);
    if (one == NULL)
        return real.Mrecv(buf, count, type, handle, status); /* MPI says what is wrong */
    *handle = MPI_MESSAGE_NULL;
    const MPI_Comm comm = one->comm;
    sluice_mpi_tell_status(status, &one->status);
    const bool fits = one->bytes <= sluice_mpi_packed(count, type);
    if (fits)
        sluice_mpi_unpack(one->packed, one->bytes, buf, count, type);
    free(one);
    if (fits)
        return MPI_SUCCESS;
    real.Comm_call_errhandler(comm, MPI_ERR_TRUNCATE);
    return MPI_ERR_TRUNCATE;
}

static int mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    MPI_Status found = {0}; /* MPICH leaves the flag of a cancelled message as it is */
    const int result = call_probe(source, tag, comm, &found);
    if (result != MPI_SUCCESS)
        return result;
    sluice_mpi_tell_status(status, &found);
    return take(comm, &found, message);
}

static int improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                   MPI_Status *status)
{
    MPI_Status found = {0};
    const int result = call_iprobe(source, tag, comm, flag, &found);
    if (result != MPI_SUCCESS || !*flag)
        return result;
    sluice_mpi_tell_status(status, &found);
    return take(comm, &found, message);
}

static int mrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    if (*message == MPI_MESSAGE_NO_PROC) {
        *message = MPI_MESSAGE_NULL;
        return call_recv(buf, count, type, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_SELF, status);
    }
    return hand_over(buf, count, type, message, status);
}

static int imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message,
                  MPI_Request *request)
{
    MPI_Status status;
    const int result = mrecv(buf, count, type, message, &status);
    return result == MPI_SUCCESS ? call_ready(buf, count, type, &status, request) : result;
}

#define MATCHED(name, call, parameters, arguments)                                                 \
    SLUICE_MPI_WRAPPER int MPI_##name parameters                                                   \
    {                                                                                              \
        if (sluice_mpi_passes())                                                                   \
            return real.name arguments;                                                            \
        return SLUICE_MPI_WITHIN(call);                                                            \
    }                                                                                              \
    SLUICE_MPI_ALIAS(MPI_##name)

MATCHED(Mprobe, mprobe(source, tag, comm, message, status),
        (int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
        (source, tag, comm, message, status))
MATCHED(Improbe, improbe(source, tag, comm, flag, message, status),
        (int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status),
        (source, tag, comm, flag, message, status))
MATCHED(Mrecv, mrecv(buf, count, type, message, status),
        (void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status),
        (buf, count, type, message, status))
MATCHED(Imrecv, imrecv(buf, count, type, message, request),
        (void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request),
        (buf, count, type, message, request))

#if MPI_VERSION >= 4
MATCHED(Mrecv_c, mrecv(buf, sluice_mpi_narrow("MPI_Mrecv_c", count), type, message, status),
        (void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message, MPI_Status *status),
        (buf, count, type, message, status))
MATCHED(Imrecv_c, imrecv(buf, sluice_mpi_narrow("MPI_Imrecv_c", count), type, message, request),
        (void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message, MPI_Request *request),
        (buf, count, type, message, request))
#endif

#ifdef OPEN_MPI

SLUICE_MPI_WRAPPER MPI_Fint MPI_Message_c2f(MPI_Message message)
{
    if (real.Init == NULL)
        sluice_mpi_find();
    return number_of(message) != 0 ? (MPI_Fint)(intptr_t)message : real.Message_c2f(message);
}
SLUICE_MPI_ALIAS(MPI_Message_c2f)

SLUICE_MPI_WRAPPER MPI_Message MPI_Message_f2c(MPI_Fint message)
{
    if (real.Init == NULL)
        sluice_mpi_find();
    const MPI_Message ours = (MPI_Message)(intptr_t)message;
    return number_of(ours) != 0 ? ours : real.Message_f2c(message);
}
SLUICE_MPI_ALIAS(MPI_Message_f2c)

SLUICE_MPI_WRAPPER MPI_Fint MPI_Request_c2f(MPI_Request request)
{
    if (real.Init == NULL)
        sluice_mpi_find();
    return sluice_mpi_slot(request) != NULL ? sluice_mpi_request_index(request)
                                            : real.Request_c2f(request);
}
SLUICE_MPI_ALIAS(MPI_Request_c2f)

SLUICE_MPI_WRAPPER MPI_Request MPI_Request_f2c(MPI_Fint index)
{
    if (real.Init == NULL)
        sluice_mpi_find();
    const MPI_Request ours = sluice_mpi_request_indexed(index);
    return ours != NULL ? ours : real.Request_f2c(index);
}
SLUICE_MPI_ALIAS(MPI_Request_f2c)

#endif
