#include "state.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "build.h"
#include "control.h"
#include "layer.h"
#include "protocol.h"
#include "regions.h"
#include "session.h"
#include "stream.h"
#include "wrappers/data.h"
#include "wrappers/real.h"

#define MAGIC UINT64_C(0x49504d4543554c53) /* "SLUCEMPI" */
#define VERSION 3

/*
 * The head of the image. The bytes of the regions follow, so that they are where they were in the
 * image before. Then come the layer's state, and the regions' table.
 */
struct head {
    uint64_t magic;
    int32_t version;
    int32_t protocol;
    int32_t rank;
    int32_t ranks;
    int64_t wave;
    int64_t place;  /* offset in its object */
    int64_t own;    /* bytes */
    int64_t memory; /* bytes of all regions */
    int32_t regions;
    uint32_t check; /* CRC-32C of all but the bytes of regions, with 0 here */
    unsigned char build[SLUICE_MPI_BUILD];
};

struct entry {
    int64_t id;
    int64_t bytes;
};

static int64_t offset_of(const void *address)
{
    Dl_info object;
    return dladdr(address, &object) != 0
        ? (int64_t)((const char *)address - (const char *)object.dli_fbase)
        : 0;
}

static struct head head_of(int64_t wave, const struct sluice_mpi_place *place, size_t own)
{
    struct head head = {
        .magic = MAGIC,
        .version = VERSION,
        .protocol = place->protocol,
        .rank = sluice_mpi.rank,
        .ranks = sluice_mpi.size,
        .wave = wave,
        .place = offset_of(place->address),
        .own = (int64_t)own,
        .memory = sluice_mpi_region_bytes(),
        .regions = sluice_mpi.region_count,
    };
    memcpy(head.build, sluice_mpi_build(), sizeof head.build);
    return head;
}

int sluice_mpi_write_image(int64_t wave, const char *name, const void *data, size_t length)
{
    sluice_image *image;
    int error = sluice_image_create(sluice_mpi.session, wave, name, &image);
    if (error != 0)
        return error;
    const ssize_t written = sluice_image_write(image, data, length);
    error = sluice_image_close(image);
    return written < 0 ? (int)written : error;
}

static void begin_bytes(void *argument)
{
    ((struct sluice_mpi_bytes *)argument)->length = 0;
}

static void *place_bytes(void *argument, int64_t offset, size_t *length)
{
    struct sluice_mpi_bytes *bytes = argument;
    const size_t end = (size_t)offset + *length;
    if (end > bytes->length)
        sluice_mpi_bytes_room(bytes, end - bytes->length);
    return bytes->data + offset;
}

int sluice_mpi_read_image(int64_t wave, const char *name, struct sluice_mpi_bytes *bytes)
{
    return sluice_image_read(sluice_mpi.session, wave, name,
                             &(struct sluice_sink){begin_bytes, place_bytes, bytes});
}

void sluice_mpi_state_begin(int64_t wave, const struct sluice_mpi_place *place,
                            const struct sluice_mpi_bytes *own, struct sluice_mpi_bytes *begin)
{
    struct head head = head_of(wave, place, own->length);
    sluice_mpi_bytes_put(begin, &head, sizeof head);
    sluice_mpi_bytes_put(begin, own->data, own->length);
    for (int i = 0; i < sluice_mpi.region_count; i++) {
        const struct entry entry = {sluice_mpi.regions[i].id, (int64_t)sluice_mpi.regions[i].bytes};
        sluice_mpi_bytes_put(begin, &entry, sizeof entry);
    }
    head.check = sluice_mpi_crc(0, begin->data, begin->length);
    memcpy(begin->data, &head, sizeof head);
}

size_t sluice_mpi_state_head(void)
{
    return sizeof(struct head);
}

/* ---- a restart ---- */

_Noreturn void sluice_mpi_unreadable(int64_t wave, const char *why)
{
    sluice_mpi_abort("checkpoint %lld: %s; look with sluice verify, and start again if that finds "
                     "no fault, else go on from an older one by sluice rm --newest %lld",
                     (long long)wave, why, (long long)wave);
}

struct reading {
    int64_t wave;
    struct head head;
    struct sluice_mpi_bytes tables; /* layer's state, and regions' table */
    size_t come;                    /* bytes received of the head, and then of the tables */
    bool memory;                    /* the bytes of regions are wanted */
    int region;                     /* the region that got bytes last */
    int64_t begin;                  /* its beginning in the image */

