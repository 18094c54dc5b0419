/*
 * The function that DMTCP calls in the libraries of a process that it writes down. For memory of
 * ours, the answer keeps DMTCP from writing it down and from mapping over it. The memory belongs to
 * the I/O process, and is missing in a restarted process.
 */
#include "capture.h"
#include "presence.h"
#include "real.h"
#include "recording.h"

/* A part of DMTCP's plugin interface; an area begins with its address. */
int dmtcp_skip_memory_region_ckpting(void *const *area);

SLUICE_WRAPPER int dmtcp_skip_memory_region_ckpting(void *const *area)
{
    if (!sluice_capture_has_mapped(*area) && !sluice_recording_has_mapped(*area))
        return 0;
    sluice_presence_doubt_until_resumed();
    return 1;
}
