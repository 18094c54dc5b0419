/* How long the I/O process counts as standing still, by what it says and what the kernel says of its thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "clock.h"
#include "sluice_layout.h"
#include "standstill.h"

static struct sluice_header header;

static void pass(int64_t milliseconds)
{
    for (const int64_t end = sluice_clock_ms() + milliseconds; sluice_clock_ms() < end;)
        usleep(1000);
}

static void serve_by(void)
{
    atomic_store(&header.service, (int32_t)syscall(SYS_gettid));
    atomic_fetch_add(&header.turns, 1);
}

static void test_what_gets_on_does_not_stand_still(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        pass(20);
        atomic_fetch_add(&header.turns, 1);
        assert_int_equal(sluice_standstill_look(), -1);
    }
}

static void *sleep_on(void *stop)
{
    serve_by();
    char byte;
    return read(*(int *)stop, &byte, 1) == 0 ? NULL : stop;
}

/* What nobody has looked at for long may be the looker's own fault. */
static void test_a_thread_that_waits_stands_still_for_as_long_as_is_looked(void **state)
{
    (void)state;
    int stop[2];
    pthread_t thread;
    assert_int_equal(pipe(stop), 0);
    const int64_t turns = atomic_load(&header.turns);
    pthread_create(&thread, NULL, sleep_on, stop);
    while (atomic_load(&header.turns) == turns)
        usleep(1000);
    pass(100); /* it sleeps by now */
    sluice_standstill_look();
    pass(3 * SLUICE_STANDSTILL_LOOK_MILLIS);
    assert_int_equal(sluice_standstill_look(), 2 * SLUICE_STANDSTILL_LOOK_MILLIS);
    close(stop[1]);
    pthread_join(thread, NULL);
    close(stop[0]);
}

/* This thread is one that runs, or could: it looks itself. */
static void test_a_thread_that_wants_a_processor_hardly_stands_still(void **state)
{
    (void)state;
    serve_by();
    sluice_standstill_look();
    pass(3 * SLUICE_STANDSTILL_LOOK_MILLIS);
    assert_int_equal(sluice_standstill_look(), 2 * SLUICE_STANDSTILL_LOOK_MILLIS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_gets_on_does_not_stand_still),
        cmocka_unit_test(test_a_thread_that_waits_stands_still_for_as_long_as_is_looked),
        cmocka_unit_test(test_a_thread_that_wants_a_processor_hardly_stands_still),
    };
    sluice_standstill_init(&header, getpid());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
