#include "held.h"

#include "control.h"
#include "layer.h"
#include "protocol.h"
#include "rehearsal.h"
#include "session.h"
#include "wrappers/real.h"

static int64_t begun; /* 0: none, or decided */

int sluice_mpi_held_begin(int64_t wave)
{
    const struct sluice_request_hold hold = {wave, sluice_mpi.size};
    const int error =
        sluice_session_request(sluice_mpi.session, SLUICE_REQUEST_HOLD, SLUICE_BODY(hold), NULL);
    if (error == 0)
        begun = wave;
    return error;
}

int sluice_mpi_held_complete(int64_t wave)
{
    const int error = sluice_mpi_rehearsal_write(wave);
    return error != 0 ? error : sluice_checkpoint_complete(sluice_mpi.session, wave);
}

/*
 * Tells the decision to this node's I/O process. Each rank does so, since the coordinator reaches
 * other nodes through their ranks only. The first one decides, and the others change nothing.
 */
void sluice_mpi_held_decide(int64_t wave, bool commit)
{
    if (begun == 0 || (commit ? begun != wave : begun > wave))
        return;
    const struct sluice_request_decide decide = {begun, commit};
    begun = 0;
    if (sluice_session_request(sluice_mpi.session, SLUICE_REQUEST_DECIDE, SLUICE_BODY(decide), NULL)
        != 0) {
        sluice_mpi_say("checkpoint %lld is %s, and this node's I/O process does not know: %s",
                       (long long)wave, commit ? "whole" : "given up", sluice_message());
    }
}
