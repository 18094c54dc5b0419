/* What scripts/npb puts into the NAS Parallel Benchmarks: memory that they protect, and the spot of each step. */
#include <mpi.h>
#include <sluice_mpi.h>
#include <stdint.h>

static int32_t done; /* steps */
static int regions = 1;

void npb_protect_(void *array, const int64_t *bytes)
{
    if (sluice_protect(regions++, array, (size_t)*bytes) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The next step, of `last`. What a kernel keeps outside its arrays is of its last step: so no spot behind that. */
void npb_next_(int32_t *step, const int32_t *last)
{
    if (done == 0)
        sluice_protect(0, &done, sizeof done);
    if (done < *last)
        sluice_potential_checkpoint();
    *step = ++done;
}
