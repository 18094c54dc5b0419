/*
 * Stands in for `sluice serve`: a fake I/O process at SLUICE_RUNTIME/NAME, where NAME is the word
 * after --name, until its last member leaves. Its arguments go to SLUICE_RUNTIME/arguments.
 */
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_io_process.h"

static void record(const char *runtime, int count, char **arguments)
{
    char path[256];
    snprintf(path, sizeof path, "%s/arguments", runtime);
    FILE *file = fopen(path, "a");
    for (int i = 1; i < count; i++)
        fprintf(file, "%s%s", arguments[i], i + 1 < count ? " " : "\n");
    fclose(file);
}

static const char *name_in(int count, char **arguments)
{
    for (int i = 1; i + 1 < count; i++)
        if (strcmp(arguments[i], "--name") == 0)
            return arguments[i + 1];
    abort();
}

/* As `sluice serve` has it in the segment: what --capture= names, without links. */
static void capture(struct fake_io_process *iop, int count, char **arguments)
{
    static const char option[] = "--capture=";
    char path[PATH_MAX] = "";
    for (int i = 1; i < count; i++) {
        const char *value = arguments[i] + sizeof option - 1;
        if (strncmp(arguments[i], option, sizeof option - 1) == 0 && realpath(value, path) == NULL)
            snprintf(path, sizeof path, "%s", value);
    }
    strcpy(iop->header->capture + sizeof(int32_t), path);
    iop->header->capture[0] = (char)strlen(path);
}

static void await_members(struct fake_io_process *iop)
{
    while (fake_requests(iop, SLUICE_REQUEST_JOIN) == 0 || fake_members(iop) > 0)
        poll(NULL, 0, 5);
}

int main(int count, char **arguments)
{
    static struct fake_io_process iop;
    const char *runtime = getenv("SLUICE_RUNTIME");
    char path[512];
    record(runtime, count, arguments);
    fake_start(&iop,
               (struct fake_geometry){SLUICE_HEADER_LAYOUT_FILES, 4, 4096, 3000,
                                      SLUICE_HEADER_POLICY_FIXED});
    capture(&iop, count, arguments);
    snprintf(path, sizeof path, "%s/%s", runtime, name_in(count, arguments));
    if (symlink(iop.directory, path) != 0)
        return 1;
    printf("something else\nready: %s\n", path);
    fflush(stdout);
    await_members(&iop);
    unlink(path);
    fake_stop(&iop);
    return 0;
}
