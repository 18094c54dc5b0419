#include "record_data.h"

#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "core/layer.h"
#include "core/protocol.h"
#include "core/regions.h"
#include "record.h"
#include "wrappers/data.h"
#include "wrappers/real.h"

/* A receive, a find of a probe, or a drained message, by its name. */
struct taking {
    int64_t name;
    struct sluice_mpi_message message;
    bool numbered; /* the message is known */
    bool told;     /* an event has it */
    bool came;     /* received behind the line */
    void *data;    /* packed, while it may be late */
    int64_t bytes;
};

struct result {
    int64_t communicator;
    int64_t number;
    struct sluice_mpi_bytes data;
};

/* The takings by name, so that new ones come last, or first if negative. */
static struct taking *takings;
static int taking_count;
static int taking_room;
static struct result *results;
static int result_count;
static int result_room;
static struct sluice_mpi_counts late;
static struct sluice_mpi_counts before;     /* messages received before the line */
static struct sluice_mpi_counts straddling; /* last number by communicator */
static bool expected;                       /* the messages to come are known */
static int64_t kept;                        /* bytes of data and results */
static struct sluice_mpi_bytes sent;        /* as in the image, behind its count */
static int64_t sent_count;
static int64_t unnumbered; /* count of takings in events whose message is unknown */

static void *grow(void *array, int *room, size_t length)
{
    *room = *room * 2 + 64;
    array = realloc(array, *room * length);
    if (array == NULL)
        sluice_mpi_abort("no memory for what a checkpoint records");
    return array;
}

