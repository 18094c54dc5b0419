/* What the engine has around it: an I/O process that keeps images in memory, and a coordinator that says nothing. */
#include "engine_stubs.h"

#include <stdlib.h>
#include <string.h>

#include "c3/record.h"
#include "core/control.h"
#include "core/drained.h"
#include "core/handle.h"
#include "core/held.h"
#include "core/layer.h"
#include "core/protocol.h"
#include "core/regions.h"
#include "core/state.h"
#include "core/stream.h"
#include "wrappers/matched.h"
#include "wrappers/real.h"

__attribute__((constructor)) static void have_protocols(void)
{
    sluice_mpi.protocols = sluice_mpi_protocols;
    sluice_mpi.protocol = sluice_mpi_protocol_of(SLUICE_PCL_NUMBER);
}

static struct sluice_mpi_bytes images[4];
static const char *const names[4] = {"record", "late", "plan", "state"};

struct sluice_mpi_bytes *image(const char *name)
{
    int at = 0;
    while (strcmp(names[at], name) != 0)
        at++;
    return &images[at];
}

int sluice_mpi_read_image(int64_t wave, const char *name, struct sluice_mpi_bytes *bytes)
{
    (void)wave;
    sluice_mpi_bytes_put(bytes, image(name)->data, image(name)->length);
    return 0;
}

int sluice_mpi_write_image(int64_t wave, const char *name, const void *data, size_t length)
{
    (void)wave;
    image(name)->length = 0;
    sluice_mpi_bytes_put(image(name), data, length);
    return 0;
}

void sluice_mpi_state_begin(int64_t wave, const struct sluice_mpi_place *place,
                            const struct sluice_mpi_bytes *own, struct sluice_mpi_bytes *begin)
{
    (void)wave, (void)place, (void)own, (void)begin;
}

_Noreturn void sluice_mpi_unreadable(int64_t wave, const char *why)
{
    sluice_mpi_abort("%lld: %s", (long long)wave, why);
}

void sluice_mpi_state_walk(int64_t wave,
                           void (*each)(const struct sluice_mpi_region *region, size_t begin,
                                        const unsigned char *then, size_t length))
{
    (void)wave;
    for (int i = 0; i < sluice_mpi.region_count; i++)
        each(&sluice_mpi.regions[i], 0, image("state")->data, image("state")->length);
}

int sluice_mpi_state_write(int64_t wave, const struct sluice_mpi_bytes *begin, bool private)
{
    (void)wave, (void)begin, (void)private;
    return 0;
}

void sluice_mpi_tell(int kind, int64_t wave, const void *bytes, size_t length)
{
    (void)kind, (void)wave, (void)bytes, (void)length;
}

bool sluice_mpi_control_look(sluice_mpi_carry_out *order)
{
    (void)order;
    return false;
}

int sluice_mpi_held_begin(int64_t wave)
{
    (void)wave;
    return 0;
}

int sluice_mpi_held_complete(int64_t wave)
{
    (void)wave;
    return 0;
}

void sluice_mpi_held_decide(int64_t wave, bool commit)
{
    (void)wave, (void)commit;
}

int sluice_session_close(sluice_session *session)
{
    (void)session;
    return 0;
}

int sluice_failure(int error, const char *format, ...)
{
    (void)format;
    return -error;
}

const char *sluice_message(void)
{
    return "";
}

int sluice_mpi_matched(void)
{
    return 0;
}

static int comm_world_rank[8] = {0, 1, 2, 3, 4, 5, 6, 7};

void have_communicator(struct sluice_mpi_comm *comm, int64_t id, int64_t collectives)
{
    *comm = (struct sluice_mpi_comm){.handle = MPI_COMM_SELF,
                                     .id = id,
                                     .size = 8,
                                     .world = comm_world_rank,
                                     .collectives = collectives,
                                     .early = true};
    sluice_mpi_comm_done(comm);
}

void forget_communicators(void)
{
    while (sluice_mpi_comms != NULL)
        sluice_mpi_comm_freed(sluice_mpi_comms->handle);
}

void begin_anew(struct sluice_mpi_comm *comm)
{
    forget_communicators();
    have_communicator(comm, 5, 3);
    sluice_mpi.rank = 0;
    sluice_mpi_counts_clear(&sluice_mpi.sent);
    sluice_mpi_counts_clear(&sluice_mpi.got);
    while (sluice_mpi.handles != NULL)
        sluice_mpi_handle_end(sluice_mpi.handles);
    while (sluice_mpi.drained != NULL)
        sluice_mpi_drained_take(sluice_mpi.drained);
    sluice_mpi_record_end();
}

void expect_late(const struct sluice_mpi_stream *stream, int64_t late, int64_t straddling)
{
    struct sluice_mpi_bytes bytes = {0};
    struct sluice_mpi_counts counts = {0};
    sluice_mpi_counts_find(&counts, stream->communicator, stream->source, stream->destination,
                           stream->tag)
        ->count = late;
    sluice_mpi_counts_put(&bytes, &counts);
    sluice_mpi_bytes_put_i64(&bytes, 1);
    sluice_mpi_bytes_put_i64(&bytes, stream->communicator);
    sluice_mpi_bytes_put_i64(&bytes, straddling);
    struct sluice_mpi_reader reader = {bytes.data, bytes.data + bytes.length, false};
    sluice_mpi_record_expect(&reader);
    sluice_mpi_counts_clear(&counts);
    sluice_mpi_bytes_free(&bytes);
}

static unsigned digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

void golden(const char *name, struct sluice_mpi_bytes *bytes)
{
    static char line[10000];
    FILE *file = fopen(GOLDEN, "r");
    bytes->length = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const size_t length = strlen(name);
        if (strncmp(line, name, length) != 0 || line[length] != ' ')
            continue;
        for (const char *at = line + length + 1; *at > ' '; at += 2) {
            const unsigned char byte = (unsigned char)(digit(at[0]) << 4 | digit(at[1]));
            sluice_mpi_bytes_put(bytes, &byte, 1);
        }
    }
    if (file != NULL)
        fclose(file);
}
