/* The copy into chunks against memcpy, for all alignments and many lengths. */
#include "copy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GUARD 64
#define LONGEST (3 * 4096)
#define AREA (GUARD + 64 + LONGEST + GUARD)

static uint8_t source[AREA];
static uint8_t target[AREA];
static uint8_t expected[AREA];

static int fill(void **state)
{
    (void)state;
    for (size_t i = 0; i < AREA; i++)
        source[i] = (uint8_t)(i * 31 + i / 256);
    return 0;
}

/* Compares the whole area, so that a byte too many is found as well as one too few. */
static void copy_and_compare(size_t to, size_t from, size_t length)
{
    memset(target, 0xee, AREA);
    memset(expected, 0xee, AREA);
    memcpy(expected + GUARD + to, source + from, length);
    sluice_copy(target + GUARD + to, source + from, length);
    if (memcmp(target, expected, AREA) != 0)
        fail_msg("to +%zu from +%zu length %zu", to, from, length);
}

static void short_copies_of_any_length(void **state)
{
    (void)state;
    for (size_t length = 0; length <= 300; length++)
        copy_and_compare(length % 64, length % 61, length);
}

static void long_copies_at_any_alignment(void **state)
{
    (void)state;
    for (size_t to = 0; to < 64; to++)
        for (size_t from = 0; from < 64; from++)
            copy_and_compare(to, from, 4096 + (to * 64 + from) % 200);
}

static void long_copies_of_any_length(void **state)
{
    (void)state;
    for (size_t length = 4096 - 200; length <= 4096 + 200; length++) {
        copy_and_compare(length % 64, length % 61, length);
        copy_and_compare(length % 59, length % 64, length + 4096);
    }
    copy_and_compare(63, 0, LONGEST);
}

/* Exactly as long as the copy, so that the sanitizer sees a byte read beyond the source. */
static void nothing_is_read_beyond_the_source(void **state)
{
    (void)state;
    for (size_t length = 4096; length < 4096 + 65; length++) {
        uint8_t *exact = malloc(length);
        assert_non_null(exact);
        memset(exact, 7, length);
        sluice_copy(target + 5, exact, length);
        assert_memory_equal(target + 5, exact, length);
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_copies_of_any_length),
        cmocka_unit_test(long_copies_at_any_alignment),
        cmocka_unit_test(long_copies_of_any_length),
        cmocka_unit_test(nothing_is_read_beyond_the_source),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
