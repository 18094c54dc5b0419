/* Calls the function that the argument names, which the layer refuses; says "went on" if it does not. */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *receive(void *nothing)
{
    MPI_Recv(NULL, 0, MPI_INT, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    return nothing;
}

/* One thread waits in MPI, and another one asks it for something. */
static void use_threads(void)
{
    pthread_t thread;
    int flag;
    pthread_create(&thread, NULL, receive, NULL);
    for (int i = 0; i < 100000000; i++)
        MPI_Iprobe(0, 6, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    const char *name = argv[argc - 1];
    int provided, value = 0;
    void *memory;
    MPI_Win window;
    MPI_Comm made;
    MPI_Request request;
    (void)request;
    const int threads = strcmp(name, "asks") == 0 || strcmp(name, "uses") == 0;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED, &provided);
    if (provided != MPI_THREAD_SERIALIZED)
        puts("something else is provided");
    if (strcmp(name, "uses") == 0)
        use_threads();
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
