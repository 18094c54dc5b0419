/* The taking of images from dumps into one checkpoint. */
#pragma once

#include "tree.h"
#include "writer.h"

/*
 * Takes the images of trees whose commands run, or come from elsewhere, until all dumps are whole.
 * Then the checkpoint is committed, and a CRIU that holds its processes lets them go. Failures end
 * the process with one line: nothing is committed, and the processes run on.
 */
void sluice_capture(struct sluice_writer *writer, struct sluice_tree *trees, size_t count);
