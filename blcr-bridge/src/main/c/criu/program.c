#include "program.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"
#include "which.h"

/* The first version whose images can be streamed. */
#define MAJOR 3
#define MINOR 15

void sluice_criu_program_need(void)
{
    char path[4096];
    char text[256];
    int major, minor;
    if (!sluice_launch_which("criu", path, sizeof path)) {
        sluice_launch_fail(SLUICE_STATUS_NO_COMMAND,
                           "criu is not found: install version %d.%d or later, or put its folder "
                           "into PATH",
                           MAJOR, MINOR);
    }
    char *const command[] = {path, "--version", NULL};
    sluice_launch_which_says(command, true, text, sizeof text);
    const char *version = strstr(text, "Version: ");
    if (version == NULL || sscanf(version, "Version: %d.%d", &major, &minor) != 2) {
        sluice_launch_fail(SLUICE_STATUS_NOT_EXECUTABLE,
                           "%s --version tells no version; run criu check to see why", path);
    }
    if (major < MAJOR || (major == MAJOR && minor < MINOR)) {
        sluice_launch_fail(SLUICE_STATUS_OTHER_VERSION,
                           "%s is version %d.%d, which cannot stream its images: install %d.%d or "
                           "later",
                           path, major, minor, MAJOR, MINOR);
    }
}

long long sluice_criu_program_started(const char *pid)
{
    char text[1024] = "";
    char state;
    long long started;
    snprintf(text, sizeof text, "/proc/%s/stat", pid);
    FILE *file = fopen(text, "re");
    const size_t length = file == NULL ? 0 : fread(text, 1, sizeof text - 1, file);
    if (file != NULL)
        fclose(file);
    text[length] = 0;
    const char *behind = strrchr(text, ')'); /* the program's name may have any bytes */
    const int read = behind == NULL
        ? 0
        : sscanf(behind,
                 ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                 "%*s %lld",
                 &state, &started);
    return read == 2 && state != 'Z' && state != 'X' ? started : -1;
}

void sluice_criu_program_need_process(const char *pid)
{
    const bool missing = sluice_criu_program_started(pid) < 0;
    if (!missing && kill(atoi(pid), 0) == 0)
        return;
    sluice_launch_fail(missing ? SLUICE_STATUS_NOT_FOUND : SLUICE_STATUS_DENIED,
                       missing ? "there is no process %s"
                               : "process %s is another user's: criu needs root for it",
                       pid);
}

/* Calls a function with each child of a process, and the signal. */
static void with_children(pid_t process, void (*call)(pid_t, int), int signal)
{
    char path[64];
    int child;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, process);
    FILE *children = fopen(path, "re");
    while (children != NULL && fscanf(children, "%d", &child) == 1)
        call(child, signal);
    if (children != NULL)
        fclose(children);
}

static void send_signal(pid_t process, int signal)
{
    kill(process, signal);
}

void sluice_criu_program_tell_children(pid_t process, int signal)
{
    with_children(process, send_signal, signal);
}

static void kill_all(pid_t process, int signal)
{
    kill(process, SIGSTOP);
    with_children(process, kill_all, signal);
    kill(process, signal);
}

void sluice_criu_program_kill(pid_t process)
{
    kill_all(process, SIGKILL);
}
