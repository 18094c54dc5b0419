/* The files that posix_spawn() opens for a program, in a child without memory of its own. */
#pragma once

#include <spawn.h>

/* Makes the files that these actions open complete and direct. `actions` may be NULL. */
void sluice_actions_settle(const posix_spawn_file_actions_t *actions);
