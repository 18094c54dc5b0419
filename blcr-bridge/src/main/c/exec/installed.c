#include "installed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Below SLUICE_HOME this program is blcr-bridge/target/native/sluice-exec. */
void sluice_exec_installed(char *path, unsigned long capacity, const char *file)
{
    char home[3000] = "";
    const char *given = getenv("SLUICE_HOME");
    if (given != NULL && *given != 0) {
        snprintf(home, sizeof home, "%s", given);
    } else if (readlink("/proc/self/exe", home, sizeof home - 1) > 0) {
        for (int level = 0; level < 4; level++) {
            char *slash = strrchr(home, '/');
            *(slash == NULL ? home : slash) = 0;
        }
    }
    snprintf(path, capacity, "%s/%s", home, file);
}
