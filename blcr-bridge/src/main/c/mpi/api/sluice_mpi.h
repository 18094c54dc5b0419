/*
 * Sluice: MPI programs that survive kills.
 *
 *     MPI_Init(&argc, &argv);
 *     ...                                          communicators, datatypes, memory
 *     sluice_protect(0, &step, sizeof step);
 *     sluice_protect(1, field, rows * width * sizeof *field);
 *     for (; step < steps; step++) {
 *         sluice_potential_checkpoint();
 *         exchange(field);
 *     }
 *
 * `sluice mpi -- mpirun -n 64 ./app` runs the program, takes checkpoints of the whole job at these
 * places, and runs it again from the newest one when a rank dies. The program then begins with
 * main() as ever. The first sluice_potential_checkpoint() puts back the protected memory, and what
 * was under way between the ranks: messages, open requests, collectives.
 *
 * Without `sluice mpi` the functions do nothing and return 0. So they do before MPI_Init.
 *
 * A program has these duties:
 *   - Protect all that it needs to go on at a sluice_potential_checkpoint(). Other memory has after
 *     a restart the values that the program gave it on its way there. Open files, those of MPI and
 *     HDF5 too, and effects outside of MPI are its own affair. Open files again without truncating
 *     them, and write at the place of the step, not at the end of the last write. Easily forgotten
 *     are SAVE locals of Fortran and static locals of C, counters and flags of a first call. So are
 *     the state of a loop or of a random generator, and bytes that enter messages. `sluice mpi
 *     --rehearse` finds them.
 *   - Not let a barrier order effects outside of MPI, such as files that ranks share. A checkpoint
 *     by C3 may be before a barrier in some ranks and behind it in others. After a restart no rank
 *     waits there. Messages keep their order.
 *   - Protect requests if it needs them behind a restart, but no other handles of MPI:
 *     communicators, datatypes and operations may have other values in each process. Nor pointers,
 *     for that reason.
 *   - Protect the same ids, with the sizes of the checkpoint, on its way to the first one. Before
 *     that, every message that is sent is received. Communicators and datatypes are made before it
 *     as well. Libraries make communicators, too: parallel HDF5 has some for each open file, and
 *     none may be left at a later call.
 *   - Between two receives do the same again when it gets the same again: no times, no random
 *     numbers of the machine. C3 compares the bytes sent. A struct sent as MPI_BYTE includes its
 *     padding, so set all of it, as by memset(), or give it a datatype. Bytes that are sent and
 *     never used, such as corners of a halo, may differ under `sluice mpi --differences tell`.
 *   - Call these functions from the thread that calls MPI, between MPI_Init and MPI_Finalize.
 *
 * Link with -lsluice_mpi. Works with Open MPI and MPICH. Fortran: module sluice_mpi. Python:
 * sluice_mpi.py.
 */
#ifndef SLUICE_MPI_H
#define SLUICE_MPI_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Protects memory: `bytes` at `pointer` belong to every checkpoint, by the name `id` >= 0. A later
 * call with the same id replaces place and size, so memory may grow and move. With `bytes` 0 the
 * memory is no longer protected; call so before it is freed. Regions of different ids must not
 * overlap.
 *
 * A restart puts a region back where the program has it then, in its saved size, which
 * sluice_protected_bytes() tells. Where sizes or ids differ, the job ends with a line that names
 * them.
 *
 * Returns 0, or -EINVAL: a negative id, a NULL pointer with more than 0 bytes, or an impossible
 * size, such as (size_t)-8.
 */
int sluice_protect(int id, void *pointer, size_t bytes);

/*
 * Returns the bytes that the first sluice_potential_checkpoint() will put back into a region;
 * protect as many before it. Returns 0 where it puts none back, as in a new run. For memory that
 * grows:
 *
 *     const size_t saved = sluice_protected_bytes(2);
 *     if (saved != 0)
 *         count = saved / sizeof *particles;
 *     particles = malloc(count * sizeof *particles);
 *     sluice_protect(2, particles, count * sizeof *particles);
 */
size_t sluice_protected_bytes(int id);

/*
 * Marks a place where this rank can be checkpointed. Takes some nanoseconds when no checkpoint is
 * asked for. The ranks need not meet: each comes here in its own time. All must come again and
 * again, or the checkpoint is given up after a time.
 *
 * A restart begins at the first call that the program comes to, so a rank is checkpointed at that
 * one alone. Other calls in the program's text help nothing. A function of yours that calls it must
 * not be called from several places: a restart could not tell them apart.
 *
 * Returns 1 when it has put the state of a checkpoint back, as the first call after a restart does;
 * else 0. A program need not look.
 */
int sluice_potential_checkpoint(void);

/*
 * The call behind sluice_potential_checkpoint() for compilers with GNU C. Without `sluice mpi` the
 * macro calls nothing. A static object identifies the place. A compiler that unrolls a loop
 * (-funroll-loops) copies calls, and no copy would be the first one.
 */
int sluice_potential_checkpoint_at(const volatile void *place);
extern const int sluice_mpi_layer; /* 1 under `sluice mpi` */

#ifdef __cplusplus
}
#endif

#ifdef __GNUC__
#define sluice_potential_checkpoint()                                                              \
    __extension__({                                                                                \
        static const volatile char sluice_place_ = 0;                                              \
        sluice_mpi_layer ? sluice_potential_checkpoint_at(&sluice_place_) : 0;                     \
    })
#endif

#endif
