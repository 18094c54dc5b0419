/* sluice-run from outside, with a stand-in for `sluice serve`. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define RANKS 6

static char home[] = "/dev/shm/sluice-run-test-XXXXXX";

static void make(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void make(const char *format, ...)
{
    char command[2000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    assert_int_equal(system(command), 0);
}

/* An installation whose `sluice` is `script`, and an empty runtime directory. */
static void install(const char *script)
{
    make("rm -rf %s/* && mkdir -p %s/scripts %s/blcr-bridge/target/native %s/run", home, home, home,
         home);
    make("chmod 700 %s/run", home);
    make("ln -s %s %s/blcr-bridge/target/native/libsluice_preload.so", STUB_PRELOAD, home);
    make("printf '#!/bin/sh\\n%%s\\n' '%s' >%s/scripts/sluice && chmod +x %s/scripts/sluice",
         script, home, home);
    char runtime[100];
    snprintf(runtime, sizeof runtime, "%s/run", home);
    setenv("SLUICE_HOME", home, 1);
    setenv("SLUICE_RUNTIME", runtime, 1);
    setenv("SLUICE_STORE", "/store", 1);
}

static int start(void **state)
{
    (void)state;
    install("exec " FAKE_SERVE " \"$@\"");
    return 0;
}

/* An I/O process outlives its ranks, and removes the name that the next one may have by then. */
static int await_orphans(void **state)
{
    (void)state;
    while (wait(NULL) > 0) {
    }
    return 0;
}

/* Starts sluice-run with these words, its standard error going to home/stderr. */
static pid_t launch(char *const *words)
{
    const pid_t child = fork();
    if (child == 0) {
        char path[100];
        snprintf(path, sizeof path, "%s/stderr", home);
        dup2(open(path, O_WRONLY | O_CREAT | O_APPEND, 0600), STDERR_FILENO);
        execv(SLUICE_RUN, words);
        _exit(99);
    }
    return child;
}

