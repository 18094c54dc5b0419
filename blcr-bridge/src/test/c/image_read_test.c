/* An image that comes through a pipe, from a fake I/O process. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "fake_io_process.h"
#include "session.h"

#define PAGE 4096
#define PAGES 1000

static struct fake_io_process iop;
static sluice_session *session;

/* Where the image goes. */
struct target {
    char *memory;
    int begun;
    size_t most; /* of one place */
    size_t wanted;
};

static int start(void **state)
{
    (void)state;
    fake_start(&iop,
               (struct fake_geometry){SLUICE_HEADER_LAYOUT_CONTAINER, 16, 4096, 3000,
                                      SLUICE_HEADER_POLICY_FIXED});
    return sluice_session_open(iop.directory, 1, 4, &session);
}

static int shut_down(void **state)
{
    (void)state;
    const int error = sluice_session_close(session);
    fake_stop(&iop);
    return error;
}

static void begin(void *argument)
{
    ((struct target *)argument)->begun++;
}

static void *place(void *argument, int64_t offset, size_t *length)
{
    const struct target *target = argument;
    if (*length > target->most)
        *length = target->most;
    return (size_t)offset < target->wanted ? target->memory + offset : NULL;
}

static int read_as(const char *name, struct target *target)
{
    return sluice_image_read(session, 7, name, &(struct sluice_sink){begin, place, target});
}

static void image_comes_in_any_order_and_anew_when_it_was_cut(void **state)
{
    (void)state;
    char memory[] = "................";
    struct target target = {memory, 0, sizeof memory, sizeof memory};
    assert_int_equal(read_as("pieces", &target), 0);
    assert_int_equal(target.begun, 2);
    assert_memory_equal(memory, "heads\0\0\0tails...", 16);
}

static void places_may_be_small_or_missing(void **state)
{
    (void)state;
    char memory[] = "................";
    assert_int_equal(read_as("pieces", &(struct target){memory, 0, 2, 10}), 0);
    assert_memory_equal(memory, "heads\0\0\0ta......", 16);
}

static void what_came_may_be_enough(void **state)
{
    (void)state;
    char memory[] = "................";
    assert_int_equal(read_as("pieces", &(struct target){memory, 0, 0, 16}), 0);
    assert_string_equal(memory, "................");
}

static void damage_is_said(void **state)
{
    (void)state;
    assert_int_equal(read_as("damaged", &(struct target){NULL, 0, 1, 0}), -EBADMSG);
    assert_string_equal(sluice_message(), "it is damaged");
}

/* As that of a process that is not dumpable. */
static void image_comes_as_a_copy_where_its_pipe_cannot_be_opened(void **state)
{
    (void)state;
    char memory[] = "................";
    struct target target = {memory, 0, 3, 11};
    assert_int_equal(read_as("hidden", &target), 0);
    assert_int_equal(target.begun, 1);
    assert_string_equal(memory, "rebuilt byte....");
}

static int64_t anonymous_kilobytes(void)
{
    int64_t found = -1;
    char line[200];
    FILE *status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status) != NULL)
        sscanf(line, "RssAnon: %ld", &found);
    fclose(status);
    return found;
}

static void zeros_leave_untouched_memory_untouched(void **state)
{
    (void)state;
    char *memory =
        mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE);
    memory[5 * PAGE + 17] = 1;
    memory[PAGES * PAGE - 1] = 1;
    const int64_t before = anonymous_kilobytes();
    assert_int_equal(read_as("zeros", &(struct target){memory, 0, PAGES * PAGE, PAGES * PAGE}), 0);
    assert_in_range(anonymous_kilobytes(), 0, before + 400);
    for (int i = 0; i < PAGES * PAGE; i++)
        assert_int_equal(memory[i], 0);
    munmap(memory, PAGES * PAGE);
}

/* As a system call would, and not by a signal. */
static void memory_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    char *memory = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct target target = {memory, 0, PAGES * PAGE, PAGES * PAGE};
    assert_int_equal(read_as("pieces", &target), -EFAULT);
    mprotect(memory, PAGES * PAGE, PROT_READ | PROT_WRITE);
    memory[9] = 1;
    mprotect(memory, PAGES * PAGE, PROT_READ);
    assert_int_equal(read_as("zeros", &target), -EFAULT);
    mprotect(memory, PAGES * PAGE, PROT_NONE);
    assert_int_equal(read_as("zeros", &target), -EFAULT);
    munmap(memory, PAGES * PAGE);
    assert_int_equal(read_as("zeros", &target), -EFAULT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(image_comes_in_any_order_and_anew_when_it_was_cut, start,
                                        shut_down),
        cmocka_unit_test_setup_teardown(places_may_be_small_or_missing, start, shut_down),
        cmocka_unit_test_setup_teardown(what_came_may_be_enough, start, shut_down),
        cmocka_unit_test_setup_teardown(damage_is_said, start, shut_down),
        cmocka_unit_test_setup_teardown(image_comes_as_a_copy_where_its_pipe_cannot_be_opened,
                                        start, shut_down),
        cmocka_unit_test_setup_teardown(zeros_leave_untouched_memory_untouched, start, shut_down),
        cmocka_unit_test_setup_teardown(memory_that_cannot_be_written_is_an_error, start,
                                        shut_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
