/*
 * The Go runtime, which opens files past the shim. Files of a process that has it are left to the
 * kernel.
 */
#pragma once

/* Called before the program loads a library. */
void sluice_go_may_be_loaded(void);

/*
 * Looks for Go's runtime among the objects loaded since the last look. Called before a file opened
 * for writing is captured.
 */
void sluice_go_look(void);
