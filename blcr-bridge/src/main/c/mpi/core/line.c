#include "line.h"

#include <stdbool.h>

#include "handle.h"
#include "layer.h"
#include "stream.h"

static int64_t line = -1; /* wave of the line; -1: none, or over */
static bool expects;
static struct sluice_mpi_counts sent;
static struct sluice_mpi_counts got;
static struct sluice_mpi_counts late;
static struct sluice_mpi_counts early;

static void forget(void)
{
    line = -1;
    expects = false;
    sluice_mpi_counts_clear(&sent);
    sluice_mpi_counts_clear(&got);
    sluice_mpi_counts_clear(&late);
    sluice_mpi_counts_clear(&early);
}

void sluice_mpi_line_taken(int64_t wave)
{
    forget();
    line = wave;
    sluice_mpi_counts_copy(&sent, &sluice_mpi.sent);
    sluice_mpi_counts_copy(&got, &sluice_mpi.got);
}

void sluice_mpi_line_expect(struct sluice_mpi_reader *reader)
{
    if (line < 0)
        return;
    sluice_mpi_counts_read(reader, &late);
    const int64_t straddling = sluice_mpi_get_count(reader, 16);
    sluice_mpi_get(reader, straddling * 16);
    sluice_mpi_counts_read(reader, &early);
    expects = true;
}

/* Returns the count of messages sent before the sender's line. */
static int64_t sent_to_here(const struct sluice_mpi_stream *stream)
{
    const int64_t last = sluice_mpi_counts_get(&late, stream);
    return last > 0 ? last
                    : sluice_mpi_counts_get(&got, stream) - sluice_mpi_counts_get(&early, stream);
}

static int64_t sent_from_here(const struct sluice_mpi_stream *stream)
{
    return sluice_mpi_counts_get(&sent, stream);
}

static void count_from(struct sluice_mpi_counts *counts,
                       int64_t (*before)(const struct sluice_mpi_stream *stream), int64_t posted)
{
    for (size_t at = 0; at < counts->capacity; at++)
        if (counts->entries[at].used)
            counts->entries[at].count -= before(&counts->entries[at].stream);
    sluice_mpi_counts_forget(counts, posted);
}

void sluice_mpi_line_committed(int64_t wave)
{
    if (line < 0 || line != wave || !expects)
        return;
    int64_t oldest = INT64_MAX; /* open receive: later ones of its streams may be complete */
    for (const struct sluice_mpi_handle *one = sluice_mpi.handles; one != NULL; one = one->next) {
        if (one->kind == SLUICE_MPI_RECEIVE && one->active && !one->complete
            && one->posted < oldest) {
            oldest = one->posted;
        }
    }
    count_from(&sluice_mpi.sent, sent_from_here, oldest);
    count_from(&sluice_mpi.got, sent_to_here, oldest);
    forget();
}
