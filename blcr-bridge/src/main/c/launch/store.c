#include "store.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "status.h"

bool sluice_launch_store(const char *given, char store[SLUICE_LAUNCH_STORE_LENGTH])
{
    char here[PATH_MAX];
    if (given == NULL || *given == 0) {
        sluice_launch_fail(SLUICE_STATUS_USAGE,
                           "no store; name one with --store DIR or in SLUICE_STORE");
    }
    const char *colon = strstr(given, ":/");
    const bool elsewhere = colon != NULL && strchr(given, '/') > colon;
    const bool absolute = elsewhere || *given == '/';
    if (!absolute && getcwd(here, sizeof here) == NULL)
        sluice_launch_fail(SLUICE_STATUS_FAILED, "there is no working directory: %m");
    if (snprintf(store, SLUICE_LAUNCH_STORE_LENGTH, "%s%s%s", absolute ? "" : here,
                 absolute ? "" : "/", given)
        >= SLUICE_LAUNCH_STORE_LENGTH) {
        sluice_launch_fail(SLUICE_STATUS_USAGE, "--store %s is too long", given);
    }
    return elsewhere;
}
