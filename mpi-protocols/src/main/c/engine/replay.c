#include "replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "protocol.h"
#include "state.h"
#include "stream.h"
#include "wrappers/real.h"

static struct sluice_mpi_bytes record;
static struct sluice_mpi_bytes late;
static struct sluice_mpi_bytes plan;
static struct sluice_mpi_reader events;
static int64_t left; /* events */
static int64_t total;
static struct sluice_mpi_plan todo;
static int64_t restored;

static void read_image(const char *name, struct sluice_mpi_bytes *bytes)
{
    bytes->length = 0;
    if (sluice_mpi_read_image(restored, name, bytes) != 0)
        sluice_mpi_abort("checkpoint %lld: %s", (long long)restored, sluice_message());
}

static struct sluice_mpi_reader reader_of(const struct sluice_mpi_bytes *bytes)
{
    return (struct sluice_mpi_reader){bytes->data, bytes->data + bytes->length, false};
}

static const struct sluice_mpi_choice *get_choices(struct sluice_mpi_reader *reader, int64_t *count)
{
    *count = sluice_mpi_get_count(reader, sizeof(struct sluice_mpi_choice));
    return sluice_mpi_get(reader, *count * sizeof(struct sluice_mpi_choice));
}

void sluice_mpi_plan_read(struct sluice_mpi_reader *reader, struct sluice_mpi_plan *to)
{
    to->events = sluice_mpi_get_i64(reader);
    to->forced = get_choices(reader, &to->forced_count);
    to->found = get_choices(reader, &to->found_count);
    struct sluice_mpi_counts expected = {0};
    sluice_mpi_counts_read(reader, &expected);
    sluice_mpi_counts_clear(&expected);
    const int64_t straddling = sluice_mpi_get_count(reader, 16);
    sluice_mpi_get(reader, straddling * 16);
    sluice_mpi_counts_read(reader, &to->suppressed);
}

void sluice_mpi_replay_begin(int64_t wave)
{
    restored = wave;
    read_image("record", &record);
    read_image("late", &late);
    read_image("plan", &plan);
    struct sluice_mpi_reader reader = reader_of(&plan);
    sluice_mpi_plan_read(&reader, &todo);
    total = left = todo.events;
    events = reader_of(&record);
    if (sluice_mpi_get_i64(&events) < left || reader.damaged || events.damaged)
        sluice_mpi_abort("checkpoint %lld: its plan is damaged", (long long)wave);
}

bool sluice_mpi_replay_is_on(void)
{
    return left > 0;
}

static bool suppresses_more(void)
{
    for (size_t at = 0; at < todo.suppressed.capacity; at++) {
        const struct sluice_mpi_count *one = &todo.suppressed.entries[at];
        if (one->used && sluice_mpi_counts_get(&sluice_mpi_sent, &one->stream) < one->count)
            return true;
    }
    return false;
}

/* Passes over the messages and the drained ones of the image `late`, to the results. */
static struct sluice_mpi_reader results(int64_t *count)
{
    struct sluice_mpi_reader reader = reader_of(&late);
    for (int64_t i = sluice_mpi_get_i64(&reader); i > 0 && !reader.damaged; i--) {
        sluice_mpi_get(&reader, sizeof(struct sluice_mpi_message));
        const int64_t bytes = sluice_mpi_get_i64(&reader);
        sluice_mpi_get(&reader, bytes);
    }
    const int64_t drained = sluice_mpi_get_count(&reader, sizeof(struct sluice_mpi_message));
    sluice_mpi_get(&reader, drained * sizeof(struct sluice_mpi_message));
    *count = sluice_mpi_get_count(&reader, 24);
    return reader;
}

static bool has_more_results(void)
{
    if (late.length == 0)
        return false;
    int64_t count;
    struct sluice_mpi_reader reader = results(&count);
    for (; count > 0 && !reader.damaged; count--) {
        const struct sluice_mpi_comm *comm = sluice_mpi_comm_by_id(sluice_mpi_get_i64(&reader));
        const int64_t number = sluice_mpi_get_i64(&reader);
        const int64_t bytes = sluice_mpi_get_i64(&reader);
        sluice_mpi_get(&reader, bytes);
        if (comm != NULL && number > comm->collectives)
            return true;
    }
    return false;
}

bool sluice_mpi_replay_is_needed(void)
{
    if (left > 0 || suppresses_more() || has_more_results())
        return true;
    sluice_mpi_counts_clear(&todo.suppressed);
    sluice_mpi_bytes_free(&record);
    sluice_mpi_bytes_free(&late);
    sluice_mpi_bytes_free(&plan);
    todo.forced_count = todo.found_count = 0;
    return false;
}

void sluice_mpi_replay_differs(const char *what)
{
    sluice_mpi_abort("the program does something else than it did behind checkpoint %lld, at its "
                     "event %lld: %s. It must do the same again when it receives the same; "
                     "restart from an older checkpoint, or with --protocol pcl",
                     (long long)restored, (long long)(total - left + 1), what);
}

