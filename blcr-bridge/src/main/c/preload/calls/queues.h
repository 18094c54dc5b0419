/* Rings that the program made by an instruction of its own, as a statically linked liburing does. */
#pragma once

/* Before a file is captured that is opened to write: looks now and then whether the process has one by now. */
void sluice_queues_look(void);

/* As the process ends: says what such a ring may have cost. */
void sluice_queues_look_last(void);
