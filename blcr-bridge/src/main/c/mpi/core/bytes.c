#include "bytes.h"

#include <stdlib.h>
#include <string.h>

#include "wrappers/real.h"

unsigned char *sluice_mpi_bytes_room(struct sluice_mpi_bytes *bytes, size_t length)
{
    if (bytes->capacity - bytes->length < length) {
        const size_t capacity = (bytes->length + length) * 2 + 64;
        unsigned char *data = realloc(bytes->data, capacity);
        if (data == NULL)
            sluice_mpi_abort("no memory for %zu bytes of a checkpoint", capacity);
        bytes->data = data;
        bytes->capacity = capacity;
    }
    unsigned char *room = bytes->data + bytes->length;
    bytes->length += length;
    return room;
}

void sluice_mpi_bytes_put(struct sluice_mpi_bytes *bytes, const void *data, size_t length)
{
    if (length > 0)
        memcpy(sluice_mpi_bytes_room(bytes, length), data, length);
}

void sluice_mpi_bytes_put_i32(struct sluice_mpi_bytes *bytes, int32_t value)
{
    sluice_mpi_bytes_put(bytes, &value, sizeof value);
}

void sluice_mpi_bytes_put_i64(struct sluice_mpi_bytes *bytes, int64_t value)
{
    sluice_mpi_bytes_put(bytes, &value, sizeof value);
}

void sluice_mpi_bytes_free(struct sluice_mpi_bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct sluice_mpi_bytes){0};
}

const void *sluice_mpi_get(struct sluice_mpi_reader *reader, size_t length)
{
    if ((size_t)(reader->end - reader->at) < length) {
        reader->damaged = true;
        reader->at = reader->end;
        return NULL;
    }
    const void *here = reader->at;
    reader->at += length;
    return here;
}

int32_t sluice_mpi_get_i32(struct sluice_mpi_reader *reader)
{
    int32_t value = 0;
    const void *here = sluice_mpi_get(reader, sizeof value);
    if (here != NULL)
        memcpy(&value, here, sizeof value);
    return value;
}

int64_t sluice_mpi_get_i64(struct sluice_mpi_reader *reader)
{
    int64_t value = 0;
    const void *here = sluice_mpi_get(reader, sizeof value);
    if (here != NULL)
        memcpy(&value, here, sizeof value);
    return value;
}

int64_t sluice_mpi_get_count(struct sluice_mpi_reader *reader, size_t least)
{
    const int64_t count = sluice_mpi_get_i64(reader);
    if (count < 0 || (uint64_t)count > (uint64_t)(reader->end - reader->at) / least) {
        reader->damaged = true;
        return 0;
    }
    return count;
}
