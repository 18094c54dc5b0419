#include "record.h"

#include <string.h>

#include "core/layer.h"
#include "core/protocol.h"
#include "record_data.h"

static bool recording;
static struct sluice_mpi_bytes events;
static int64_t event_count;
static size_t nothing_at; /* place of the number of calls in the last event; 0: it has none */
static bool stopped;

bool sluice_mpi_record_is_on(void)
{
    return recording;
}

void sluice_mpi_record_end(void)
{
    recording = false;
    event_count = 0;
    nothing_at = 0;
    stopped = false;
    sluice_mpi_bytes_free(&events);
    sluice_mpi_record_data_end();
    sluice_mpi_numbering_end();
}

void sluice_mpi_record_begin(void)
{
    sluice_mpi_record_end();
    recording = true;
    sluice_mpi_record_data_begin();
    sluice_mpi_numbering_begin(&sluice_mpi.got);
}

void sluice_mpi_record_event(int kind, const void *event, size_t length)
{
    if (!recording || stopped)
        return;
    if (events.length > SLUICE_MPI_RECORD_MOST) {
        sluice_mpi.protocol->cannot(
            "what is recorded has more than 32 MiB: other ranks come to their spots much later");
        return;
    }
    event_count++;
    sluice_mpi_bytes_put_i32(&events, kind);
    sluice_mpi_bytes_put_i32(&events, (int32_t)length);
    nothing_at = kind == SLUICE_C3_EVENT_NOTHING ? events.length : 0;
    sluice_mpi_bytes_put(&events, event, length);
}

void sluice_mpi_record_nothing(void)
{
    int64_t calls = 1;
    if (nothing_at == 0 || stopped) {
        sluice_mpi_record_event(SLUICE_C3_EVENT_NOTHING, &calls, sizeof calls);
        return;
    }
    memcpy(&calls, events.data + nothing_at, sizeof calls);
    calls++;
    memcpy(events.data + nothing_at, &calls, sizeof calls);
}

void sluice_mpi_record_completed(struct sluice_mpi_handle *const *handles, int count)
{
    if (!recording || stopped)
        return;
    if (count == 0) {
        sluice_mpi_record_nothing();
        return;
    }
    struct sluice_mpi_bytes event = {0};
    sluice_mpi_bytes_put_i64(&event, count);
    for (int i = 0; i < count; i++) {
        sluice_mpi_bytes_put_i64(&event, handles[i]->number);
        if (sluice_mpi_record_has_come(handles[i]->number))
            sluice_mpi_record_told(handles[i]->number);
    }
    sluice_mpi_record_event(SLUICE_C3_EVENT_COMPLETED, event.data, event.length);
    sluice_mpi_bytes_free(&event);
}

void sluice_mpi_record_one_completed(int64_t request)
{
    const int64_t event[2] = {1, request};
    sluice_mpi_record_event(SLUICE_C3_EVENT_COMPLETED, event, sizeof event);
}

void sluice_mpi_record_found(int64_t request)
{
    sluice_mpi_record_event(SLUICE_C3_EVENT_PROBED, &request, sizeof request);
    if (recording && !stopped)
        sluice_mpi_record_told(request);
}

void sluice_mpi_record_stop(void)
{
    stopped = true;
}

bool sluice_mpi_record_has_stopped(void)
{
    return stopped && sluice_mpi_record_has_numbers();
}

int64_t sluice_mpi_record_events(void)
{
    return event_count;
}

void sluice_mpi_record_put_events(struct sluice_mpi_bytes *bytes)
{
    sluice_mpi_bytes_put_i64(bytes, event_count);
    sluice_mpi_bytes_put(bytes, events.data, events.length);
}

void sluice_mpi_record_put(struct sluice_mpi_bytes *bytes)
{
    sluice_mpi_bytes_put_i32(bytes, sluice_mpi.rank);
    sluice_mpi_bytes_put_i32(bytes, 0);
    sluice_mpi_record_put_events(bytes);
    sluice_mpi_record_put_taken(bytes);
    recording = false;
}
