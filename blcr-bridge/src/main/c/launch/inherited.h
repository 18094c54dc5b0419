/*
 * Files that were open for writing before the command was captured, as a shell's `>` opens them:
 * they are no images.
 */
#pragma once

#include <sys/stat.h>

enum { SLUICE_LAUNCH_INHERITED_MOST = 64 };

struct sluice_launch_inherited {
    int count;
    int descriptors[SLUICE_LAUNCH_INHERITED_MOST];
    struct stat before[SLUICE_LAUNCH_INHERITED_MOST];
};

/* Notes this process's descriptors of files in the capture directory. There may be none. */
void sluice_launch_inherited_note(struct sluice_launch_inherited *files, const char *capture);

/*
 * Names in one line the files written to since. The line says that no checkpoint has them, and what
 * to do.
 */
void sluice_launch_inherited_tell(const struct sluice_launch_inherited *files);
