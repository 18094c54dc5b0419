/*
 * A launcher that hangs once all of its processes have ended. The server of PMIx 4.2 may wait for its own lock as it ends
 * where a rank died while it connected, and mpirun of Open MPI 4.1 with it.
 */
#pragma once

#include <sys/types.h>

/* How often to look, in seconds. */
#define SLUICE_LAUNCH_HUNG_EACH 5

/* All zero at first. */
struct sluice_launch_hung {
    pid_t launcher;
    int looks; /* in how many it was found so, one after the other */
};

/*
 * Kills a launcher below this command, or the command itself, and says so: all of its processes have ended, one with
 * another status than 0, and it has not asked for that in several looks.
 */
void sluice_launch_hung_look(struct sluice_launch_hung *hung, pid_t command);
