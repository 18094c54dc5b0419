/* The recording of the command's writes. */
#pragma once

/*
 * Lets the command record its writes in this directory, which is created. A directory with a trace
 * is accepted only inside a job, whose other ranks may have begun it. Else the process ends with
 * one line.
 */
void sluice_launch_profile(const char *directory);
