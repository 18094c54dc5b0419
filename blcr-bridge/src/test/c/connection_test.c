/* The socket to the I/O process, with a listener of the test's own at the other end. */
#include "connection.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "clock.h"
#include "sluice_layout.h"

static char directory[64];
static int listener;
static struct sluice_connection connection;

/* Connects; returns the other end. */
static int start(void)
{
    strcpy(directory, "/tmp/sluice-connection-XXXXXX");
    assert_non_null(mkdtemp(directory));
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", directory);
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(sluice_connection_open(directory, 0, &connection), 0);
    const int peer = accept(listener, NULL, NULL);
    assert_true(peer >= 0);
    return peer;
}

static void shut_down(void)
{
    char path[80];
    close(listener);
    sluice_connection_close(&connection);
    snprintf(path, sizeof path, "%s/socket", directory);
    unlink(path);
    snprintf(path, sizeof path, "%s/inflight", directory);
    unlink(path);
    rmdir(directory);
}

static void an_io_process_that_lives_passes_the_check(void **state)
{
    (void)state;
    const int peer = start();
    assert_int_equal(sluice_connection_check(&connection), 0);
    close(peer);
    assert_int_equal(sluice_connection_check(&connection), -EIO);
    shut_down();
}

/* The kernel then says so by an error, once, before it says that the stream has ended. */
static void one_that_died_before_it_heard_the_bell_fails_it(void **state)
{
    (void)state;
    const int peer = start();
    sluice_connection_wake(&connection);
    close(peer);
    assert_int_equal(sluice_connection_check(&connection), -EIO);
    shut_down();
}

/* ---- I/O processes that greet us one after the other, and end before they answer ---- */

enum { PATIENCE_MILLIS = 200, PAUSE_MILLIS = 10 };

/* So many of the first get a little further with the session. */
static int64_t getting_further;

static int64_t greeted;

static void get_further(int64_t progress)
{
    char path[80];
    snprintf(path, sizeof path, "%s/inflight", directory);
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(pwrite(fd, &progress, sizeof progress, SLUICE_IN_FLIGHT_PROGRESS_OFFSET),
                     sizeof progress);
    close(fd);
}

static void *come_and_fail(void *nothing)
{
    int peer;
    for (int64_t count = 1; (peer = accept(listener, NULL, NULL)) >= 0; count++) {
        if (count <= getting_further)
            get_further(count);
        usleep(PAUSE_MILLIS * 1000);
        close(peer);
    }
    return nothing;
}

static int greet(struct sluice_connection *anew, void *nothing)
{
    (void)anew;
    (void)nothing;
    greeted++;
    return 0;
}

static bool revive(void *nothing)
{
    (void)nothing;
    return true;
}

/* For how long a request waits, in milliseconds. */
static int64_t wait_for_those_that_fail(void)
{
    pthread_t thread;
    greeted = 0;
    setenv("SLUICE_PATIENCE", "0.2", 1);
    close(start());
    assert_int_equal(pthread_create(&thread, NULL, come_and_fail, NULL), 0);
    sluice_connection_greet(&connection, greet, revive, NULL);
    alarm(60); /* it may wait for ever */
    const int64_t begin = sluice_clock_ms();
    assert_int_equal(sluice_connection_request(&connection, SLUICE_REQUEST_LIST, NULL, NULL), -EIO);
    const int64_t waited = sluice_clock_ms() - begin;
    alarm(0);
    shutdown(listener, SHUT_RDWR);
    pthread_join(thread, NULL);
    shut_down();
    return waited;
}

static void those_that_get_nowhere_are_waited_for_as_long_as_one(void **state)
{
    (void)state;
    getting_further = 0;
    assert_true(wait_for_those_that_fail() >= PATIENCE_MILLIS);
}

static void those_that_get_on_are_waited_for(void **state)
{
    (void)state;
    getting_further = 3 * PATIENCE_MILLIS / PAUSE_MILLIS;
    wait_for_those_that_fail();
    assert_true(greeted > getting_further);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_io_process_that_lives_passes_the_check),
        cmocka_unit_test(one_that_died_before_it_heard_the_bell_fails_it),
        cmocka_unit_test(those_that_get_nowhere_are_waited_for_as_long_as_one),
        cmocka_unit_test(those_that_get_on_are_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
