/* The job this process is part of, as far as one node is concerned. */
#pragma once

#include <stddef.h>

/*
 * A name that all ranks of the job on this node find, and no others: what the launcher calls the
 * job, or else the process id of the parent, which is the launcher's daemon on the node.
 */
void sluice_exec_job_name(char *name, size_t capacity);
