#include "numbering.h"

#include <stdlib.h>

#include "wrappers/real.h"

struct receive {
    int64_t name;
    struct sluice_mpi_stream stream; /* the stream asked for; once complete, the message's */
    bool complete;
    bool takes;
    struct receive *next;
};

static struct sluice_mpi_counts numbered;
static struct receive *first; /* in the order of posting */
static struct receive **end = &first;

static struct receive *add(int64_t name, const struct sluice_mpi_stream *stream)
{
    struct receive *one = calloc(1, sizeof *one);
    if (one == NULL)
        sluice_mpi_abort("no memory for another receive");
    one->name = name;
    one->stream = *stream;
    one->takes = true;
    *end = one;
    end = &one->next;
    return one;
}

static bool matches(const struct receive *one, const struct sluice_mpi_stream *stream)
{
    return one->stream.communicator == stream->communicator
        && (one->stream.source < 0 || one->stream.source == stream->source)
        && (one->stream.tag < 0 || one->stream.tag == stream->tag);
}

static struct sluice_mpi_count *count_of(const struct sluice_mpi_stream *stream)
{
    return sluice_mpi_counts_of(&numbered, stream->communicator, stream->source,
                                stream->destination, stream->tag);
}

void sluice_mpi_numbering_begin(const struct sluice_mpi_counts *got)
{
    sluice_mpi_numbering_end();
    sluice_mpi_counts_copy(&numbered, got);
}

void sluice_mpi_numbering_end(void)
{
    while (first != NULL) {
        struct receive *next = first->next;
        free(first);
        first = next;
    }
    end = &first;
    sluice_mpi_counts_clear(&numbered);
}

void sluice_mpi_numbering_posted(int64_t name, int64_t communicator, int32_t source, int32_t tag)
{
    const struct sluice_mpi_stream pattern = {communicator, source, 0, tag, 0};
    add(name, &pattern);
}

void sluice_mpi_numbering_completed(int64_t name, const struct sluice_mpi_stream *stream)
{
    for (struct receive *one = first; one != NULL; one = one->next) {
        if (one->name == name && !one->complete) {
            one->stream = *stream;
            one->complete = true;
            return;
        }
    }
}

void sluice_mpi_numbering_found(int64_t name, const struct sluice_mpi_stream *stream)
{
    struct receive *one = add(name, stream);
    one->complete = true;
    one->takes = false;
}

int64_t sluice_mpi_numbering_next(const struct sluice_mpi_stream *stream)
{
    for (const struct receive *one = first; one != NULL; one = one->next)
        if (matches(one, stream))
            return 0;
    return count_of(stream)->count + 1;
}

int64_t sluice_mpi_numbering_got(const struct sluice_mpi_stream *stream)
{
    return sluice_mpi_counts_get(&numbered, stream);
}

/* Returns whether an earlier incomplete receive may get an earlier message. */
static bool waits(const struct receive *one)
{
    for (const struct receive *before = first; before != one; before = before->next)
        if (!before->complete && matches(before, &one->stream))
            return true;
    return false;
}

void sluice_mpi_numbering_settle(void (*known)(int64_t name,
                                               const struct sluice_mpi_message *message))
{
    for (struct receive **at = &first; *at != NULL;) {
        struct receive *one = *at;
        if (!one->complete || waits(one)) {
            at = &one->next;
            continue;
        }
        struct sluice_mpi_count *count = count_of(&one->stream);
        const struct sluice_mpi_message message = {one->stream, count->count + 1};
        count->count += one->takes;
        known(one->name, &message);
        *at = one->next;
        if (end == &one->next)
            end = at;
        free(one);
    }
}
