/*
 * The files of programs that are to run. Each has to be complete and in its own file. The kernel
 * runs no file that is open for writing, and the I/O process has every image open so. A copy that
 * is no image takes the file's name then.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

/*
 * Finds the file that execvp() runs.
 *
 * @param file a path, or a name to be looked for in PATH
 * @param room for a path that is found
 * @return a path, in `file` or in `room`; NULL where no program has the name
 */
const char *sluice_text_find(const char *file, char room[PATH_MAX]);

/*
 * Finds the file that execveat() runs, as a path that needs no directory.
 *
 * @param room for that path
 * @return a path, in `path` or in `room`; NULL where none is known
 */
const char *sluice_text_at(int dirfd, const char *path, int flags, char room[PATH_MAX]);

/*
 * Makes the file complete and direct, before the call that runs it. NULL: nothing happens. errno
 * stays.
 */
void sluice_text_settle(const char *path);

/*
 * Prepares another attempt after the call that was to run the file failed with `error`. If the file
 * was open for writing, a copy takes its name. Where the file is no image any more, the I/O process
 * or its guard closes it in a moment. errno may change.
 *
 * @param attempt number of attempts before, in vain
 * @return whether the call should be repeated
 */
bool sluice_text_free(const char *path, int error, int attempt);
