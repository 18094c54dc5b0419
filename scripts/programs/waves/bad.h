/* Parts of bad.c. */
#ifndef BAD_H
#define BAD_H

#include <stdbool.h>

/* Behind MPI_Init, before the first spot. */
void bad_begin(void);

/* Does what the file ./wrong says, by all ranks at the same step. */
void bad_step(void);

/* main() is to call at another place than the first spot's. */
extern bool bad_changes_place;

#endif
