/* The CRIU that is installed, and processes that it is about. */
#pragma once

#include <sys/types.h>

/* Ends the process with one line unless a criu is there that can stream its images. */
void sluice_criu_program_need(void);

/* Ends the process with one line unless there is this process, and this user may signal it. */
void sluice_criu_program_need_process(const char *pid);

/* Kills a process with all below it, which cannot start others meanwhile. */
void sluice_criu_program_kill(pid_t process);
