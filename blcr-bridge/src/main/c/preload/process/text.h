/*
 * The files of programs that are to run. Each has to be complete and in its own file. The kernel runs none that is open for
 * writing, as every image is in the I/O process: a copy that is no image takes its name then.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

/*
 * What execvp() runs.
 *
 * @param file a path, or a name to be looked for in PATH
 * @param room for a path that is found
 * @return a path, in `file` or in `room`; NULL where no program has the name
 */
const char *sluice_text_find(const char *file, char room[PATH_MAX]);

/*
 * What execveat() runs, by a path that needs no directory.
 *
 * @param room for that path
 * @return a path, in `path` or in `room`; NULL where none is known
 */
const char *sluice_text_at(int dirfd, const char *path, int flags, char room[PATH_MAX]);

/* Before the call that runs it: the file is made complete and direct. NULL: nothing happens. errno stays. */
void sluice_text_settle(const char *path);

/*
 * After a call that was to run the file failed with `error`: if the reason was that it is open for writing, a copy
 * takes its name. errno may change.
 *
 * @return whether the call should be repeated, also where the file is no image any more: the I/O process closes it
 *         before that is to be seen
 */
bool sluice_text_free(const char *path, int error);