static const char *const names[] = {"nothing",        "a send",  "a receive",
                                    "a wait or test", "a probe", "a collective"};

const void *sluice_mpi_replay_head(enum sluice_mpi_event kind, size_t *length)
{
    struct sluice_mpi_reader reader = events;
    const int32_t was = sluice_mpi_get_i32(&reader);
    *length = sluice_mpi_get_i32(&reader);
    const void *event = sluice_mpi_get(&reader, *length);
    if (event == NULL || was < 1 || was > SLUICE_MPI_EVENT_ENTERED)
        sluice_mpi_abort("checkpoint %lld: image record is damaged", (long long)restored);
    if (was != (int32_t)kind) {
        char what[100];
        snprintf(what, sizeof what, "%s, where it had %s", names[kind], names[was]);
        sluice_mpi_replay_differs(what);
    }
    return event;
}

void sluice_mpi_replay_next(void)
{
    sluice_mpi_get_i32(&events);
    const int32_t length = sluice_mpi_get_i32(&events);
    sluice_mpi_get(&events, length);
    left--;
}

void sluice_mpi_replay_check(enum sluice_mpi_event kind, const void *event, size_t length)
{
    if (left == 0)
        return;
    size_t had;
    const void *was = sluice_mpi_replay_head(kind, &had);
    if (had != length || memcmp(was, event, length) != 0) {
        char what[100];
        snprintf(what, sizeof what, "another %s", names[kind] + 2);
        sluice_mpi_replay_differs(what);
    }
    sluice_mpi_replay_next();
}

bool sluice_mpi_replay_suppresses(const struct sluice_mpi_message *message)
{
    return message->number <= sluice_mpi_counts_get(&todo.suppressed, &message->stream);
}

static const struct sluice_mpi_message *choose(const struct sluice_mpi_choice *choices,
                                               int64_t count, int64_t request)
{
    for (int64_t i = 0; i < count; i++)
        if (choices[i].request == request)
            return &choices[i].message;
    return NULL;
}

const struct sluice_mpi_message *sluice_mpi_replay_forced(int64_t request)
{
    return choose(todo.forced, todo.forced_count, request);
}

const struct sluice_mpi_message *sluice_mpi_replay_found(int64_t request)
{
    return choose(todo.found, todo.found_count, request);
}

static bool is_same(const struct sluice_mpi_message *one, const struct sluice_mpi_message *other)
{
    return one->number == other->number
        && sluice_mpi_is_stream(&one->stream, other->stream.communicator, other->stream.source,
                                other->stream.destination, other->stream.tag);
}

bool sluice_mpi_replay_late(const struct sluice_mpi_message *message, struct sluice_mpi_kept *kept)
{
    struct sluice_mpi_reader reader = reader_of(&late);
    for (int64_t i = sluice_mpi_get_i64(&reader); i > 0 && !reader.damaged; i--) {
        const struct sluice_mpi_message *one = sluice_mpi_get(&reader, sizeof *one);
        kept->bytes = sluice_mpi_get_i64(&reader);
        kept->data = sluice_mpi_get(&reader, kept->bytes);
        if (kept->data != NULL && is_same(one, message))
            return true;
    }
    return false;
}

bool sluice_mpi_replay_result(int64_t communicator, int64_t number, struct sluice_mpi_kept *kept)
{
    if (late.length == 0)
        return false;
    int64_t count;
    struct sluice_mpi_reader reader = results(&count);
    for (; count > 0 && !reader.damaged; count--) {
        const int64_t id = sluice_mpi_get_i64(&reader);
        const int64_t which = sluice_mpi_get_i64(&reader);
        kept->bytes = sluice_mpi_get_i64(&reader);
        kept->data = sluice_mpi_get(&reader, kept->bytes);
        if (id == communicator && which == number && !reader.damaged)
            return true;
    }
    return false;
}

static bool is_forced(const struct sluice_mpi_message *message)
{
    for (int64_t i = 0; i < todo.forced_count; i++)
        if (is_same(&todo.forced[i].message, message))
            return true;
    return false;
}

void sluice_mpi_replay_drained(void (*give)(const struct sluice_mpi_message *message,
                                            const struct sluice_mpi_kept *kept))
{
    struct sluice_mpi_reader reader = reader_of(&late);
    for (int64_t i = sluice_mpi_get_i64(&reader); i > 0 && !reader.damaged; i--) {
        sluice_mpi_get(&reader, sizeof(struct sluice_mpi_message));
        const int64_t bytes = sluice_mpi_get_i64(&reader);
        sluice_mpi_get(&reader, bytes);
    }
    int64_t count = sluice_mpi_get_count(&reader, sizeof(struct sluice_mpi_message));
    for (; count > 0; count--) {
        const struct sluice_mpi_message *one = sluice_mpi_get(&reader, sizeof *one);
        struct sluice_mpi_kept kept;
        if (one != NULL && !is_forced(one) && sluice_mpi_replay_late(one, &kept))
            give(one, &kept);
    }
}
