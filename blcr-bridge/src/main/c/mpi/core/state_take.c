#include "state_take.h"

#include <stdlib.h>

#include "freed.h"
#include "handle.h"
#include "held.h"
#include "layer.h"
#include "line.h"
#include "open_requests.h"
#include "rehearsal.h"
#include "session.h"
#include "snapshot.h"
#include "watch.h"
#include "wave.h"
#include "wrappers/request.h"

/*
 * Says that nothing is protected, at the first rank only. Other ranks may need nothing; if the
 * first one has nothing, the program forgot to protect.
 */
static void say_nothing_is_protected(void)
{
    static bool said;
    if (!said && sluice_mpi.rank == 0 && sluice_mpi.region_count == 0) {
        sluice_mpi_say(
            "nothing is protected here: what sluice_protect() does not name a restart does "
            "not put back");
    }
    said = true;
}

int64_t sluice_mpi_take_state(const struct sluice_mpi_place *place)
{
    struct sluice_mpi_bytes own = {0};
    say_nothing_is_protected();
    sluice_mpi_bytes_put_i64(&own, sluice_mpi.spots);
    sluice_mpi_bytes_put_i64(&own, sluice_mpi_value(MPI_REQUEST_NULL));
    const char *why = sluice_mpi_regions_unfit();
    if (sluice_mpi_left) {
        why = "an error handler left a call of MPI by a jump or an exception, so nobody knows what "
              "was sent behind it: let it return";
    }
    if (why == NULL)
        why = sluice_mpi_save(&own);
    sluice_mpi_bytes_put_i64(&own, sluice_mpi_watch_usual());
    if (why == NULL
        && (sluice_mpi_held_begin(sluice_mpi.wave) != 0
            || sluice_mpi_snapshot_take(sluice_mpi.wave, place, &own) != 0)) {
        why = sluice_message();
    }
    const int64_t bytes = (int64_t)own.length + sluice_mpi_region_bytes();
    sluice_mpi_bytes_free(&own);
    if (why != NULL) {
        sluice_mpi_refuse_wave(why);
        return -1;
    }
    sluice_mpi_rehearsal_line(sluice_mpi.wave);
    return bytes;
}

bool sluice_mpi_state_is_taken(void)
{
    const char *why;
    const int taken = sluice_mpi_snapshot_look(&why);
    if (taken < 0)
        sluice_mpi_refuse_wave(why);
    return taken > 0;
}

void sluice_mpi_put_marker(struct sluice_mpi_bytes *bytes)
{
    sluice_mpi_freed_end(); /* others may have dropped the counts of such a communicator */
    sluice_mpi_line_taken(sluice_mpi.wave);
    sluice_mpi_bytes_put_i32(bytes, sluice_mpi.rank);
    sluice_mpi_bytes_put_i32(bytes, 0);
    sluice_mpi_counts_put(bytes, &sluice_mpi.sent);
    sluice_mpi_counts_put(bytes, &sluice_mpi.got);
    sluice_mpi_put_collectives(bytes);
    size_t count;
    struct sluice_mpi_handle **open = sluice_mpi_open_receives(&count);
    sluice_mpi_bytes_put_i64(bytes, (int64_t)count);
    for (size_t i = 0; i < count; i++) {
        const struct sluice_mpi_handle *one = open[i];
        sluice_mpi_bytes_put_i64(bytes, one->number);
        sluice_mpi_bytes_put_i64(bytes, one->comm->id);
        sluice_mpi_bytes_put_i32(bytes,
                                 one->peer == MPI_ANY_SOURCE ? -1 : one->comm->world[one->peer]);
        sluice_mpi_bytes_put_i32(bytes, one->tag == MPI_ANY_TAG ? -1 : one->tag);
    }
    free(open);
}