    /*
     * Called instead of writing memory. The received bytes are in `piece`, and are reported when
     * the next ones are asked for.
     */
    void (*each)(const struct sluice_mpi_region *region, size_t begin, const unsigned char *then,
                 size_t length);
    const struct sluice_mpi_region *of;
    size_t piece_begin;
    size_t piece_length;
    unsigned char piece[1 << 16];
};

static void tell_piece(struct reading *reading)
{
    if (reading->piece_length > 0)
        reading->each(reading->of, reading->piece_begin, reading->piece, reading->piece_length);
    reading->piece_length = 0;
}

static void begin_reading(void *argument)
{
    struct reading *reading = argument;
    reading->come = 0;
    reading->piece_length = 0;
}

static void clip(size_t *length, int64_t most)
{
    if ((int64_t)*length > most)
        *length = (size_t)most;
}

/* Returns the place for `offset` in `size` bytes at `data`. */
static void *place_in(struct reading *reading, void *data, size_t size, int64_t offset,
                      size_t *length)
{
    clip(length, (int64_t)size - offset);
    reading->come += *length;
    return (char *)data + offset;
}

static void *place_head(void *argument, int64_t offset, size_t *length)
{
    struct reading *reading = argument;
    if (reading->come == sizeof reading->head)
        *length = 0;
    if (offset >= (int64_t)sizeof reading->head)
        return NULL;
    return place_in(reading, &reading->head, sizeof reading->head, offset, length);
}

static void *place_memory(struct reading *reading, int64_t at, size_t *length)
{
    while (at < reading->begin)
        reading->begin -= (int64_t)sluice_mpi.regions[--reading->region].bytes;
    while (at - reading->begin >= (int64_t)sluice_mpi.regions[reading->region].bytes)
        reading->begin += (int64_t)sluice_mpi.regions[reading->region++].bytes;
    const struct sluice_mpi_region *region = &sluice_mpi.regions[reading->region];
    clip(length, (int64_t)region->bytes - (at - reading->begin));
    if (reading->each == NULL)
        return region->pointer + (at - reading->begin);
    clip(length, sizeof reading->piece);
    reading->of = region;
    reading->piece_begin = (size_t)(at - reading->begin);
    reading->piece_length = *length;
    return reading->piece;
}

/*
 * Returns the place for bytes behind the head. Without memory the tables are enough, which come
 * first: they were written last.
 */
static void *place_rest(void *argument, int64_t offset, size_t *length)
{
    struct reading *reading = argument;
    const int64_t at = offset - (int64_t)sizeof reading->head;
    const int64_t behind = at - reading->head.memory;
    tell_piece(reading);
    if (at < 0) {
        clip(length, -at);
        return NULL;
    }
    if (behind >= (int64_t)reading->tables.length)
        return NULL;
    if (behind >= 0)
        return place_in(reading, reading->tables.data, reading->tables.length, behind, length);
    clip(length, -behind);
    if (reading->memory)
        return place_memory(reading, at, length);
    if (reading->come == reading->tables.length)
        *length = 0;
    return NULL;
}

static void check_head(const struct head *found, const struct head *mine)
{
    const long long wave = (long long)mine->wave;
    if (found->ranks != mine->ranks) {
        sluice_mpi_abort("checkpoint %lld is of %d ranks, and these are %d: restart with as many",
                         wave, found->ranks, mine->ranks);
    }
    if (memcmp(found->build, mine->build, sizeof mine->build) != 0) {
        sluice_mpi_abort("checkpoint %lld is of another build of the program: restart with the "
                         "program that wrote it, or begin anew in another --store",
                         wave);
    }
    if (mine->protocol != SLUICE_CONTROL_AUTO && found->protocol != mine->protocol) {
        sluice_mpi_abort(
            "checkpoint %lld was written with --protocol %s: restart with that or with "
            "auto, or begin anew in another --store",
            wave, sluice_mpi_protocol_of(found->protocol)->name);
    }
    if (found->place != mine->place) {
        sluice_mpi_abort("checkpoint %lld was taken at another sluice_potential_checkpoint() than "
                         "the first that the program comes to: come to that one first",
                         wave);
    }
}

static struct entry entry_of(const struct reading *reading, int number)
{
    struct entry entry;
    memcpy(&entry, reading->tables.data + reading->head.own + number * sizeof entry, sizeof entry);
    return entry;
}

/* Returns the bytes of a region in the checkpoint; 0 for none. The table is in the order of ids. */
static int64_t saved_bytes(const struct reading *reading, int64_t id)
{
    for (int at = 0, end = reading->head.regions; at < end;) {
        const int middle = at + (end - at) / 2;
        const struct entry entry = entry_of(reading, middle);
        if (entry.id == id)
            return entry.bytes;
        if (entry.id < id)
            at = middle + 1;
        else
            end = middle;
    }
    return 0;
}

