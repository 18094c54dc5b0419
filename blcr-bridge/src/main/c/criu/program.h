/* The CRIU that is installed, and processes that it is about. */
#pragma once

#include <sys/types.h>

/* Ends the process with one line unless a criu is there that can stream its images. */
void sluice_criu_program_need(void);

/* Returns when a process started, by the clock of /proc; -1 for none, or one that has ended. */
long long sluice_criu_program_started(const char *pid);

/* Ends the process with one line unless there is this process, and this user may signal it. */
void sluice_criu_program_need_process(const char *pid);

/* Sends a signal to the children of a process. */
void sluice_criu_program_tell_children(pid_t process, int signal);

/* Kills a process with all below it, which cannot start others meanwhile. */
void sluice_criu_program_kill(pid_t process);
