/* The socket to the I/O process, with a listener of the test's own at the other end. */
#include "connection.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[64];
static struct sluice_connection connection;

/* Connects; returns the other end. */
static int start(void)
{
    strcpy(directory, "/tmp/sluice-connection-XXXXXX");
    assert_non_null(mkdtemp(directory));
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", directory);
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(sluice_connection_open(directory, &connection), 0);
    const int peer = accept(listener, NULL, NULL);
    assert_true(peer >= 0);
    close(listener);
    return peer;
}

static void stop(void)
{
    char path[80];
    sluice_connection_close(&connection);
    snprintf(path, sizeof path, "%s/socket", directory);
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
    stop();
}

/* The kernel then says so by an error, once, before it says that the stream has ended. */
static void one_that_died_before_it_heard_the_bell_fails_it(void **state)
{
    (void)state;
    const int peer = start();
    sluice_connection_wake(&connection);
    close(peer);
    assert_int_equal(sluice_connection_check(&connection), -EIO);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_io_process_that_lives_passes_the_check),
        cmocka_unit_test(one_that_died_before_it_heard_the_bell_fails_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
