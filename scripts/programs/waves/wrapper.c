/*
 * The time of calls of MPI, one after another, at one rank, whose MPI is at_once.c: a line of JSON
 * for each kind, with nanoseconds and instructions of a call. wrapper [SECONDS [step]]: of each
 * kind. Where the machine counts no instructions a child steps through some calls, which takes a
 * wave minutes.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sluice_mpi.h"

#define CALLS 100000
#define STEPPED 99 /* calls; of their instructions the median counts: few look for orders */

static int counter;
static int value;
static int times = CALLS; /* calls in a turn */
static bool may_step;

static struct {
    volatile int call; /* the one that is made; 0 none, -1 all are over */
    volatile bool attached;
    int64_t steps[STEPPED + 1];
} *stepped;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void count_instructions(void)
{
    struct perf_event_attr what;
    memset(&what, 0, sizeof what);
    what.type = PERF_TYPE_HARDWARE;
    what.size = sizeof what;
    what.config = PERF_COUNT_HW_INSTRUCTIONS;
    what.exclude_kernel = 1;
    counter = (int)syscall(SYS_perf_event_open, &what, 0, -1, -1, 0);
}

static int64_t instructions(void)
{
    int64_t so_far = 0;
    return counter >= 0 && read(counter, &so_far, sizeof so_far) == sizeof so_far ? so_far : -1;
}

static void send_and_receive(void)
{
    for (int at = 0; at < times; at++) {
        MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void begin_and_wait(void)
{
    MPI_Request requests[2];
    for (int at = 0; at < times; at++) {
        MPI_Irecv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

static void allreduce(void)
{
    float in = 1;
    float out;
    for (int at = 0; at < times; at++)
        MPI_Allreduce(&in, &out, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

/*
 * The only place for all: waves are of the first one alone. The barrier keeps the loop, of which
 * else nothing would be left.
 */
static __attribute__((noinline)) void come_to_spot(int times)
{
    for (int at = 0; at < times; at++) {
        sluice_potential_checkpoint();
        __asm__ volatile("" ::: "memory");
    }
}

static void spots(void)
{
    come_to_spot(times);
}

static _Noreturn void step(pid_t whom)
{
    int status;
    long signal = 0;
    if (ptrace(PTRACE_ATTACH, whom, NULL, NULL) != 0 || waitpid(whom, &status, 0) != whom)
        _exit(1);
    stepped->attached = true;
    while (stepped->call >= 0 && ptrace(PTRACE_SINGLESTEP, whom, NULL, signal) == 0
           && waitpid(whom, &status, 0) == whom && WIFSTOPPED(status)) {
        const int stop = WSTOPSIG(status);
        signal = stop == SIGTRAP || stop == SIGSTOP ? 0 : stop;
        if (stop == SIGTRAP && stepped->call > 0)
            stepped->steps[stepped->call]++;
    }
    ptrace(PTRACE_DETACH, whom, NULL, NULL);
    _exit(0);
}

static int by_size(const void *a, const void *b)
{
    const int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return one < other ? -1 : one > other;
}

/* -1 where no process may step through another. */
static double count_by_steps(void (*calls)(void))
{
    if (!may_step)
        return -1;
    stepped =
        mmap(NULL, sizeof *stepped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    const pid_t whom = getpid(), child = fork();
    if (child == 0)
        step(whom);
    bool ended = child < 0;
    while (!stepped->attached && !ended)
        ended = waitpid(child, NULL, WNOHANG) != 0;
    times = 1;
    for (int call = 1; call <= STEPPED && !ended; call++) {
        stepped->call = call;
        calls();
    }
    times = CALLS;
    stepped->call = -1;
    if (!ended)
        waitpid(child, NULL, 0);
    qsort(stepped->steps + 1, STEPPED, sizeof *stepped->steps, by_size);
    const int64_t median = stepped->steps[STEPPED / 2 + 1];
    munmap(stepped, sizeof *stepped);
    return ended ? -1 : (double)median;
}

/* The best of many turns: others have the core in some of them. And the mean, which has the waves. */
static void measure(const char *kind, void (*calls)(void), int each, double seconds)
{
    double best = 1e9;
    double sum = 0;
    int turns = 0;
    const int64_t before = instructions();
    for (const double end = now() + seconds; now() < end; turns++) {
        come_to_spot(1);
        const double begin = now();
        calls();
        const double took = now() - begin;
        best = took < best ? took : best;
        sum += took;
    }
    const double all = (double)CALLS * each;
    printf("{\"part\": \"wrapper\", \"kind\": \"%s\", \"best_ns\": %.1f, \"mean_ns\": %.1f", kind,
           best / all * 1e9, sum / turns / all * 1e9);
    const double counted =
        before >= 0 ? (double)(instructions() - before) / all / turns : count_by_steps(calls);
    if (counted >= 0)
        printf(", \"instructions\": %.1f", counted);
    puts("}");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const double seconds = argc > 1 ? atof(argv[1]) : 1;
    may_step = argc > 2;
    count_instructions();
    sluice_protect(0, &value, sizeof value);
    come_to_spot(1);
    measure("message", send_and_receive, 1, seconds);
    measure("message with requests", begin_and_wait, 1, seconds);
    measure("allreduce", allreduce, 1, seconds);
    measure("spot", spots, 1, seconds);
    MPI_Finalize();
    return 0;
}
