/* Calls the function that the argument names, which the layer refuses; says "went on" if it does not. */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *name = argv[argc - 1];
    int provided, value = 0;
    void *memory;
    MPI_Win window;
    MPI_Comm made;
    MPI_Request request;
    (void)request;
    if (strcmp(name, "MPI_Init_thread") == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    if (strcmp(name, "MPI_Win_create") == 0)
        MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window);
    if (strcmp(name, "MPI_Win_allocate") == 0)
        MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &window);
    if (strcmp(name, "MPI_Comm_spawn") == 0) {
        MPI_Comm_spawn("true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &made,
                       MPI_ERRCODES_IGNORE);
    }
#ifndef OPEN_MPI
    if (strcmp(name, "MPI_Psend_init") == 0)
        MPI_Psend_init(&value, 1, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &request);
    if (strcmp(name, "MPI_Send_c") == 0)
        MPI_Send_c(&value, (MPI_Count)1 << 31, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF);
    const MPI_Count count = 1;
    const MPI_Aint displacement = 0;
    if (strcmp(name, "MPI_Gatherv_c") == 0)
        MPI_Gatherv_c(&value, 1, MPI_INT, &value, &count, &displacement, MPI_INT, 0, MPI_COMM_SELF);
#endif
    puts("went on");
    MPI_Finalize();
    return 0;
}
