#include "profile.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "launcher.h"
#include "status.h"

static bool in_job(void)
{
    int rank, ranks;
    sluice_launcher_rank(&rank, &ranks);
    return rank >= 0;
}

static bool has_parts(const char *directory)
{
    bool found = false;
    DIR *entries = opendir(directory);
    if (entries == NULL)
        return false;
    for (const struct dirent *each; !found && (each = readdir(entries)) != NULL;) {
        const char *suffix = strrchr(each->d_name, '.');
        found = suffix != NULL && strcmp(suffix, ".part") == 0;
    }
    closedir(entries);
    return found;
}

void sluice_launch_profile(const char *directory)
{
    char absolute[PATH_MAX];
    if ((mkdir(directory, 0777) != 0 && errno != EEXIST) || realpath(directory, absolute) == NULL)
        sluice_launch_fail(sluice_launch_status(-errno), "cannot create %s: %m", directory);
    if (!in_job() && has_parts(absolute)) {
        sluice_launch_fail(SLUICE_STATUS_EXISTS,
                           "%s holds a trace already; name another or remove it", directory);
    }
    setenv("SLUICE_PROFILE", absolute, 1);
}
