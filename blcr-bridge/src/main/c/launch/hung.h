/*
 * The end of a launcher that hangs once all of its processes have ended. The server of PMIx 4.2 may
 * wait for its own lock at its end, where a rank died while it connected. Then mpirun of Open MPI
 * 4.1 hangs, too.
 */
#pragma once

#include <sys/types.h>

/* The time between two looks, in seconds. */
#define SLUICE_LAUNCH_HUNG_EACH 5

/* The launcher under suspicion; all zero at first. */
struct sluice_launch_hung {
    pid_t launcher;
    int looks; /* looks in a row that found it hanging */
};

/*
 * Kills a launcher below this command, or the command itself, and says so. All of its processes
 * have ended then, one with another status than 0. In several looks it has not asked for that
 * status.
 */
void sluice_launch_hung_look(struct sluice_launch_hung *hung, pid_t command);
