/* The parts that are written here are those that profiling reads: the golden vector. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "client.h"
#include "trace.h"

#define HEADER 512
#define NAMED 4       /* the FILE record of "/f" */
#define FIRST_WRITE 6 /* with its file, size and kind */
#define NEXT_WRITE 3

static char directory[] = "/tmp/sluice-trace-test-XXXXXX";

static uint8_t *contents(const char *path, size_t *length)
{
    struct stat status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && fstat(fd, &status) == 0);
    *length = (size_t)status.st_size;
    uint8_t *bytes = malloc(*length + 1);
    assert_int_equal(read(fd, bytes, *length), *length);
    close(fd);
    return bytes;
}

static int64_t field(const uint8_t *bytes, size_t offset)
{
    int64_t value;
    memcpy(&value, bytes + offset, sizeof value);
    return value;
}

static void the_records_are_those_of_the_golden_part(void **state)
{
    (void)state;
    struct sluice_trace trace = {0};
    struct sluice_trace_file a = {0}, b = {0};
    assert_int_equal(sluice_trace_open(&trace, directory), 0);
    const int64_t t = trace.end;
    sluice_trace_name(&trace, &a, "/ckpt/a");
    sluice_trace_append(&trace, &a, SLUICE_TRACE_WRITE, SLUICE_TRACE_LOGGED, t + 1000, t + 1030, 0,
                        20);
    sluice_trace_append(&trace, &a, SLUICE_TRACE_WRITE, SLUICE_TRACE_LOGGED, t + 1040, t + 1070, 20,
                        20);
    sluice_trace_append(&trace, &a, SLUICE_TRACE_WRITE, SLUICE_TRACE_LOGGED, t + 1100, t + 3100, 40,
                        4096);
    sluice_trace_name(&trace, &b, "/ckpt/b");
    sluice_trace_append(&trace, &b, SLUICE_TRACE_PWRITE, SLUICE_TRACE_DIRECT, t + 10000000,
                        t + 10350000, INT64_C(1) << 33, 1 << 20);
    sluice_trace_append(&trace, &a, SLUICE_TRACE_WRITE, SLUICE_TRACE_LOGGED, t + 10349990,
                        t + 10350015, 4136, 64);
    sluice_trace_append(&trace, &b, SLUICE_TRACE_STREAM, SLUICE_TRACE_PLAIN, t + 10400000,
                        t + 10400000, 5, 0);
    sluice_trace_close(&trace);
    size_t length, golden_length;
    uint8_t *part = contents(trace.path, &length), *golden = contents(GOLDEN_TRACE, &golden_length);
    assert_int_equal(length, golden_length);
    assert_memory_equal(part + HEADER, golden + HEADER, length - HEADER);
    assert_memory_equal(part, golden, 12);
    assert_int_equal(field(part, 56), length);
    assert_int_equal(field(part, 48), t);
    free(part);
    free(golden);
}

/* More than one window, and the process dies in the middle of it. */
static void what_was_appended_survives_a_kill(void **state)
{
    (void)state;
    enum { WRITES = 200000 };
    struct sluice_trace trace = {0};
    int status;
    char path[sizeof trace.path];
    const pid_t child = fork();
    if (child == 0) {
        struct sluice_trace_file file = {0};
        if (sluice_trace_open(&trace, directory) != 0)
            _exit(1);
        sluice_trace_name(&trace, &file, "/f");
        for (int i = 0; i < WRITES; i++) {
            sluice_trace_append(&trace, &file, SLUICE_TRACE_WRITE, SLUICE_TRACE_PLAIN,
                                trace.end + 1, trace.end + 2, i, 1);
        }
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    DIR *entries = opendir(directory);
    for (const struct dirent *each; (each = readdir(entries)) != NULL;) {
        char mark[20];
        snprintf(mark, sizeof mark, ".%d.part", child);
        if (strstr(each->d_name, mark) != NULL)
            snprintf(path, sizeof path, "%s/%s", directory, each->d_name);
    }
    closedir(entries);
    size_t length, at = HEADER + NAMED + FIRST_WRITE;
    uint8_t *part = contents(path, &length);
    assert_int_equal(field(part, 56), 0);
    int writes = 1;
    for (; at + NEXT_WRITE <= length && part[at] != 0; at += NEXT_WRITE) {
        assert_memory_equal(part + at, ((uint8_t[]){0x1f, 2, 1}), NEXT_WRITE);
        writes++;
    }
    assert_int_equal(writes, WRITES);
    free(part);
}

static void where_there_is_no_room_writes_are_counted_as_lost(void **state)
{
    (void)state;
    enum { WRITES = 100000 };
    struct sluice_trace trace = {0};
    struct sluice_trace_file file = {0};
    assert_int_equal(sluice_trace_open(&trace, directory), 0);
    sluice_trace_name(&trace, &file, "/f");
    struct rlimit limit, small = {.rlim_cur = 300 << 10, .rlim_max = RLIM_INFINITY};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small.rlim_max = limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 0; i < WRITES; i++) {
        sluice_trace_append(&trace, &file, SLUICE_TRACE_WRITE, SLUICE_TRACE_PLAIN, trace.end + 1,
                            trace.end + 2, i, 1);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    sluice_trace_close(&trace);
    size_t length;
    uint8_t *part = contents(trace.path, &length);
    assert_int_equal(field(part, 56), length);
    assert_true(length <= 256 << 10 && length > 250 << 10);
    const size_t written = 1 + (length - HEADER - NAMED - FIRST_WRITE) / NEXT_WRITE;
    assert_int_equal(field(part, 64), WRITES - (int64_t)written);
    free(part);
}

static void a_second_part_of_a_process_has_another_name(void **state)
{
    (void)state;
    struct sluice_trace trace = {0};
    struct sluice_trace_file file = {0};
    assert_int_equal(sluice_trace_open(&trace, directory), 0);
    sluice_trace_name(&trace, &file, "/f");
    assert_true(sluice_trace_knows(&trace, &file));
    sluice_trace_close(&trace);
    assert_int_equal(sluice_trace_open(&trace, directory), 0);
    assert_non_null(strstr(trace.path, "-"));
    assert_false(sluice_trace_knows(&trace, &file));
    sluice_trace_close(&trace);
}

static void a_directory_that_is_missing_is_told(void **state)
{
    (void)state;
    struct sluice_trace trace = {0};
    assert_true(sluice_trace_open(&trace, "/nowhere") < 0);
    assert_non_null(strstr(sluice_failure_message(), "/nowhere"));
    assert_null(trace.header);
}

static int make_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) == NULL;
}

static int remove_directory(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_records_are_those_of_the_golden_part),
        cmocka_unit_test(what_was_appended_survives_a_kill),
        cmocka_unit_test(where_there_is_no_room_writes_are_counted_as_lost),
        cmocka_unit_test(a_second_part_of_a_process_has_another_name),
        cmocka_unit_test(a_directory_that_is_missing_is_told),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
