/* The files that posix_spawn() opens for a program, in a child that has no memory of its own. */
#pragma once

#include <spawn.h>

/* Makes those that these actions open, of which NULL has none, complete and direct. */
void sluice_actions_settle(const posix_spawn_file_actions_t *actions);
