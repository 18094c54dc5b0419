/*
 * What DMTCP asks of the libraries in a process that it writes down. Asked for memory of ours, it
 * neither writes that down nor maps anything over it. It belongs to the I/O process, and is found
 * to be missing where the process is brought back.
 */
#include "capture.h"
#include "presence.h"
#include "real.h"
#include "recording.h"

/* Of DMTCP's plugin interface; an area begins with its address. */
int dmtcp_skip_memory_region_ckpting(void *const *area);

SLUICE_WRAPPER int dmtcp_skip_memory_region_ckpting(void *const *area)
{
    if (!sluice_capture_has_mapped(*area) && !sluice_recording_has_mapped(*area))
        return 0;
    sluice_presence_doubt_until_resumed();
    return 1;
}
