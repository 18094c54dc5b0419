#include "replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/control.h"
#include "core/layer.h"
#include "core/protocol.h"
#include "core/state.h"
#include "core/stream.h"
#include "wrappers/real.h"

static struct sluice_mpi_bytes record;
static struct sluice_mpi_bytes late;
static struct sluice_mpi_bytes plan;
static struct sluice_mpi_reader events;
static int64_t left; /* count of events left */
static int64_t total;
static int64_t nothings; /* answered calls of the next event */
static struct sluice_mpi_plan todo;
static struct sluice_mpi_choice *forced; /* by request */
static struct sluice_mpi_choice *found;  /* by request */
static struct sluice_mpi_message *forced_messages;
static size_t met; /* streams before this one have sent all that was to be suppressed */
static int64_t restored;

static void read_image(const char *name, struct sluice_mpi_bytes *bytes)
{
    bytes->length = 0;
    if (sluice_mpi_read_image(restored, name, bytes) != 0)
        sluice_mpi_unreadable(restored, sluice_message());
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
    sluice_mpi_counts_read(reader, &to->suppressed);
}

static int by_request(const void *a, const void *b)
{
    const int64_t one = ((const struct sluice_mpi_choice *)a)->request;
    const int64_t other = ((const struct sluice_mpi_choice *)b)->request;
    return one < other ? -1 : one > other;
}

static int by_message(const void *a, const void *b)
{
    return sluice_mpi_message_order(a, b);
}

/* Returns a sorted copy of choices. */
static struct sluice_mpi_choice *in_order(const struct sluice_mpi_choice *choices, int64_t count)
{
    struct sluice_mpi_choice *all = malloc((count + 1) * sizeof *all);
    if (all == NULL)
        sluice_mpi_abort("no memory for the plan of a recovery");
    if (count > 0)
        memcpy(all, choices, count * sizeof *all);
    qsort(all, count, sizeof *all, by_request);
    return all;
}

static void index_plan(void)
{
    met = 0;
    forced = in_order(todo.forced, todo.forced_count);
    found = in_order(todo.found, todo.found_count);
    forced_messages = malloc((todo.forced_count + 1) * sizeof *forced_messages);
    if (forced_messages == NULL)
        sluice_mpi_abort("no memory for the plan of a recovery");
    for (int64_t i = 0; i < todo.forced_count; i++)
        forced_messages[i] = forced[i].message;
    qsort(forced_messages, todo.forced_count, sizeof *forced_messages, by_message);
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
    nothings = 0;
    events = reader_of(&record);
    if (sluice_mpi_get_i64(&events) < left || reader.damaged || events.damaged)
        sluice_mpi_unreadable(wave, "its plan is damaged");
    index_plan();
    struct sluice_mpi_reader kept = reader_of(&late);
    if (!sluice_mpi_late_read(&kept))
        sluice_mpi_unreadable(wave, "image late is damaged");
}

bool sluice_mpi_replay_is_on(void)
{
    return left > 0;
}

/*
 * Returns whether any message is still to be suppressed. A stream that has sent them stays so, so
 * those before `met` are skipped.
 */
static bool suppresses_more(void)
{
    for (; met < todo.suppressed.capacity; met++) {
        const struct sluice_mpi_count *one = &todo.suppressed.entries[met];
        if (one->used && sluice_mpi_counts_get(&sluice_mpi.sent, &one->stream) < one->count)
            return true;
    }
    return false;
}

bool sluice_mpi_replay_is_needed(void)
{
    if (left > 0 || suppresses_more() || sluice_mpi_late_has_more_results())
        return true;
    sluice_mpi_counts_clear(&todo.suppressed);
    sluice_mpi_late_end();
    sluice_mpi_bytes_free(&record);
    sluice_mpi_bytes_free(&late);
    sluice_mpi_bytes_free(&plan);
    free(forced);
    free(found);
    free(forced_messages);
    forced = found = NULL;
    forced_messages = NULL;
    todo.forced_count = todo.found_count = 0;
    return false;
}

void sluice_mpi_replay_look_whether_over(void)
{
    if (left == 0)
        sluice_mpi_look_busy();
}

void sluice_mpi_replay_differs(const char *what)
{
    sluice_mpi_abort(
        "the program does something else than it did behind checkpoint %lld, at its "
        "event %lld: %s. It must do the same again when it receives the same; go on "
        "from an older one by sluice rm --newest %lld, or anew with --protocol pcl in another "
        "--store",
        (long long)restored, (long long)(total - left + 1), what, (long long)restored);
}

static const char *const names[] = {"nothing",
                                    "a send",
                                    "a receive",
                                    "a wait or test",
                                    "a find",
                                    "a collective",
                                    "a test or probe that told it nothing"};

const void *sluice_mpi_replay_head(int kind, size_t *length)
{
    struct sluice_mpi_reader reader = events;
    const int32_t was = sluice_mpi_get_i32(&reader);
    *length = sluice_mpi_get_i32(&reader);
    const void *event = sluice_mpi_get(&reader, *length);
    if (event == NULL || was < 1 || was > SLUICE_C3_EVENT_NOTHING)
        sluice_mpi_unreadable(restored, "image record is damaged");
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

bool sluice_mpi_replay_tells_nothing(void)
{
    struct sluice_mpi_reader reader = events;
    return left > 0 && sluice_mpi_get_i32(&reader) == SLUICE_C3_EVENT_NOTHING;
}

void sluice_mpi_replay_tell_nothing(void)
{
    size_t length;
    const int64_t *calls = sluice_mpi_replay_head(SLUICE_C3_EVENT_NOTHING, &length);
    if (++nothings >= *calls) {
        nothings = 0;
        sluice_mpi_replay_next();
    }
}

void sluice_mpi_replay_check(int kind, const void *event, size_t length)
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
    const struct sluice_mpi_choice wanted = {.request = request};
    const struct sluice_mpi_choice *one =
        count == 0 ? NULL : bsearch(&wanted, choices, count, sizeof *choices, by_request);
    return one != NULL ? &one->message : NULL;
}

const struct sluice_mpi_message *sluice_mpi_replay_forced(int64_t request)
{
    return choose(forced, todo.forced_count, request);
}

const struct sluice_mpi_message *sluice_mpi_replay_found(int64_t request)
{
    return choose(found, todo.found_count, request);
}

void sluice_mpi_replay_drained(void (*give)(const struct sluice_mpi_message *message,
                                            const struct sluice_mpi_kept *kept))
{
    int64_t count;
    const struct sluice_mpi_message *drained = sluice_mpi_late_drained(&count);
    for (int64_t i = 0; i < count; i++) {
        struct sluice_mpi_kept kept;
        const bool is_forced = todo.forced_count > 0
            && bsearch(&drained[i], forced_messages, todo.forced_count, sizeof *forced_messages,
                       by_message)
                != NULL;
        if (!is_forced && sluice_mpi_late_message(&drained[i], &kept))
            give(&drained[i], &kept);
    }
}
