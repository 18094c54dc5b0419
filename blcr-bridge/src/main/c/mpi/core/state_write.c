/*
 * The writing of the image `state`: regions from their places, small ones together. Blocks that are
 * the same as in the last committed image are left out, and the I/O process is told which these
 * are.
 */
#include <errno.h>
#include <string.h>

#include "changes.h"
#include "client.h"
#include "clock.h"
#include "control.h"
#include "layer.h"
#include "protocol.h"
#include "regions.h"
#include "session.h"
#include "state.h"
#include "zeros.h"

#define TOGETHER 65536 /* bytes */
#define SMALL 4096
#define RUN 16      /* blocks written at once, while in the processor's cache */
#define PIECES 2048 /* of one request */

/* A run of bytes that the former image has. */
struct piece {
    int64_t offset;
    int64_t length;
};

/* The image in the making; bytes that follow each other are written together. */
struct writing {
    sluice_image *image;
    int error;
    int64_t at; /* place of the next byte */
    size_t length;
    unsigned char together[TOGETHER];
    int64_t written;
    int64_t reused;
    int64_t nanos; /* time of the writes */
    int64_t base;
    bool private;
    size_t count;
    struct piece pieces[PIECES];
};

static void write_at(struct writing *writing, const void *data, size_t length, int64_t offset)
{
    if (writing->error != 0 || length == 0)
        return;
    const int64_t began = sluice_clock();
    const ssize_t result = sluice_image_pwrite(writing->image, data, length, offset);
    writing->nanos += sluice_clock() - began;
    writing->written += (int64_t)length;
    writing->error = result < 0 ? (int)result : 0;
}

static void write_together(struct writing *writing)
{
    write_at(writing, writing->together, writing->length, writing->at - (int64_t)writing->length);
    writing->length = 0;
}

/*
 * A large piece goes from its place into the buffer, or past it. A record for each small piece
 * would be longer than the piece.
 */
static void add(struct writing *writing, const void *data, size_t length)
{
    if (writing->length + length > TOGETHER || length > SMALL)
        write_together(writing);
    if (length > SMALL) {
        write_at(writing, data, length, writing->at);
    } else {
        memcpy(writing->together + writing->length, data, length);
        writing->length += length;
    }
    writing->at += (int64_t)length;
}

/* Leaves bytes out, which then are zero. */
static void pass_over(struct writing *writing, size_t length)
{
    write_together(writing);
    writing->at += (int64_t)length;
}

static void add_region(struct writing *writing, const struct sluice_mpi_region *region)
{
    size_t written = 0; /* all before is in the image */
    for (size_t at = 0; at < region->bytes && region->bytes > SMALL;) {
        const size_t rest = region->bytes - at;
        const size_t length = rest < SLUICE_MPI_HASH_BLOCK ? rest : SLUICE_MPI_HASH_BLOCK;
        if (sluice_is_zero(region->pointer + at, length)) {
            add(writing, region->pointer + written, at - written);
            pass_over(writing, length);
            written = at + length;
        }
        at += length;
    }
    add(writing, region->pointer + written, region->bytes - written);
}

/* ---- unchanged blocks ---- */

static void tell(struct writing *writing)
{
    struct __attribute__((packed)) {
        struct sluice_request_reuse request;
        int32_t length;
        struct piece pieces[PIECES];
    } body = {.request = {.base = writing->base, .image_id = sluice_image_id(writing->image)},
              .length = (int32_t)(writing->count * sizeof(struct piece))};
    memcpy(body.pieces, writing->pieces, body.length);
    const struct sluice_body sent = {
        .fields = &body, .length = sizeof body.request + sizeof body.length + body.length};
    if (writing->error == 0) {
        writing->error =
            sluice_session_request(sluice_mpi.session, SLUICE_REQUEST_REUSE, &sent, NULL);
    }
    writing->count = 0;
}

/*
 * Asks for the former image before anything is left out: it may be gone, or its commit have failed.
 */
