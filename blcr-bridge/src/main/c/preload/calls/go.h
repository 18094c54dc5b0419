/* Go's runtime, which opens files past the shim: files of a process that has it are left to the kernel. */
#pragma once

/* Before the program loads a library. */
void sluice_go_may_be_loaded(void);

/* Before a file is captured that is opened to write: looks at what was loaded by the program since. */
void sluice_go_look(void);
