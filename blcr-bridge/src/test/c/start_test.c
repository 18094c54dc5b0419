/* For how long an I/O process is waited for, and how it is stopped. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "clock.h"
#include "launch/start.h"

#define SECONDS(n) ((n) * INT64_C(1000))

static pid_t child_of(void (*does)(void))
{
    const pid_t child = fork();
    if (child == 0) {
        does();
        _exit(0);
    }
    return child;
}

static void rest(void)
{
    for (;;)
        pause();
}

static void work(void)
{
    for (;;)
        continue;
}

static void end(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* As if it had begun so long ago, and had not got on since. */
static struct sluice_launch_start start_of(pid_t child, int64_t ago)
{
    struct sluice_launch_start start = sluice_launch_start_of("a", child, true);
    start.began -= ago;
    start.got_on -= ago;
    return start;
}

static void one_that_does_nothing_is_given_up(void **state)
{
    (void)state;
    const pid_t child = child_of(rest);
    struct sluice_launch_start start = start_of(child, SECONDS(1));
    assert_true(sluice_launch_start_goes_on(&start));
    start = start_of(child, SECONDS(31));
    assert_false(sluice_launch_start_goes_on(&start));
    assert_true(start.told);
    end(child);
}

static void one_that_gets_on_is_waited_for_up_to_a_limit(void **state)
{
    (void)state;
    const pid_t child = child_of(work);
    struct sluice_launch_start start = start_of(child, SECONDS(60));
    for (int i = 0; i < 3000 && !sluice_launch_start_goes_on(&start); i++) {
        start = start_of(child, SECONDS(60));
        usleep(10000);
    }
    assert_true(sluice_launch_start_goes_on(&start));
    start.began -= SLUICE_LAUNCH_START_MOST;
    assert_false(sluice_launch_start_goes_on(&start));
    end(child);
}

static void one_that_no_command_needs_is_slow_after_a_minute(void **state)
{
    (void)state;
    const pid_t child = child_of(rest);
    struct sluice_launch_start start = sluice_launch_start_of("a", child, false);
    start.began -= SECONDS(59);
    assert_true(sluice_launch_start_goes_on(&start));
    assert_false(sluice_launch_start_is_slow(&start));
    start.began -= SECONDS(1);
    assert_false(sluice_launch_start_goes_on(&start));
    assert_true(sluice_launch_start_is_slow(&start));
    start.got_on -= SECONDS(31); /* it hangs */
    assert_false(sluice_launch_start_is_slow(&start));
    end(child);
}

static int said[2];

static void says_that_it_ends(int signal)
{
    _exit(write(said[1], "x", 1) == 1 ? signal : 0);
}

static void heed(void)
{
    signal(SIGTERM, says_that_it_ends);
    if (write(said[1], "r", 1) == 1)
        rest();
}

static int status_after_stop(bool keeps)
{
    char ready;
    int status;
    assert_int_equal(pipe(said), 0);
    const pid_t child = child_of(heed);
    assert_int_equal(read(said[0], &ready, 1), 1);
    const struct sluice_launch_start start = sluice_launch_start_of("a", child, true);
    sluice_launch_start_stop(&start, keeps);
    assert_int_equal(waitpid(child, &status, 0), child);
    close(said[0]);
    close(said[1]);
    return status;
}

static void one_that_is_stopped_ends_by_itself(void **state)
{
    (void)state;
    assert_int_equal(WEXITSTATUS(status_after_stop(false)), SIGTERM);
}

static void one_that_leaves_what_is_there_is_killed(void **state)
{
    (void)state;
    assert_int_equal(WTERMSIG(status_after_stop(true)), SIGKILL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_does_nothing_is_given_up),
        cmocka_unit_test(one_that_gets_on_is_waited_for_up_to_a_limit),
        cmocka_unit_test(one_that_no_command_needs_is_slow_after_a_minute),
        cmocka_unit_test(one_that_is_stopped_ends_by_itself),
        cmocka_unit_test(one_that_leaves_what_is_there_is_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