static int end_of(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static const char *content(const char *name)
{
    static char text[4096];
    char path[200];
    snprintf(path, sizeof path, "%s/%s", home, name);
    FILE *file = fopen(path, "r");
    const size_t length = file == NULL ? 0 : fread(text, 1, sizeof text - 1, file);
    text[length] = 0;
    if (file != NULL)
        fclose(file);
    return text;
}

#define RUN(...) end_of(launch((char *[]){"sluice-run", __VA_ARGS__, NULL}))

static void await_file(const char *name)
{
    for (int i = 0; *content(name) == 0; i++) {
        assert_true(i < 6000);
        usleep(10000);
    }
}

/* Whether it waits, for the I/O process that it starts or for another rank that does. */
static bool awaits_start(pid_t rank)
{
    char path[50];
    long call = -1;
    snprintf(path, sizeof path, "/proc/%d/syscall", (int)rank);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const int found = fscanf(file, "%ld", &call); /* none while it runs */
    fclose(file);
    return found == 1 && (call == SYS_poll || call == SYS_clock_nanosleep);
}

static void status_is_the_commands(void **state)
{
    (void)state;
    assert_int_equal(RUN("--name", "a", "--", "true"), 0);
    assert_int_equal(RUN("--name", "b", "--", "sh", "-c", "exit 5"), 5);
    assert_int_equal(RUN("--name", "c", "sh", "-c", "kill -9 $$"), 128 + SIGKILL);
    assert_string_equal(content("stderr"), "");
}

static void command_that_cannot_run_is_one_line(void **state)
{
    (void)state;
    assert_int_equal(RUN("--name", "a", "--", "no-such-command"), 127);
    assert_string_equal(content("stderr"),
                        "sluice run: cannot run no-such-command: No such file or directory\n");
    assert_int_equal(RUN("--name", "b", "--", "/dev/null"), 126);
}

static void command_line_without_sense_is_one_line(void **state)
{
    (void)state;
    assert_int_equal(RUN("--colour", "--", "true"), 2);
    assert_int_equal(RUN("--store"), 2);
    assert_int_equal(RUN("--layout", "files"), 2);
    unsetenv("SLUICE_STORE");
    assert_int_equal(RUN("--", "true"), 2);
    assert_string_equal(content("stderr"),
                        "sluice run: there is no option --colour; see sluice run --help\n"
                        "sluice run: a value is missing after --store; see sluice run --help\n"
                        "sluice run: no command to run; see sluice run --help\n"
                        "sluice run: no store; name one with --store DIR or in SLUICE_STORE\n");
}

static void options_go_to_serve(void **state)
{
    (void)state;
    assert_int_equal(RUN("--name", "n", "--store", "/s", "--capture=/c", "--layout", "container",
                         "--group", "a b", "--", "true", "--chunk", "7"),
                     0);
    assert_string_equal(content("run/arguments"),
                        "serve --members --name n --group=a b --layout=container "
                        "--store=/s --capture=/c\n");
}

static void layout_is_files_unless_asked_for(void **state)
{
    (void)state;
    setenv("SLUICE_CAPTURE", "/c", 1);
    assert_int_equal(RUN("--name", "n", "true"), 0);
    assert_string_equal(content("run/arguments"),
                        "serve --members --name n --group=auto --layout=files --store=/store "
                        "--capture=/c\n");
    unsetenv("SLUICE_CAPTURE");
}

static void nothing_is_left_behind(void **state)
{
    (void)state;
    char path[100];
    assert_int_equal(RUN("--name", "n", "true"), 0);
    snprintf(path, sizeof path, "%s/run/n.start", home);
    assert_int_equal(access(path, F_OK), -1);
}

static void command_finds_the_io_process_and_the_shim(void **state)
{
    (void)state;
    setenv("LD_PRELOAD", "", 1);
    char command[300];
    snprintf(command, sizeof command, "echo $SLUICE_DIRECTORY $SLUICE_CAPTURE $LD_PRELOAD >%s/seen",
             home);
    assert_int_equal(RUN("--name", "n", "--capture", "/captured", "--", "sh", "-c", command), 0);
    char expected[300];
    snprintf(expected, sizeof expected,
             "%s/run/n /captured %s/blcr-bridge/target/native/libsluice_preload.so\n", home, home);
    assert_string_equal(content("seen"), expected);
    unsetenv("LD_PRELOAD");
}

/* What a launcher says to a rank. */
static void enter_job(void)
{
    setenv("SLUICE_RANK", "0", 1);
    setenv("SLUICE_RANKS", "6", 1);
}

static void leave_job(void)
{
    unsetenv("SLUICE_RANK");
    unsetenv("SLUICE_RANKS");
}

static void first_rank_starts_the_io_process_for_all(void **state)
{
    (void)state;
    pid_t ranks[RANKS];
    char command[200];
    enter_job();
    snprintf(command, sizeof command,
             "echo x >>%s/entered; while [ $(wc -l <%s/entered) -lt %d ]; "
             "do sleep 0.01; done",
             home, home, RANKS);
    for (int i = 0; i < RANKS; i++)
        ranks[i] = launch((char *[]){"sluice-run", "--", "sh", "-c", command, NULL});
    for (int i = 0; i < RANKS; i++)
        assert_int_equal(end_of(ranks[i]), 0);
    const char *arguments = content("run/arguments");
    assert_non_null(strstr(arguments, "serve --members --name parent-"));
    assert_ptr_equal(strchr(arguments, '\n'), arguments + strlen(arguments) - 1);
    leave_job();
}

static void failure_to_start_is_one_line_for_all_ranks(void **state)
{
    (void)state;
    install("until [ -e $SLUICE_HOME/all ]; do :; done; "
            "echo sluice serve: no such store >&2; exit 3");
    pid_t ranks[RANKS];
    enter_job();
    for (int i = 0; i < RANKS; i++)
        ranks[i] = launch((char *[]){"sluice-run", "--", "true", NULL});
    for (int i = 0; i < RANKS; i++) {
        for (int looks = 0; !awaits_start(ranks[i]); looks++) { /* a later one tries again */
            assert_true(looks < 60000);
            usleep(1000);
        }
    }
    make("touch %s/all", home);
    for (int i = 0; i < RANKS; i++)
        assert_int_equal(end_of(ranks[i]), 3);
    assert_string_equal(content("stderr"), "sluice serve: no such store\n");
    assert_int_equal(RUN("--", "true"), 3);
    assert_string_equal(content("stderr"),
                        "sluice serve: no such store\nsluice serve: no such store\n");
    leave_job();
}

static void io_process_that_ends_silently_is_one_line(void **state)
{
    (void)state;
    install("exit 0");
    assert_int_equal(RUN("--", "true"), 1);
    assert_non_null(strstr(content("stderr"), "ended before it was ready"));
}

static void signals_reach_the_command(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command,
             "trap \"exit 33\" USR1; echo x >%s/trapped; while :; do sleep 0.01; done", home);
    const pid_t rank = launch((char *[]){"sluice-run", "--", "sh", "-c", command, NULL});
    await_file("trapped");
    kill(rank, SIGUSR1);
    assert_int_equal(end_of(rank), 33);
}

static void killed_rank_takes_the_command_along(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "echo $$ >%s/pid; exec sleep 1000", home);
    const pid_t rank = launch((char *[]){"sluice-run", "--", "sh", "-c", command, NULL});
    await_file("pid");
    const pid_t pid = atoi(content("pid"));
    kill(rank, SIGKILL);
    assert_int_equal(end_of(rank), -SIGKILL);
    assert_int_equal(end_of(pid), -SIGKILL);
}

static void runtime_directory_that_others_may_have_made_is_refused(void **state)
{
    (void)state;
    make("chmod 777 %s/run", home);
    const pid_t rank = launch((char *[]){"sluice-run", "--", "true", NULL});
    assert_int_equal(end_of(rank), 9);
    assert_non_null(strstr(content("stderr"), "is not a directory of yours with mode 0700"));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, start, await_orphans)

static int remove_home(void **state)
{
    (void)state;
    make("rm -r %s", home);
    return 0;
}

int main(void)
{
    /* Whatever outlives its parent becomes a child of this process. */
    if (mkdtemp(home) == NULL || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return 1;
    const struct CMUnitTest tests[] = {
        TEST(status_is_the_commands),
        TEST(command_that_cannot_run_is_one_line),
        TEST(command_line_without_sense_is_one_line),
        TEST(options_go_to_serve),
        TEST(layout_is_files_unless_asked_for),
        TEST(nothing_is_left_behind),
        TEST(command_finds_the_io_process_and_the_shim),
        TEST(first_rank_starts_the_io_process_for_all),
        TEST(failure_to_start_is_one_line_for_all_ranks),
        TEST(io_process_that_ends_silently_is_one_line),
        TEST(signals_reach_the_command),
        TEST(killed_rank_takes_the_command_along),
        TEST(runtime_directory_that_others_may_have_made_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, remove_home);
}
