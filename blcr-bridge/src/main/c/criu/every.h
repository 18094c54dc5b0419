/* Dumps again and again. */
#pragma once

#include "criu_options.h"

/*
 * Dumps each time the time is over, until a process of the trees has ended or a signal comes. Each
 * dump is a process of its own. Returns the exit status.
 */
int sluice_every(struct sluice_criu_options *options, int (*dump)(struct sluice_criu_options *));
