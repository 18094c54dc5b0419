/*
 * Rings that the program made by an instruction of its own, as a statically linked liburing does.
 */
#pragma once

/* Looks now and then for such a ring. Called before a file opened for writing is captured. */
void sluice_queues_look(void);

/* Says at the end of the process what such a ring may have cost. */
void sluice_queues_look_last(void);
