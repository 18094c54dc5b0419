#include "program.h"

#include <errno.h>
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

void sluice_criu_program_need_process(const char *pid)
{
    if (kill(atoi(pid), 0) == 0)
        return;
    const bool missing = errno == ESRCH;
    sluice_launch_fail(missing ? SLUICE_STATUS_NOT_FOUND : SLUICE_STATUS_DENIED,
                       missing ? "there is no process %s"
                               : "process %s is another user's: criu needs root for it",
                       pid);
}

void sluice_criu_program_kill(pid_t process)
{
    char path[64];
    int child;
    kill(process, SIGSTOP);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, process);
    FILE *children = fopen(path, "re");
    while (children != NULL && fscanf(children, "%d", &child) == 1)
        sluice_criu_program_kill(child);
    if (children != NULL)
        fclose(children);
    kill(process, SIGKILL);
}
