#include "inherited.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "status.h"

static bool path_of(int descriptor, char path[PATH_MAX])
{
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(name, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
    return length > 0;
}

static bool is_below(const char *path, const char *directory)
{
    const size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && path[length] == '/';
}

static bool is_file(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

static bool is_noted(const struct sluice_launch_inherited *files, const struct stat *file)
{
    for (int i = 0; i < files->count; i++)
        if (is_file(&files->before[i], file))
            return true;
    return false;
}

static void note(struct sluice_launch_inherited *files, int descriptor, const char *capture)
{
    char path[PATH_MAX];
    struct stat status;
    const int flags = fcntl(descriptor, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && fstat(descriptor, &status) == 0
        && S_ISREG(status.st_mode) && path_of(descriptor, path) && is_below(path, capture)
        && !is_noted(files, &status) && files->count < SLUICE_LAUNCH_INHERITED_MOST) {
        files->descriptors[files->count] = descriptor;
        files->before[files->count++] = status;
    }
}

void sluice_launch_inherited_note(struct sluice_launch_inherited *files, const char *capture)
{
    char absolute[PATH_MAX];
    DIR *open_files = opendir("/proc/self/fd");
    if (open_files == NULL)
        return;
    if (capture != NULL && realpath(capture, absolute) != NULL) {
        for (const struct dirent *each; (each = readdir(open_files)) != NULL;)
            if (each->d_name[0] != '.')
                note(files, atoi(each->d_name), absolute);
    }
    closedir(open_files);
}

static bool was_written(const struct sluice_launch_inherited *files, int which)
{
    const struct stat *before = &files->before[which];
    struct stat now;
    return fstat(files->descriptors[which], &now) == 0 && is_file(&now, before) && now.st_nlink > 0
        && (now.st_size != before->st_size || now.st_mtim.tv_sec != before->st_mtim.tv_sec
            || now.st_mtim.tv_nsec != before->st_mtim.tv_nsec);
}

void sluice_launch_inherited_tell(const struct sluice_launch_inherited *files)
{
    char first[PATH_MAX];
    int written = 0;
    for (int i = 0; i < files->count; i++)
        if (was_written(files, i) && (written > 0 || path_of(files->descriptors[i], first)))
            written++;
    if (written > 0) {
        sluice_launch_say("in no checkpoint is what was open before the command was captured; let "
                          "the command open it, as in sh -c 'CMD >FILE': files=%d, such as %s",
                          written, first);
    }
}