/* Returns the place of a name, or the place for it. */
static int place(int64_t name)
{
    int low = 0;
    int high = taking_count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (takings[middle].name < name)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(int at, int64_t name)
{
    return at < taking_count && takings[at].name == name;
}

static struct taking *find(int64_t name)
{
    const int at = place(name);
    if (is_at(at, name))
        return &takings[at];
    if (taking_count == taking_room)
        takings = grow(takings, &taking_room, sizeof *takings);
    memmove(takings + at + 1, takings + at, (taking_count++ - at) * sizeof *takings);
    takings[at] = (struct taking){.name = name};
    return &takings[at];
}

bool sluice_mpi_record_has_come(int64_t name)
{
    const int at = place(name);
    return is_at(at, name) && takings[at].came;
}

void sluice_mpi_record_told(int64_t name)
{
    struct taking *one = find(name);
    unnumbered += !one->told && !one->numbered;
    one->told = true;
}

bool sluice_mpi_record_has_numbers(void)
{
    return unnumbered == 0;
}

void sluice_mpi_record_data_begin(void)
{
    sluice_mpi_counts_copy(&before, &sluice_mpi.got);
}

void sluice_mpi_record_data_end(void)
{
    for (int i = 0; i < taking_count; i++)
        free(takings[i].data);
    for (int i = 0; i < result_count; i++)
        sluice_mpi_bytes_free(&results[i].data);
    taking_count = 0;
    result_count = 0;
    unnumbered = 0;
    kept = 0;
    sent_count = 0;
    sluice_mpi_bytes_free(&sent);
    expected = false;
    sluice_mpi_counts_clear(&straddling);
    sluice_mpi_counts_clear(&late);
    sluice_mpi_counts_clear(&before);
}

static void keep(int64_t bytes)
{
    kept += bytes;
    if (kept > SLUICE_MPI_KEPT_MOST + sluice_mpi_region_bytes()) {
        sluice_mpi.protocol->cannot(
            "what is kept of messages that may be late has more bytes than its memory and "
            "256 MiB: other ranks come to their spots much later");
    }
}

static bool is_late(const struct taking *one)
{
    return one->numbered && one->data != NULL && sluice_mpi_record_is_late(&one->message)
        && one->message.number > sluice_mpi_counts_get(&before, &one->message.stream);
}

static void drop_unless_late(struct taking *one)
{
    if (!expected || !one->numbered || one->data == NULL || is_late(one))
        return;
    free(one->data);
    one->data = NULL;
    kept -= one->bytes;
}

static bool may_straddle(int64_t communicator, int64_t number)
{
    return !expected || number <= sluice_mpi_record_straddling(communicator);
}

static void drop_unless_straddling(struct result *one)
{
    if (may_straddle(one->communicator, one->number))
        return;
    kept -= (int64_t)one->data.length;
    sluice_mpi_bytes_free(&one->data);
}

/* Keeps as many elements as the message has. A receive may have room for many more. */
void sluice_mpi_record_data(int64_t name, const void *buffer, int64_t count, MPI_Datatype type,
                            const MPI_Status *status)
{
    const int64_t bytes = sluice_mpi_bytes_of(status);
    const int64_t size = sluice_mpi_packed(1, type);
    const int64_t some = size > 0 ? MIN(count, (bytes + size - 1) / size) : 0;
    struct taking *one = find(name);
    one->came = true;
    one->data = malloc(some * size + 1);
    if (one->data == NULL) {
        sluice_mpi_abort("no memory for %lld bytes of a message that may be late",
                         (long long)bytes);
    }
    sluice_mpi_pack(buffer, some, type, one->data);
    one->bytes = MIN(bytes, some * size);
    keep(one->bytes);
}

void sluice_mpi_record_sent(const struct sluice_mpi_message *message, const void *buffer,
                            int64_t count, MPI_Datatype type)
{
    const int64_t bytes = sluice_mpi_packed(count, type);
    if ((int64_t)sent.length + bytes > SLUICE_MPI_SENT_MOST + sluice_mpi_region_bytes() / 16)
        return;
    sent_count++;
    sluice_mpi_bytes_put(&sent, message, sizeof *message);
    sluice_mpi_bytes_put_i64(&sent, bytes);
    sluice_mpi_pack(buffer, count, type, sluice_mpi_bytes_room(&sent, bytes));
}

void sluice_mpi_record_taken(int64_t name, const struct sluice_mpi_message *message)
{
    struct taking *one = find(name);
    unnumbered -= one->told && !one->numbered;
    one->message = *message;
    one->numbered = true;
    drop_unless_late(one);
}

void sluice_mpi_record_result(int64_t communicator, int64_t number,
                              const struct sluice_mpi_piece *pieces, int count)
{
    if (!may_straddle(communicator, number))
        return;
    if (result_count == result_room)
        results = grow(results, &result_room, sizeof *results);
    struct result *result = &results[result_count++];
    *result = (struct result){.communicator = communicator, .number = number};
    for (int i = 0; i < count; i++) {
        const int64_t bytes = sluice_mpi_packed(pieces[i].count, pieces[i].type);
        sluice_mpi_pack(pieces[i].buffer, pieces[i].count, pieces[i].type,
                        sluice_mpi_bytes_room(&result->data, bytes));
    }
    keep((int64_t)result->data.length);
}

void sluice_mpi_record_expect(struct sluice_mpi_reader *reader)
{
    sluice_mpi_counts_read(reader, &late);
    const int64_t count = sluice_mpi_get_count(reader, 16);
    for (int64_t i = 0; i < count; i++) {
        const int64_t communicator = sluice_mpi_get_i64(reader);
        sluice_mpi_counts_find(&straddling, communicator, 0, 0, 0)->count =
            sluice_mpi_get_i64(reader);
    }
    expected = true;
    for (int i = 0; i < taking_count; i++)
        drop_unless_late(&takings[i]);
    for (int i = 0; i < result_count; i++)
        drop_unless_straddling(&results[i]);
}

const struct sluice_mpi_counts *sluice_mpi_record_late(void)
{
    return &late;
}

bool sluice_mpi_record_is_late(const struct sluice_mpi_message *message)
{
    return message->number <= sluice_mpi_counts_get(&late, &message->stream);
}

int64_t sluice_mpi_record_straddling(int64_t communicator)
{
    return sluice_mpi_counts_get(&straddling,
                                 &(struct sluice_mpi_stream){communicator, 0, 0, 0, 0});
}

/* ---- writing ---- */

/* Puts late messages that the layer took, in the order of taking, by their falling names. */
static void put_drained(struct sluice_mpi_bytes *bytes)
{
    int64_t count = 0;
    for (int i = 0; i < taking_count; i++)
        count += takings[i].name < 0 && takings[i].numbered;
    sluice_mpi_bytes_put_i64(bytes, count);
    for (int i = taking_count - 1; i >= 0; i--)
        if (takings[i].name < 0 && takings[i].numbered)
            sluice_mpi_bytes_put(bytes, &takings[i].message, sizeof takings[i].message);
}

void sluice_mpi_record_put_taken(struct sluice_mpi_bytes *bytes)
{
    int64_t count = 0;
    for (int i = 0; i < taking_count; i++)
        count += takings[i].name > 0 && takings[i].numbered;
    sluice_mpi_bytes_put_i64(bytes, count);
    for (int i = 0; i < taking_count; i++) {
        if (takings[i].name > 0 && takings[i].numbered) {
            sluice_mpi_bytes_put_i64(bytes, takings[i].name);
            sluice_mpi_bytes_put(bytes, &takings[i].message, sizeof takings[i].message);
        }
    }
    put_drained(bytes);
}

static bool straddles(const struct result *one)
{
    return one->number <= sluice_mpi_record_straddling(one->communicator);
}

static void put_straddling(struct sluice_mpi_bytes *bytes)
{
    int64_t count = 0;
    for (int i = 0; i < result_count; i++)
        count += straddles(&results[i]);
    sluice_mpi_bytes_put_i64(bytes, count);
    for (int i = 0; i < result_count; i++) {
        const struct result *one = &results[i];
        if (straddles(one)) {
            sluice_mpi_bytes_put_i64(bytes, one->communicator);
            sluice_mpi_bytes_put_i64(bytes, one->number);
            sluice_mpi_bytes_put_i64(bytes, (int64_t)one->data.length);
            sluice_mpi_bytes_put(bytes, one->data.data, one->data.length);
        }
    }
}

int64_t sluice_mpi_record_put_late(struct sluice_mpi_bytes *bytes)
{
    int64_t messages = 0;
    for (int i = 0; i < taking_count; i++)
        messages += is_late(&takings[i]);
    sluice_mpi_bytes_put_i64(bytes, messages);
    for (int i = 0; i < taking_count; i++) {
        if (is_late(&takings[i])) {
            sluice_mpi_bytes_put(bytes, &takings[i].message, sizeof takings[i].message);
            sluice_mpi_bytes_put_i64(bytes, takings[i].bytes);
            sluice_mpi_bytes_put(bytes, takings[i].data, takings[i].bytes);
        }
    }
    put_drained(bytes);
    put_straddling(bytes);
    sluice_mpi_bytes_put_i64(bytes, sent_count);
    sluice_mpi_bytes_put(bytes, sent.data, sent.length);
    return messages;
}
