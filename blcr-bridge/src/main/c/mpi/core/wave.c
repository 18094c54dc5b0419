#include "wave.h"

#include <string.h>

#include "calls.h"
#include "changes.h"
#include "control.h"
#include "held.h"
#include "layer.h"
#include "line.h"
#include "protocol.h"
#include "rehearsal.h"
#include "snapshot.h"

void sluice_mpi_hello(bool again)
{
    struct sluice_mpi_bytes bytes = {0};
    sluice_mpi_bytes_put_i32(&bytes, sluice_mpi.asked);
    sluice_mpi_bytes_put_i32(&bytes, sluice_mpi.size);
    sluice_mpi_bytes_put_i64(&bytes, sluice_mpi.restored);
    sluice_mpi_bytes_put_i64(&bytes, sluice_mpi.attempt);
    sluice_mpi_bytes_put_i64(&bytes, sluice_mpi.every);
    sluice_mpi_bytes_put_i64(&bytes, (int64_t)(sluice_mpi.patience * 1e9));
    sluice_mpi_bytes_put_i64(&bytes, again);
    sluice_mpi_tell(SLUICE_CONTROL_HELLO, 0, bytes.data, bytes.length);
    sluice_mpi_bytes_free(&bytes);
}

void sluice_mpi_wave_ends(void)
{
    if (sluice_mpi.wave != 0) {
        sluice_mpi.wave = 0;
        sluice_mpi_snapshot_end();
        sluice_mpi.protocol->give_up();
    }
    sluice_mpi_look_busy();
}

void sluice_mpi_refuse_wave(const char *why)
{
    sluice_mpi_tell(SLUICE_CONTROL_REFUSED, sluice_mpi.wave, why, strlen(why));
    sluice_mpi_wave_ends();
}

static const char *never;

/* Tells the coordinator so, also a resumed one, which has not heard it. */
static void tell_never(void)
{
    sluice_mpi_tell(SLUICE_CONTROL_NEVER, 0, never, strlen(never));
}

void call_refused(const char *why)
{
    never = why;
    sluice_mpi.protocol->cannot(why);
    tell_never();
}

static void request_wave(int64_t wave, const void *bytes, size_t length)
{
    struct sluice_mpi_reader reader = {bytes, (const unsigned char *)bytes + length, false};
    sluice_mpi_wave_ends();
    if (never != NULL) {
        tell_never();
        return;
    }
    const struct sluice_mpi_protocol *protocol =
        sluice_mpi_protocol_of(sluice_mpi_get_i32(&reader));
    if (sluice_mpi_rehearsal_repeats()
        || (protocol != sluice_mpi.protocol && sluice_mpi.protocol->repeats())) {
        sluice_mpi.wave = wave;
        sluice_mpi_refuse_wave("ranks still repeat what they did behind the checkpoint");
        return;
    }
    sluice_mpi.protocol = protocol;
    sluice_mpi.wave = wave;
    sluice_mpi_look_busy();
    sluice_mpi.protocol->request_wave(wave);
}

static void dispatch_order(int kind, const void *bytes, size_t length)
{
    struct sluice_mpi_reader reader = {bytes, (const unsigned char *)bytes + length, false};
    if (kind == SLUICE_CONTROL_EXPECT)
        sluice_mpi_line_expect(&reader);
    sluice_mpi.protocol->order(kind, bytes, length);
}

void sluice_mpi_order(int kind, int64_t wave, const void *bytes, size_t length)
{
    if (kind == SLUICE_CONTROL_COMMIT || kind == SLUICE_CONTROL_GIVE_UP) {
        sluice_mpi_held_decide(wave, kind == SLUICE_CONTROL_COMMIT);
        sluice_mpi_changes_decide(wave, kind == SLUICE_CONTROL_COMMIT);
        sluice_mpi_rehearsal_decide(wave, kind == SLUICE_CONTROL_COMMIT);
    }
    if (kind == SLUICE_CONTROL_COMMIT)
        sluice_mpi_line_committed(wave);
    if (kind == SLUICE_CONTROL_PLEASE)
        request_wave(wave, bytes, length);
    else if (kind == SLUICE_CONTROL_END)
        sluice_mpi.may_end = true;
    else if (kind == SLUICE_CONTROL_GIVE_UP && wave >= sluice_mpi.wave)
        sluice_mpi_wave_ends();
    else if (wave != sluice_mpi.wave)
        return;
    else
        dispatch_order(kind, bytes, length);
}
