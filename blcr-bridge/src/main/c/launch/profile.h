/* Where the command's writes are recorded. */
#pragma once

/*
 * Has the command record its writes in this directory, which is created. One that holds a trace is
 * taken only inside a job, whose other ranks may have begun it; else the process ends with one line.
 */
void sluice_launch_profile(const char *directory);
