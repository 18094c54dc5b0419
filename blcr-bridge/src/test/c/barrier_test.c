/* The fence that an append leaves to the kernel: of two that store and then load, one sees the other. */
#include "barrier.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

/* A round takes microseconds, or a time slice of all others where the two do not get a core each. */
enum { SECONDS = 7, SPREAD = 64, PATIENCE = 1000 };

/* As far apart as an image's state and a chunk. */
static _Alignas(128) atomic_int appended;
static _Alignas(128) atomic_int direct;
static _Alignas(128) atomic_int round_of_writer;
static _Alignas(128) atomic_int round_of_service;
static int writer_saw;
static bool over;
static bool by_kernel;

static void meet(atomic_int *own, atomic_int *other, int round)
{
    atomic_store(own, round);
    for (int looks = 1; atomic_load(other) < round; looks++)
        if (looks % PATIENCE == 0)
            sched_yield(); /* the other may have no core */
}

static void wait_a_little(int round)
{
    for (volatile int i = 0; i < round % SPREAD; i++) {
    }
}

static void *append_and_look(void *unused)
{
    for (int round = 1; !over; round++) {
        meet(&round_of_writer, &round_of_service, 3 * round);
        wait_a_little(round);
        atomic_store_explicit(&appended, round, memory_order_release);
        sluice_barrier(by_kernel);
        writer_saw = atomic_load_explicit(&direct, memory_order_acquire);
        meet(&round_of_writer, &round_of_service, 3 * round + 1);
    }
    return unused;
}

/* Returns in how many rounds neither saw the other. */
static int make_direct_and_look(void)
{
    const time_t end = time(NULL) + SECONDS;
    int missed = 0;
    for (int round = 1; !over; round++) {
        meet(&round_of_service, &round_of_writer, 3 * round);
        wait_a_little(round / SPREAD);
        atomic_store(&direct, round);
        if (by_kernel)
            syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
        const int service_saw = atomic_load(&appended);
        over = time(NULL) >= end;
        meet(&round_of_service, &round_of_writer, 3 * round + 1);
        missed += writer_saw < round && service_saw < round;
    }
    return missed;
}

static void test_one_sees_the_other(void **state)
{
    (void)state;
    by_kernel = sluice_barrier_register();
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, append_and_look, NULL), 0);
    assert_int_equal(make_direct_and_look(), 0);
    pthread_join(writer, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_sees_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
