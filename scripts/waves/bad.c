/*
 * What the layer must refuse, or end, by a line. --do NAME says what the program does wrong; what changes from one
 * run to the next does when the file ./changed is there.
 */
#include "corpus.h"

#ifdef OPEN_MPI
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#endif

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const char *wrong = "";
static struct corpus corpus;

static bool does(const char *name)
{
    return strcmp(wrong, name) == 0;
}

static bool changed(void)
{
    return access("changed", F_OK) == 0;
}

/* A wave has begun, for which rank 1 comes late to its spot. */
static bool asked(void)
{
    return access("asked", F_OK) == 0;
}

static void test(int times)
{
    for (int i = 0, flag; i < times; i++)
        MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE);
}

static void at_some_step(void)
{
    if (does("window")) {
        MPI_Win window;
        int *memory;
        MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                         &window);
    }
    if (does("spawn")) {
        MPI_Comm children;
        MPI_Comm_spawn("true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                       MPI_ERRCODES_IGNORE);
    }
    if (does("silence") && corpus.rank == 1)
        sleep(3);
    if (does("flood") && corpus.rank == 1) {
        while (!asked())
            sleep(1);
        sleep(3);
    }
    if (does("flood") && corpus.rank == 0) {
        fclose(fopen("asleep", "w"));
        while (!asked())
            test(1);
        test(100000); /* and hears of the wave */
    }
}

/* What no protocol carries over a line: from step 10 to step 30. */
static void for_some_steps(int64_t step)
{
    static MPI_Comm some;
    static MPI_Request request = MPI_REQUEST_NULL;
    static int one, all;
    if (step == 11 && does("flood") && corpus.rank == 0)
        test(3000000);
    if (step == 10 && does("persistent")) {
        MPI_Allreduce_init(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                           &request);
    } else if (step == 10 && does("freed")) {
        MPI_Comm_dup(MPI_COMM_WORLD, &some);
        MPI_Irecv(&one, 1, MPI_INT, corpus.rank, 1, some, &request);
        MPI_Send(&corpus.rank, 1, MPI_INT, corpus.rank, 1, some);
        MPI_Comm_free(&some);
    } else if (step == 10 && does("group") && corpus.rank < 2) {
        MPI_Group all_of_them, two;
        const int first[2] = {0, 1};
        MPI_Comm_group(MPI_COMM_WORLD, &all_of_them);
        MPI_Group_incl(all_of_them, 2, first, &two);
        MPI_Comm_create_group(MPI_COMM_WORLD, two, 0, &some);
        MPI_Comm_free(&some);
    }
    if (step == 30 && does("persistent"))
        MPI_Request_free(&request);
    if (step == 30 && does("freed")) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        corpus_check(one == corpus.rank, "a receive outlives its communicator");
    }
    if (does("file") && step < 30) {
        MPI_File file;
        MPI_File_open(MPI_COMM_WORLD, "shared", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                      &file);
        MPI_File_close(&file);
    }
}

/* Rank 0 has its spot before it sends, the others after they receive: all that crosses a line is early. */
static void pass_on(int64_t step)
{
    struct timespec now;
    int64_t message = step;
    clock_gettime(CLOCK_REALTIME, &now);
    if (does("chance"))
        message = now.tv_sec * 1000000000 + now.tv_nsec;
    MPI_Request request;
    int64_t got;
    MPI_Isend(&message, 1, MPI_INT64_T, (corpus.rank + 1) % corpus.ranks, 3, MPI_COMM_WORLD,
              &request);
    MPI_Recv(&got, 1, MPI_INT64_T, (corpus.rank + corpus.ranks - 1) % corpus.ranks, 3,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Another place than that in main(). */
__attribute__((noinline)) static void elsewhere(void)
{
    sluice_potential_checkpoint();
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    int provided;
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--do") == 0)
            wrong = argv[i + 1];
    MPI_Init_thread(&argc, &argv, does("threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    corpus = corpus_options(argc, argv);
    int64_t *step = corpus_protected(sizeof *step);
    corpus_protected(does("size") && changed() ? 2000 : 1000);
    if (does("region") && changed())
        corpus_protected(1);
    if (does("early")) {
        MPI_Request request;
        static int left;
        MPI_Isend(&left, 1, MPI_INT, (corpus.rank + 1) % corpus.ranks, 9, MPI_COMM_WORLD, &request);
    }
    if (does("place") && changed())
        elsewhere();
    for (; *step < corpus.steps; ++*step) {
        sluice_potential_checkpoint();
        pass_on(*step);
        corpus_pause();
        if (*step == 10)
            at_some_step();
        for_some_steps(*step);
    }
    corpus_end((uint64_t)*step);
}