static void ask_for_base(struct writing *writing)
{
    writing->base = sluice_mpi_changes_base();
    if (writing->base < 0 || writing->error != 0)
        return;
    tell(writing);
    if (writing->error == -ESTALE) {
        sluice_mpi_changes_without_base();
        writing->error = 0;
    }
}

static void leave_out(struct writing *writing, size_t length)
{
    write_together(writing);
    struct piece *last = &writing->pieces[writing->count - 1];
    if (writing->count > 0 && last->offset + last->length == writing->at) {
        last->length += (int64_t)length;
    } else {
        if (writing->count == PIECES)
            tell(writing);
        writing->pieces[writing->count++] = (struct piece){writing->at, (int64_t)length};
    }
    writing->reused += (int64_t)length;
    writing->at += (int64_t)length;
}

struct blocks {
    const unsigned char *data;
    size_t bytes;
    int64_t count;
    int64_t first; /* number of the first among those of all regions */
};

static size_t end_of(const struct blocks *blocks, int64_t block)
{
    return block == blocks->count - 1 ? blocks->bytes : (size_t)(block + 1) * SLUICE_MPI_HASH_BLOCK;
}

/* Writes blocks at once, and then checks that they are as hashed. */
static void add_run(struct writing *writing, const struct blocks *blocks, int64_t from, int64_t to)
{
    if (from == to)
        return;
    const size_t begin = from * SLUICE_MPI_HASH_BLOCK;
    add(writing, blocks->data + begin, end_of(blocks, to - 1) - begin);
    for (int64_t block = from; block < to && !writing->private; block++) {
        const size_t at = block * SLUICE_MPI_HASH_BLOCK;
        sluice_mpi_changes_check(blocks->first + block, blocks->data + at,
                                 end_of(blocks, block) - at);
    }
}

static void add_changed(struct writing *writing, const struct blocks *blocks)
{
    int64_t written = 0; /* all before is in the image */
    for (int64_t block = 0; block < blocks->count; block++) {
        const size_t at = block * SLUICE_MPI_HASH_BLOCK;
        const size_t length = end_of(blocks, block) - at;
        const bool zero = sluice_is_zero(blocks->data + at, length);
        if (zero)
            sluice_mpi_changes_zero(length);
        const bool left = zero || !sluice_mpi_changes_look(blocks->data + at, length);
        if (left || block - written == RUN) {
            add_run(writing, blocks, written, block);
            written = block;
        }
        if (left) {
            written = block + 1;
            if (zero)
                pass_over(writing, length);
            else
                leave_out(writing, length);
        }
    }
    add_run(writing, blocks, written, blocks->count);
}

int sluice_mpi_state_write(int64_t wave, const struct sluice_mpi_bytes *begin, bool private)
{
    static struct writing writing;
    const int64_t began = sluice_clock();
    writing = (struct writing){.private = private};
    int error = sluice_image_create(sluice_mpi.session, wave, "state", &writing.image);
    if (error != 0)
        return error;
    const size_t head = sluice_mpi_state_head();
    const bool hashes = sluice_mpi_changes_hashes();
    if (hashes)
        ask_for_base(&writing);
    writing.at = (int64_t)head;
    for (int i = 0; i < sluice_mpi.region_count; i++) {
        const struct sluice_mpi_region *region = &sluice_mpi.regions[i];
        const int64_t blocks = hashes ? sluice_mpi_changes_blocks(region->bytes) : 0;
        if (blocks > 0) {
            add_changed(&writing,
                        &(struct blocks){region->pointer, region->bytes, blocks,
                                         sluice_mpi_changes_next()});
        } else {
            add_region(&writing, region);
        }
    }
    add(&writing, begin->data + head, begin->length - head);
    write_together(&writing);
    write_at(&writing, begin->data, head, 0); /* bytes written last come first at a restart */
    if (writing.count > 0)
        tell(&writing);
    if (hashes) {
        sluice_mpi_changes_wrote(writing.written, writing.reused, writing.nanos,
                                 sluice_clock() - began - writing.nanos);
    }
    error = sluice_image_close(writing.image);
    return writing.error != 0 ? writing.error : error;
}
