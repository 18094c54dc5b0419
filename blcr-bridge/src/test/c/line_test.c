/* Names on the terminal as sluice run says them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "line.h"

static const char *line_of(const char *text)
{
    static char out[200];
    sluice_line(out, sizeof out, text);
    return out;
}

static void test_what_a_terminal_obeys_is_quoted(void **state)
{
    (void)state;
    assert_string_equal(line_of("cannot open /x/a\033[31mb: no"),
                        "cannot open /x/a$'\\033'[31mb: no");
    assert_string_equal(line_of("\033]0;t\a\n"), "$'\\033']0;t$'\\a\\n'");
    assert_string_equal(line_of("\xC2\x9B"
                                "31m\x7F"),
                        "$'\\302\\233'31m$'\\177'");
    assert_string_equal(line_of("\xE2\x80\xAEgnp"), "$'\\342\\200\\256'gnp");
    assert_string_equal(line_of("a\xFFz\xC3"), "a$'\\377'z$'\\303'");
    assert_string_equal(line_of("\xC0\x9B\xED\xA0\x80"), "$'\\300\\233\\355\\240\\200'");
}

static void test_the_rest_is_left_as_it_is(void **state)
{
    (void)state;
    const char *text = "plain, 'as it is': \xC3\xBC \xE6\x96\x87 \xF0\x9F\x98\x80";
    assert_string_equal(line_of(text), text);
}

static void test_a_line_ends_where_the_room_does(void **state)
{
    (void)state;
    for (size_t capacity = 1; capacity < 60; capacity++) {
        char out[64];
        memset(out, '#', sizeof out);
        sluice_line(out, capacity, "ab\033\033\xE2\x80\xAE\xE2\x80\xAEgh\n\xC3\xBC");
        assert_true(strlen(out) < capacity);
        assert_int_equal(out[capacity], '#');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_terminal_obeys_is_quoted),
        cmocka_unit_test(test_the_rest_is_left_as_it_is),
        cmocka_unit_test(test_a_line_ends_where_the_room_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
