/* The giving of images to restores. */
#pragma once

#include "criu_options.h"

/*
 * Has a checkpoint verified, and gives its images to one restore after the other. Returns the exit
 * status. Failures end in one line.
 */
int sluice_serve(const struct sluice_criu_options *options);
