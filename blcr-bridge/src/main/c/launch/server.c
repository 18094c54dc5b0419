#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "job.h"
#include "start.h"
#include "status.h"

/* The time between two looks at a start, in milliseconds. */
#define LOOK 100

/*
 * Becomes the I/O process, in a process group of its own. So signals to the ranks' terminal or
 * group do not reach it, nor does the terminal stop it as it warns. The session stays the ranks':
 * Linux may share the processors among sessions first, and a nice value then counts within one
 * only.
 */
_Noreturn static void become_server(const struct sluice_launch_options *options, char **environment,
                                    bool resumes, int ready)
{
    char program[3100];
    char called[100]; /* its messages begin with the name called */
    sluice_launch_installed(program, sizeof program, "scripts/sluice");
    const size_t count = sluice_launch_length(options->serve);
    char *arguments[count + 7];
    memcpy(arguments, (char *[]){program, "serve", "--members", "--name", (char *)options->name},
           5 * sizeof *arguments);
    memcpy(arguments + 5, options->serve, (count + 1) * sizeof *arguments);
    const char *last = resumes ? "--resume" : options->restarts ? "--restart" : NULL;
    memcpy(arguments + 5 + count, (const char *[]){last, NULL}, 2 * sizeof *arguments);
    char *with_name[sluice_launch_length(environment) + 2];
    size_t variables = 0;
    snprintf(called, sizeof called, "SLUICE_CALLED=%s", sluice_launch_name);
    with_name[variables++] = called;
    for (; *environment != NULL; environment++)
        if (!resumes || strncmp(*environment, "SLUICE_FAULT=", 13) != 0) /* a fault happens once */
            with_name[variables++] = *environment;
    with_name[variables] = NULL;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    signal(SIGTTOU, SIG_IGN);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(ready, STDOUT_FILENO);
    close_range(STDERR_FILENO + 1, UINT_MAX, CLOSE_RANGE_CLOEXEC); /* the rank's own */
    execve(program, arguments, with_name);
    sluice_launch_fail(SLUICE_STATUS_FAILED, "cannot run %s: %m; set SLUICE_HOME", program);
}

/*
 * Reads lines until one begins with "ready:". Returns 1, 0 at the end, or -1 when the wait is over.
 */
static int await_ready(struct sluice_launch_start *start, int fd, char *text, size_t capacity)
{
    strcpy(text, "\n");
    size_t length = 1;
    for (;;) {
        struct pollfd input = {.fd = fd, .events = POLLIN};
        if (length == capacity - 1 || !sluice_launch_start_goes_on(start))
            return -1;
        if (poll(&input, 1, LOOK) <= 0)
            continue;
        const ssize_t got = read(fd, text + length, capacity - 1 - length);
        if (got <= 0)
            return 0;
        length += (size_t)got;
        text[length] = 0;
        sluice_launch_start_heard(start, text);
        length = strlen(text);
        if (strstr(text, "\nready:") != NULL)
            return 1;
    }
}

static int end_of(pid_t server)
{
    int status = 0;
    while (waitpid(server, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/*
 * Returns the exit status for an I/O process that ended before it was ready; it has said why
 * itself.
 */
static int status_of_failure(pid_t server, bool resumes)
{
    const int status = end_of(server);
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        return WEXITSTATUS(status);
    if (resumes) {
        sluice_launch_say("the I/O process that was to go on ended as well, before it was ready; "
                          "the next one is started in a moment");
    } else {
        sluice_launch_say(
            "the I/O process ended before it was ready; start one by hand with sluice serve "
            "to see why");
    }
    return SLUICE_STATUS_FAILED;
}

/* Takes the wave from the lines of the I/O process. */
static void begin_job(const char *text)
{
    const char *checkpoint = strstr(text, "\ncheckpoint: ");
    sluice_launch_job_begin(
        checkpoint == NULL ? -1 : strtoll(checkpoint + strlen("\ncheckpoint: "), NULL, 10));
}

/* Returns whether the command cannot do without its I/O process. A job of MPI would begin anew. */
static bool needs_server(const struct sluice_launch_options *options)
{
    return options->needs || options->restarts || getenv("SLUICE_MPI_LAYER") != NULL;
}

int sluice_launch_server_start(const struct sluice_launch_options *options, char **environment,
                               bool resumes, pid_t *server)
{
    const bool needed = resumes || needs_server(options);
    int pipe_fds[2];
    char text[4096];
    const pid_t child = pipe2(pipe_fds, O_CLOEXEC) == 0 ? fork() : -1;
    if (child < 0) {
        sluice_launch_say("cannot start an I/O process: %m");
        return SLUICE_STATUS_FAILED;
    }
    if (child == 0)
        become_server(options, environment, resumes, pipe_fds[1]);
    close(pipe_fds[1]);
    struct sluice_launch_start start = sluice_launch_start_of(options->name, child, needed);
    if (!resumes)
        sluice_launch_start_heed(&start);
    const int ready = await_ready(&start, pipe_fds[0], text, sizeof text);
    if (sluice_launch_start_is_to_end(&start)) {
        if (!sluice_launch_start_forestall(&start, pipe_fds[0]))
            sluice_launch_start_stop(&start, false);
        end_of(child);
    }
    close(pipe_fds[0]);
    sluice_launch_start_leave(&start);
    *server = ready > 0 ? child : 0;
    if (ready > 0 && options->restarts && !resumes)
        begin_job(text);
    if (ready > 0)
        return 0;
    if (ready == 0 && !resumes)
        sluice_launch_job_said();
    if (ready == 0)
        return status_of_failure(child, resumes);
    const bool slow = !needed && sluice_launch_start_is_slow(&start);
    sluice_launch_start_stop(&start, resumes);
    end_of(child);
    return slow ? SLUICE_LAUNCH_SLOW : SLUICE_STATUS_FAILED;
}

int sluice_launch_server_await(pid_t server)
{
    const int status = end_of(server);
    if (WIFEXITED(status) && WEXITSTATUS(status) != SLUICE_STATUS_CRASHED)
        return WEXITSTATUS(status);
    sluice_launch_say("the I/O process was killed as it ended; all files are on storage, but what "
                      "--stats asks for is missing");
    return SLUICE_STATUS_FAILED;
}