static void check_region(const struct reading *reading, int id)
{
    const struct sluice_mpi_region *region = sluice_mpi_region_find(id);
    const long long saved = (long long)saved_bytes(reading, id);
    const long long now = region == NULL ? 0 : (long long)region->bytes;
    if (saved != now) {
        sluice_mpi_abort(
            "checkpoint %lld has %lld bytes of the region with id %d, and the program protects "
            "%lld: protect the same before the first sluice_potential_checkpoint()",
            (long long)reading->wave, saved, id, now);
    }
}

static void check_regions(const struct reading *reading)
{
    for (int i = 0; i < reading->head.regions; i++)
        check_region(reading, (int)entry_of(reading, i).id);
    for (int i = 0; i < sluice_mpi.region_count; i++)
        check_region(reading, sluice_mpi.regions[i].id);
}

static void check_release(const struct head *found, int64_t wave)
{
    if (found->magic != MAGIC || found->version != VERSION) {
        sluice_mpi_abort("checkpoint %lld is not one of an MPI program, or of another release: "
                         "restart with the release that wrote it",
                         (long long)wave);
    }
}

static void check_lengths(const struct head *head, int64_t wave)
{
    if (head->own < 0 || head->own > INT64_C(1) << 40 || head->regions < 0 || head->memory < 0
        || head->memory > INT64_C(1) << 60) {
        sluice_mpi_unreadable(wave, "image state is damaged");
    }
}

/* Returns 0, or a negative errno with a sentence in sluice_message(). */
static int read_state(struct reading *reading, bool memory)
{
    struct head *head = &reading->head;
    struct sluice_sink sink = {begin_reading, place_head, reading};
    int error = sluice_image_read(sluice_mpi.session, reading->wave, "state", &sink);
    if (error != 0)
        return error;
    if (reading->come != sizeof *head)
        sluice_mpi_unreadable(reading->wave, "image state is damaged");
    check_release(head, reading->wave);
    check_lengths(head, reading->wave);
    const size_t length = (size_t)head->own + (size_t)head->regions * sizeof(struct entry);
    reading->tables.length = 0;
    sluice_mpi_bytes_room(&reading->tables, length);
    reading->memory = memory && head->memory == sluice_mpi_region_bytes();
    sink.place = place_rest;
    error = sluice_image_read(sluice_mpi.session, reading->wave, "state", &sink);
    if (error != 0)
        return error;
    const uint32_t check = head->check;
    head->check = 0;
    const uint32_t crc = sluice_mpi_crc(0, head, sizeof *head);
    if (reading->come != length || sluice_mpi_crc(crc, reading->tables.data, length) != check)
        sluice_mpi_unreadable(reading->wave, "image state is damaged");
    return 0;
}

size_t sluice_mpi_saved_bytes(int64_t wave, int id)
{
    static struct reading reading;
    static bool known;
    if (!known) {
        reading.wave = wave;
        known = read_state(&reading, false) == 0; /* else the first spot says why not */
    }
    return known ? (size_t)saved_bytes(&reading, id) : 0;
}

int sluice_mpi_read_state(int64_t wave, const struct sluice_mpi_place *place,
                          struct sluice_mpi_bytes *own)
{
    static struct reading reading;
    reading = (struct reading){.wave = wave};
    const int error = read_state(&reading, true);
    if (error == -ENOENT) {
        sluice_mpi_abort("%s, and these are %d ranks: restart with as many as wrote it",
                         sluice_message(), sluice_mpi.size);
    }
    if (error == -EFAULT) {
        sluice_mpi_abort("checkpoint %lld: a protected region lies in memory that cannot be "
                         "written: protect the same as the program that wrote it",
                         (long long)wave);
    }
    if (error != 0)
        sluice_mpi_unreadable(wave, sluice_message());
    const struct head mine = head_of(wave, place, 0);
    check_head(&reading.head, &mine);
    check_regions(&reading);
    *own = reading.tables;
    own->length = (size_t)reading.head.own;
    return reading.head.protocol;
}

void sluice_mpi_state_walk(int64_t wave,
                           void (*each)(const struct sluice_mpi_region *region, size_t begin,
                                        const unsigned char *then, size_t length))
{
    static struct reading reading;
    reading = (struct reading){.wave = wave, .each = each};
    if (read_state(&reading, true) != 0)
        sluice_mpi_unreadable(wave, sluice_message());
    tell_piece(&reading);
    check_regions(&reading);
    sluice_mpi_bytes_free(&reading.tables);
}
