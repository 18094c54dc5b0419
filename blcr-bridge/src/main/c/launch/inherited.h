/* Files that were open for writing before the command was captured, as those that a shell's `>` opens: no images. */
#pragma once

#include <sys/stat.h>

enum { SLUICE_LAUNCH_INHERITED_MOST = 64 };

struct sluice_launch_inherited {
    int count;
    int descriptors[SLUICE_LAUNCH_INHERITED_MOST];
    struct stat before[SLUICE_LAUNCH_INHERITED_MOST];
};

/* Notes this process's descriptors of files in the capture directory; there may be none. */
void sluice_launch_inherited_note(struct sluice_launch_inherited *files, const char *capture);

/* Says in one line which of them were written to since, that no checkpoint has them, and what to do. */
void sluice_launch_inherited_tell(const struct sluice_launch_inherited *files);
