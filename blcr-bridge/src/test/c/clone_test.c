/* What the child of a bare clone() does with its parent's images. */
#include "client.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lost_slot.h"

static void leave_parent_alone(void (*steps)(void))
{
    keep(&iop, client);
    in_child(steps);
    assert_untouched(&iop, client);
}

static void child_of_a_bare_clone_attaches_anew(void **state)
{
    (void)state;
    leave_parent_alone(write_as_child);
    assert_content(&begun, "before child");
    assert_content(&untouched, "child");
    assert_logged(&iop, 2, "later");
    assert_int_equal(fake_requests(&iop, SLUICE_REQUEST_ATTACH), 2);
}

/* By large writes and by all the other calls that store into the segment. */
static void do_the_rest_as_child(void)
{
    static char large[5000];
    const int parents = client->connection.socket;
    memset(large, 'x', sizeof large);
    EXPECT(sluice_log_pwrite(&untouched.log, untouched.fd, large, sizeof large, 0)
           == (ssize_t)sizeof large);
    /* Its number is free again: an open one would keep the parent's death from being noticed. */
    EXPECT(sluice_client_current(client)->connection.socket == parents);
    EXPECT(!sluice_log_diverted(&untouched.log));
    EXPECT(ftruncate(untouched.fd, 5) == 0);
    EXPECT(sluice_log_size(&begun.log) == -ESTALE);
    EXPECT(sluice_log_sync(&untouched.log) == -ESTALE);
}

static void child_of_a_bare_clone_uses_other_calls(void **state)
{
    (void)state;
    leave_parent_alone(do_the_rest_as_child);
    assert_content(&begun, "before");
    assert_content(&untouched, "xxxxx");
}

static void truncate_sync_and_close_as_child(void)
{
    EXPECT(sluice_log_truncate(&untouched.log, untouched.fd, 9) == -ESTALE);
    EXPECT(sluice_log_sync(&begun.log) == -ESTALE);
    EXPECT(sluice_log_end(&begun.log) == 0);
    EXPECT(sluice_log_end(&untouched.log) == 0);
    sluice_client_detach(client);
}

static void child_of_a_bare_clone_ends(void **state)
{
    (void)state;
    leave_parent_alone(truncate_sync_and_close_as_child);
    assert_int_equal(sluice_log_pwrite(&begun.log, begun.fd, " after", 6, 6), -ESTALE);
    assert_content(&begun, "before");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(child_of_a_bare_clone_attaches_anew, start, shut_down),
        cmocka_unit_test_setup_teardown(child_of_a_bare_clone_uses_other_calls, start, shut_down),
        cmocka_unit_test_setup_teardown(child_of_a_bare_clone_ends, start, shut_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
