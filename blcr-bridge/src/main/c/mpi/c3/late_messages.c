#include "late_messages.h"

#include <stdlib.h>
#include <string.h>

#include "wrappers/communicator.h"
#include "wrappers/real.h"

struct late {
    struct sluice_mpi_message message;
    struct sluice_mpi_kept kept;
};

struct result {
    int64_t communicator;
    int64_t number;
    struct sluice_mpi_kept kept;
};

/* The late messages, and the sent ones; each in order. */
static struct messages {
    struct late *all;
    int64_t count;
} messages, sent;

static struct result *results; /* in order */
static int64_t result_count;
static int64_t entered; /* count of results whose collectives were entered */
static struct sluice_mpi_message *drained;
static int64_t drained_count;

static int compare(int64_t one, int64_t other)
{
    return one < other ? -1 : one > other;
}

int sluice_mpi_message_order(const struct sluice_mpi_message *one,
                             const struct sluice_mpi_message *other)
{
    int order = compare(one->stream.communicator, other->stream.communicator);
    if (order == 0)
        order = compare(one->stream.source, other->stream.source);
    if (order == 0)
        order = compare(one->stream.destination, other->stream.destination);
    if (order == 0)
        order = compare(one->stream.tag, other->stream.tag);
    return order != 0 ? order : compare(one->number, other->number);
}

static int by_message(const void *a, const void *b)
{
    return sluice_mpi_message_order(&((const struct late *)a)->message,
                                    &((const struct late *)b)->message);
}

static int by_collective(const void *a, const void *b)
{
    const struct result *one = a;
    const struct result *other = b;
    const int order = compare(one->communicator, other->communicator);
    return order != 0 ? order : compare(one->number, other->number);
}

/* Returns a zeroed array for `count` elements. */
static void *room(int64_t count, size_t length)
{
    void *array = calloc(count + 1, length);
    if (array == NULL)
        sluice_mpi_abort("no memory for %lld late messages or results", (long long)count);
    return array;
}

static void get_kept(struct sluice_mpi_reader *reader, struct sluice_mpi_kept *kept)
{
    kept->bytes = sluice_mpi_get_i64(reader);
    kept->data = sluice_mpi_get(reader, kept->bytes);
}

static void get_message(struct sluice_mpi_reader *reader, struct sluice_mpi_message *message)
{
    const void *here = sluice_mpi_get(reader, sizeof *message);
    if (here != NULL)
        memcpy(message, here, sizeof *message);
}

static void get_messages(struct sluice_mpi_reader *reader, struct messages *to)
{
    to->count = sluice_mpi_get_count(reader, sizeof(struct sluice_mpi_message) + sizeof(int64_t));
    to->all = room(to->count, sizeof *to->all);
    for (int64_t i = 0; i < to->count; i++) {
        get_message(reader, &to->all[i].message);
        get_kept(reader, &to->all[i].kept);
    }
    qsort(to->all, to->count, sizeof *to->all, by_message);
}

bool sluice_mpi_late_read(struct sluice_mpi_reader *reader)
{
    sluice_mpi_late_end();
    get_messages(reader, &messages);
    drained_count = sluice_mpi_get_count(reader, sizeof *drained);
    drained = room(drained_count, sizeof *drained);
    for (int64_t i = 0; i < drained_count; i++)
        get_message(reader, &drained[i]);
    result_count = sluice_mpi_get_count(reader, 3 * sizeof(int64_t));
    results = room(result_count, sizeof *results);
    for (int64_t i = 0; i < result_count; i++) {
        results[i].communicator = sluice_mpi_get_i64(reader);
        results[i].number = sluice_mpi_get_i64(reader);
        get_kept(reader, &results[i].kept);
    }
    qsort(results, result_count, sizeof *results, by_collective);
    get_messages(reader, &sent);
    return !reader->damaged;
}

void sluice_mpi_late_end(void)
{
    free(messages.all);
    free(sent.all);
    free(results);
    free(drained);
    messages = sent = (struct messages){0};
    results = NULL;
    drained = NULL;
    result_count = entered = drained_count = 0;
}

static bool find(const struct messages *in, const struct sluice_mpi_message *message,
                 struct sluice_mpi_kept *kept)
{
    const struct late wanted = {.message = *message};
    const struct late *found =
        in->count == 0 ? NULL : bsearch(&wanted, in->all, in->count, sizeof wanted, by_message);
    if (found != NULL)
        *kept = found->kept;
    return found != NULL;
}

bool sluice_mpi_late_message(const struct sluice_mpi_message *message, struct sluice_mpi_kept *kept)
{
    return find(&messages, message, kept);
}

bool sluice_mpi_late_sent(const struct sluice_mpi_message *message, struct sluice_mpi_kept *kept)
{
    return find(&sent, message, kept);
}

bool sluice_mpi_late_result(int64_t communicator, int64_t number, struct sluice_mpi_kept *kept)
{
    const struct result wanted = {.communicator = communicator, .number = number};
    const struct result *found = result_count == 0
        ? NULL
        : bsearch(&wanted, results, result_count, sizeof *results, by_collective);
    if (found != NULL)
        *kept = found->kept;
    return found != NULL;
}

bool sluice_mpi_late_has_more_results(void)
{
    for (; entered < result_count; entered++) {
        const struct sluice_mpi_comm *comm = sluice_mpi_comm_by_id(results[entered].communicator);
        if (comm != NULL && results[entered].number > comm->collectives)
            return true;
    }
    return false;
}

const struct sluice_mpi_message *sluice_mpi_late_drained(int64_t *count)
{
    *count = drained_count;
    return drained;
}
