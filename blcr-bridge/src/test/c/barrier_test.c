/* The fence that an append leaves to the kernel: of two that store and then load, one sees the other. */
#include "barrier.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ROUNDS = 20000, SPREAD = 64 };

/* As far apart as an image's state and a chunk. */
static _Alignas(128) atomic_int appended;
static _Alignas(128) atomic_int direct;
static _Alignas(128) atomic_int round_of_writer;
static _Alignas(128) atomic_int round_of_service;
static int writer_saw;
static bool by_kernel;

static void meet(atomic_int *own, atomic_int *other, int round)
{
    atomic_store(own, round);
    while (atomic_load(other) < round) {
    }
}

static void wait_a_little(int round)
{
    for (volatile int i = 0; i < round % SPREAD; i++) {
    }
}

static void *append_and_look(void *unused)
{
    for (int round = 1; round <= ROUNDS; round++) {
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
    int missed = 0;
    for (int round = 1; round <= ROUNDS; round++) {
        meet(&round_of_service, &round_of_writer, 3 * round);
        wait_a_little(round / SPREAD);
        atomic_store(&direct, round);
        if (by_kernel) {
            syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
        }
        const int service_saw = atomic_load(&appended);
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
