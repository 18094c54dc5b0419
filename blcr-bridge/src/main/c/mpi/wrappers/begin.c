/* The begin and the end of MPI in a process, and the calls of the program to the layer alone. */
#include "matched.h"
#include "wrapper.h"

SLUICE_MPI_WRAPPER int sluice_protect(int id, void *pointer, size_t bytes);
SLUICE_MPI_WRAPPER size_t sluice_protected_bytes(int id);
SLUICE_MPI_WRAPPER int sluice_potential_checkpoint(void);
SLUICE_MPI_WRAPPER int sluice_potential_checkpoint_at(const volatile void *place);
SLUICE_MPI_WRAPPER extern const int sluice_mpi_layer;
const int sluice_mpi_layer = 1;

static bool asked; /* the program asked for MPI_THREAD_MULTIPLE */

static void tell_of_threads(void)
{
    int rank;
    real.Comm_rank(MPI_COMM_WORLD, &rank);
    if (asked && rank == 0) {
        sluice_mpi_say("the program asked for MPI_THREAD_MULTIPLE, and MPI_THREAD_SERIALIZED is "
                       "provided: its threads "
                       "may call MPI, one at a time");
    }
    sluice_mpi_threads = asked;
}

static void begin(void)
{
    int provided;
    real.Query_thread(&provided);
    if (provided == MPI_THREAD_MULTIPLE) {
        sluice_mpi_refuse("MPI_THREAD_MULTIPLE",
                          "unset the variable that asks for it, OMPI_MPI_THREAD_LEVEL or "
                          "MPIR_CVAR_DEFAULT_THREAD_LEVEL: messages of several threads have no "
                          "order that a restart can repeat");
    }
    sluice_mpi_requests_begin();
    sluice_mpi_comms_begin();
    call_init();
    if (sluice_mpi_on)
        tell_of_threads();
}

SLUICE_MPI_WRAPPER int MPI_Init(int *argc, char ***argv)
{
    if (real.Init == NULL)
        sluice_mpi_find();
    sluice_mpi_inside = 1;
    const int result = real.Init(argc, argv);
    if (result == MPI_SUCCESS)
        begin();
    sluice_mpi_inside = 0;
    return result;
}
SLUICE_MPI_ALIAS(MPI_Init)

SLUICE_MPI_WRAPPER int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    if (real.Init == NULL)
        sluice_mpi_find();
    sluice_mpi_inside = 1;
    asked = required == MPI_THREAD_MULTIPLE;
    const int result =
        real.Init_thread(argc, argv, asked ? MPI_THREAD_SERIALIZED : required, provided);
    if (result == MPI_SUCCESS)
        begin();
    sluice_mpi_inside = 0;
    return result;
}
SLUICE_MPI_ALIAS(MPI_Init_thread)

SLUICE_MPI_WRAPPER int MPI_Finalize(void)
{
    if (real.Init == NULL)
        sluice_mpi_find();
    if (sluice_mpi_on) {
        sluice_mpi_inside = 1;
        call_finalize();
        sluice_mpi_on = false;
        sluice_mpi_inside = 0;
    }
    return real.Finalize();
}
SLUICE_MPI_ALIAS(MPI_Finalize)

/*
 * Notices a call left by an error handler that jumps or throws. Calls after that are not counted
 * until here.
 */
static void look_left(void)
{
    if (__builtin_expect(sluice_mpi_inside != 0, 0))
        sluice_mpi_left = true;
}

int sluice_protect(int id, void *pointer, size_t bytes)
{
    look_left();
    return sluice_mpi_on ? SLUICE_MPI_WITHIN(call_protect(id, pointer, bytes)) : 0;
}

size_t sluice_protected_bytes(int id)
{
    return sluice_mpi_on ? SLUICE_MPI_WITHIN(call_protected_bytes(id)) : 0;
}

int sluice_potential_checkpoint_at(const volatile void *place)
{
    look_left();
    return sluice_mpi_on ? SLUICE_MPI_WITHIN(call_potential_checkpoint((const void *)place)) : 0;
}

int sluice_potential_checkpoint(void)
{
    return sluice_potential_checkpoint_at(__builtin_return_address(0));
}
