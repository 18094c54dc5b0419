/*
 * Programs that the layer must refuse, or end, by a line. --do NAME,NAME says what the program does
 * wrong. With `changed` the file ./changed says so, which changes from one run to the next; with
 * `asked`, the file ./wrong at that step.
 */
#include "bad.h"
#include "corpus.h"

#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static char wrong[100];
static struct corpus corpus;

static bool does(const char *name)
{
    return strstr(wrong, name) != NULL;
}

static void read_changed(void)
{
    FILE *changed = fopen("changed", "r");
    if (changed != NULL) {
        corpus_check(fgets(wrong, sizeof wrong, changed) != NULL, "./changed");
        fclose(changed);
    }
}

static void test(int times)
{
    for (int i = 0, flag; i < times; i++)
        MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE);
}

/* Sends messages to itself, which are recorded when received. */
static void flood(int times)
{
    enum { MESSAGES = 1000 };
    static MPI_Request requests[2 * MESSAGES];
    for (int i = 0; i < times; i++) {
        for (int n = 0; n < MESSAGES; n++)
            MPI_Irecv(NULL, 0, MPI_INT, corpus.rank, 8, MPI_COMM_WORLD, &requests[n]);
        for (int n = 0; n < MESSAGES; n++)
            MPI_Isend(NULL, 0, MPI_INT, corpus.rank, 8, MPI_COMM_WORLD, &requests[MESSAGES + n]);
        MPI_Waitall(2 * MESSAGES, requests, MPI_STATUSES_IGNORE);
    }
    fclose(fopen("flooded", "w"));
}

static void wait_for(const char *file)
{
    while (access(file, F_OK) != 0)
        usleep(10000);
}

static void use_window(void)
{
    MPI_Win window;
    MPI_Request request;
    int *memory;
    const int value = 5 + corpus.rank;
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &window);
    MPI_Win_lock_all(0, window);
    MPI_Rput(&value, 1, MPI_INT, (corpus.rank + 1) % corpus.ranks, 0, 1, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (*memory != 5 + (corpus.rank + corpus.ranks - 1) % corpus.ranks)
        MPI_Abort(MPI_COMM_WORLD, 9);
    MPI_Win_free(&window);
}

static void at_some_step(void)
{
    if (does("window"))
        use_window();
    if (does("silence") && corpus.rank == 1)
        wait_for("woken");
    if (does("flood") && corpus.rank == 1)
        wait_for("flooded");
    if (does("flood") && corpus.rank == 0) {
        fclose(fopen("asleep", "w"));
        while (access("asked", F_OK) != 0)
            test(1);
        for (int i = 0; i < 100; i++) { /* and hears of the wave */
            test(20);
            usleep(10000);
        }
    }
}

/* MPI says what is wrong, whatever the layer does at that time. */
static void call_with_nonsense(void)
{
    MPI_Status status;
    int got = 0;
    const int beyond = corpus.ranks + 1000000;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    corpus_check(MPI_Send(&got, -1, MPI_INT, 0, 1, MPI_COMM_WORLD) != MPI_SUCCESS
                     && MPI_Send(&got, 1, MPI_DATATYPE_NULL, 0, 1, MPI_COMM_WORLD) != MPI_SUCCESS
                     && MPI_Recv(&got, 1, MPI_INT, beyond, 1, MPI_COMM_WORLD, &status)
                         != MPI_SUCCESS
                     && MPI_Recv(&got, 1, MPI_INT, 0, -77, MPI_COMM_WORLD, &status) != MPI_SUCCESS,
                 "what makes no sense is an error");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Rank 0 has its spot before it sends, the others after they receive: all that crosses a line is early. */
static void pass_on(int64_t step)
{
    static int64_t message[2]; /* the second one is not used */
    message[0] = does("chance") ? now() : step;
    if (does("dead") && message[1] == 0)
        message[1] = now();
    MPI_Request request;
    int64_t got[2];
    MPI_Isend(message, 2, MPI_INT64_T, (corpus.rank + 1) % corpus.ranks, 3, MPI_COMM_WORLD,
              &request);
    MPI_Recv(got, 2, MPI_INT64_T, (corpus.rank + corpus.ranks - 1) % corpus.ranks, 3,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    corpus_check(does("chance") || got[0] == step, "the step of the rank before");
}

/* Numbers from 1 on behind the first, one more with each step. */
static void grow(int64_t step)
{
    enum { ID = 60 };
    static int64_t *numbers;
    static size_t count;
    if (numbers == NULL)
        count = sluice_protected_bytes(ID) / sizeof *numbers;
    if (numbers == NULL && count == 0)
        count = 1;
    numbers = realloc(numbers, (count + 1) * sizeof *numbers);
    if (step >= 0) {
        corpus_check(count == (size_t)step + 1, "as many numbers as steps");
        for (size_t i = 1; i < count; i++)
            corpus_check(numbers[i] == (int64_t)i, "numbers of steps before");
        numbers[count++] = step + 1;
    }
    sluice_protect(ID, numbers, count * sizeof *numbers);
}

/* Rank 0 comes to its spot only once the others have left theirs. */
static void meet(int64_t step, bool before)
{
    if (does("meet") && step > 0 && before == (corpus.rank == 0))
        MPI_Barrier(MPI_COMM_WORLD);
}

/* Another place than that in main(). */
__attribute__((noinline)) static void elsewhere(void)
{
    sluice_potential_checkpoint();
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--do") == 0)
            snprintf(wrong, sizeof wrong, "%s", argv[i + 1]);
    corpus = corpus_begin(&argc, &argv);
    if (does("changed"))
        read_changed();
    if (does("hide"))
        prctl(PR_SET_DUMPABLE, 0);
    int64_t *step = corpus_protected(sizeof *step);
    corpus_protected(does("size") ? 2000 : 1000);
    if (does("region"))
        corpus_protected(1);
    for (int id = 0; does("bare") && id < 3; id++)
        sluice_protect(id, NULL, 0);
    if (does("early")) {
        MPI_Request request;
        static int left;
        MPI_Isend(&left, 1, MPI_INT, (corpus.rank + 1) % corpus.ranks, 9, MPI_COMM_WORLD, &request);
    }
    if (does("more"))
        grow(-1);
    MPI_Request *none = does("none") ? corpus_protected(sizeof(MPI_Request)) : NULL;
    if (none != NULL)
        *none = MPI_REQUEST_NULL;
    if (does("place"))
        elsewhere();
    if (does("asked"))
        bad_begin();
    for (; *step < corpus.steps; ++*step) {
        meet(*step, true);
        if (!bad_changes_place)
            sluice_potential_checkpoint();
        else
            elsewhere();
        meet(*step, false);
        pass_on(*step);
        corpus_pause();
        corpus_check(none == NULL || *none == MPI_REQUEST_NULL, "no request");
        if (does("more"))
            grow(*step);
        if (does("both"))
            elsewhere();
        if (*step == 10)
            at_some_step();
        if (*step == 11 && does("flood") && corpus.rank == 0)
            flood(1000);
        if (does("nonsense"))
            call_with_nonsense();
        if (does("asked"))
            bad_step();
    }
    corpus_end((uint64_t)*step);
}
